import { Fault, type FaultCode } from '../../../model/fault.ts'

interface Explanation {
  readonly code: FaultCode
  readonly what: string
  readonly hint: string
}

/** By SQLite's primary result code. */
const explanations: Readonly<Record<number, Explanation>> = {
  3: {
    code: 'home_unusable',
    what: 'may not be opened by this user',
    hint: 'Make the folder and the file readable and writable for this user, or set FIXPOINT_HOME to another folder.',
  },
  5: {
    code: 'busy',
    what: 'is being written by another process',
    hint: 'Try again; if it stays so, look for a Fixpoint process that hangs.',
  },
  6: { code: 'busy', what: 'is being written by another process', hint: 'Try again.' },
  8: {
    code: 'home_unusable',
    what: 'is read-only',
    hint: 'Make the folder and the file writable for this user, or set FIXPOINT_HOME to another folder.',
  },
  10: {
    code: 'store_failed',
    what: 'could not be read or written by the system',
    hint: 'Look at the disk and its file system, then try again.',
  },
  11: {
    code: 'store_failed',
    what: 'is damaged',
    hint: 'Restore it from a backup, or move it away to start with an empty one.',
  },
  13: {
    code: 'disk_full',
    what: 'could not be written because the disk is full',
    hint: 'Free some space, then try again: nothing half-written was kept.',
  },
  14: {
    code: 'home_unusable',
    what: 'cannot be opened',
    hint: 'Make the folder writable for this user, or set FIXPOINT_HOME to another folder.',
  },
  26: {
    code: 'store_failed',
    what: 'is not a Fixpoint database',
    hint: 'Move it away to start with an empty one, or set FIXPOINT_HOME to another folder.',
  },
}

/** The shared-memory file beside the database could not grow: in practice a full disk. */
const sharedMemorySize = 4874

/** SQLite's own error as one of ours; anything else is passed on as it is. */
export function sqliteFault(error: unknown, file: string): unknown {
  const result = resultCode(error)
  if (result === null) return error
  const known = explanations[result === sharedMemorySize ? 13 : result & 0xff]
  const message = error instanceof Error ? error.message : String(error)
  if (!known)
    return new Fault('internal', `The database ${file} refused a statement: ${message}`, { cause: error })
  return new Fault(known.code, `The database ${file} ${known.what} (${message})`, {
    cause: error,
    hint: known.hint,
    details: { file, sqlite: result },
  })
}

export const isBusy = (error: unknown): boolean => [5, 6].includes(primaryCode(error))

/** The statement itself was wrong at this point, such as a rollback outside a transaction. */
export const isMisuse = (error: unknown): boolean => primaryCode(error) === 1

const primaryCode = (error: unknown): number => (resultCode(error) ?? 0) & 0xff

function resultCode(error: unknown): number | null {
  if (!(error instanceof Error) || !('errcode' in error)) return null
  return typeof error.errcode === 'number' ? error.errcode : null
}
