import { Fault, type FaultCode } from '../../../model/fault.ts'

interface Explanation {
  readonly code: FaultCode
  readonly what: string
  readonly hint: string
}

const unreachable: Explanation = {
  code: 'store_unreachable',
  what: 'cannot be reached',
  hint: 'Look whether PostgreSQL runs at that address, then try again: nothing half-written was kept.',
}

const refused: Explanation = {
  code: 'store_failed',
  what: 'does not let this user in',
  hint: 'Look at the user, the password and the name of the database in FIXPOINT_DATABASE.',
}

const full: Explanation = {
  code: 'disk_full',
  what: 'has no room left',
  hint: 'Free some space on the machine of the database, then try again: nothing half-written was kept.',
}

const contested: Explanation = {
  code: 'busy',
  what: 'is being written by another process',
  hint: 'Try again.',
}

/** By PostgreSQL's code of an error, or by the first two characters of it, its class. */
const explanations: Readonly<Record<string, Explanation>> = {
  '08': unreachable,
  '57': unreachable,
  '28': refused,
  '3D': refused,
  '42501': refused,
  '53': { ...unreachable, what: 'takes no more connections' },
  '53100': full,
  '40': contested,
  '55P03': contested,
}

/** Codes of the system for a connection that was not made, or did not last. */
const connectionCodes: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EPIPE',
  'ETIMEDOUT',
  'EAI_AGAIN',
])

/** The driver's own words for the same; it gives these errors no code. */
const lostConnection =
  /connection terminated|timeout exceeded when trying to connect|client has encountered|query read timeout/i

/** An error of PostgreSQL or of the way to it as one of ours; a fault is passed on as it is. */
export function postgresFault(error: unknown, address: string): unknown {
  if (error instanceof Fault) return error
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const message = error instanceof Error ? error.message : String(error)
  const known = explain(code, message)
  if (!known)
    return new Fault('internal', `The database ${address} refused a statement: ${message}`, { cause: error })
  return new Fault(known.code, `The database ${address} ${known.what} (${message || code})`, {
    cause: error,
    hint: known.hint,
    details: { database: address, postgres: code },
  })
}

function explain(code: string, message: string): Explanation | undefined {
  if (connectionCodes.has(code) || (code === '' && lostConnection.test(message))) return unreachable
  return explanations[code] ?? explanations[code.slice(0, 2)]
}
