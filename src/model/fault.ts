interface FaultKind {
  /**
   * Whether the same request may succeed later, when the obstacle is gone. These faults, and no others, exit with code
   * 75.
   */
  readonly retryable: boolean
  readonly exit: 2 | 3 | 75
  readonly http: number
  /** What to do about it, in plain words. */
  readonly hint: string
}

/** Every way in which Fixpoint itself can be unable to go on; what happens to fixes and checks is data, not a fault. */
const table = {
  usage: { retryable: false, exit: 2, http: 400, hint: 'fixpoint --help shows what there is.' },
  config_invalid: {
    retryable: false,
    exit: 2,
    http: 422,
    hint: 'Correct the settings that are named; fixpoint config shows all of them.',
  },
  not_trusted: { retryable: false, exit: 2, http: 403, hint: 'Read the commands, then add --yes.' },
  input_invalid: {
    retryable: false,
    exit: 2,
    http: 400,
    hint: 'Nothing was stored. Correct the input and run the command again.',
  },
  not_a_repository: {
    retryable: false,
    exit: 2,
    http: 422,
    hint: 'Run fixpoint inside a git repository (git init makes one).',
  },
  repository_unsupported: {
    retryable: false,
    exit: 2,
    http: 422,
    hint: 'fixpoint doctor says what this repository lacks.',
  },
  ref_unknown: {
    retryable: false,
    exit: 2,
    http: 422,
    hint: 'git branch -a and git tag list what there is.',
  },
  bundle_refused: {
    retryable: false,
    exit: 2,
    http: 422,
    hint: 'Nothing was pushed. Look at the job that made it before anybody publishes it in another way.',
  },
  branch_refused: { retryable: false, exit: 2, http: 422, hint: 'Choose another name with --branch.' },
  not_found: {
    retryable: false,
    exit: 2,
    http: 404,
    hint: 'fixpoint issues list and fixpoint sessions list show what there is.',
  },
  transition_refused: {
    retryable: false,
    exit: 2,
    http: 409,
    hint: 'fixpoint issues show CODE tells what happened to it.',
  },
  agent_unavailable: { retryable: false, exit: 2, http: 422, hint: 'Name another agent in fixpoint.yaml.' },
  sandbox_unavailable: { retryable: false, exit: 2, http: 422, hint: 'Set sandbox to auto or off.' },
  git_failed: {
    retryable: false,
    exit: 3,
    http: 500,
    hint: 'Look at the message of git above; fixpoint doctor checks the repository.',
  },
  store_failed: { retryable: false, exit: 3, http: 500, hint: 'fixpoint doctor checks the database.' },
  store_unreachable: {
    retryable: true,
    exit: 75,
    http: 503,
    hint: 'Look whether the database runs; fixpoint resume goes on where a session stopped.',
  },
  home_unusable: {
    retryable: false,
    exit: 2,
    http: 500,
    hint: 'Set FIXPOINT_HOME to a folder that you may write to.',
  },
  artifacts_unreachable: {
    retryable: true,
    exit: 75,
    http: 503,
    hint: 'Look at artifacts.url and at the store; fixpoint resume goes on where a session stopped.',
  },
  disk_full: {
    retryable: true,
    exit: 75,
    http: 507,
    hint: 'Free some space; fixpoint resume goes on where it stopped.',
  },
  system_limit: {
    retryable: true,
    exit: 75,
    http: 503,
    hint: 'The system lets this user open or start no more: raise the limit (ulimit -n 1024, ulimit -u), or end other programs.',
  },
  busy: { retryable: true, exit: 75, http: 409, hint: 'Try again in a moment.' },
  branch_moved: {
    retryable: false,
    exit: 3,
    http: 409,
    hint: 'Look at the branch; the verified commits are kept.',
  },
  review_failed: {
    retryable: false,
    exit: 3,
    http: 502,
    hint: 'No issue was changed. Run the review again.',
  },
  not_evaluated: { retryable: false, exit: 3, http: 502, hint: 'Try again.' },
  /** The same request is being worked on already, by this process or another one. */
  already_running: { retryable: true, exit: 75, http: 409, hint: 'Wait for that session, or follow it.' },
  not_available: { retryable: false, exit: 2, http: 501, hint: 'This version does not have it.' },
  unauthorized: {
    retryable: false,
    exit: 2,
    http: 401,
    hint: 'Open the address that fixpoint serve printed, or send the token as "Authorization: Bearer …".',
  },
  forbidden: { retryable: false, exit: 2, http: 403, hint: 'Use the address that fixpoint serve printed.' },
  rate_limited: { retryable: true, exit: 75, http: 429, hint: 'Ask more slowly.' },
  too_large: { retryable: false, exit: 2, http: 413, hint: 'Send it in smaller parts.' },
  unsupported_media_type: { retryable: false, exit: 2, http: 415, hint: 'Send application/json.' },
  forge_auth: {
    retryable: false,
    exit: 2,
    http: 401,
    hint: 'Set GH_TOKEN or GITHUB_TOKEN, or log in with gh auth login.',
  },
  forge_refused: {
    retryable: false,
    exit: 2,
    http: 422,
    hint: 'docs/guide/github.md lists the permissions that are needed, and why.',
  },
  forge_missing: {
    retryable: false,
    exit: 2,
    http: 404,
    hint: 'Look at github.repository and at the remote (git remote -v); a token sees only what it was made for.',
  },
  forge_busy: {
    retryable: true,
    exit: 75,
    http: 503,
    hint: 'Try again later; what is done already is found again.',
  },
  internal: {
    retryable: false,
    exit: 3,
    http: 500,
    hint: 'This is a mistake in Fixpoint. Nothing of your repository was changed by it.',
  },
} as const satisfies Readonly<Record<string, FaultKind>>

export type FaultCode = keyof typeof table

export interface FaultOptions {
  readonly cause?: unknown
  /** What to do about it, when that can be said better than for every fault of this code. */
  readonly hint?: string
  readonly details?: Readonly<Record<string, unknown>>
}

/** The one class that is thrown on purpose: what happened, to what, and what to do. */
export class Fault extends Error {
  readonly code: FaultCode
  readonly hint: string
  readonly details: Readonly<Record<string, unknown>>

  constructor(code: FaultCode, message: string, options: FaultOptions = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause })
    this.name = 'Fault'
    this.code = code
    this.hint = options.hint ?? table[code].hint
    this.details = options.details ?? {}
  }
}

/** Whatever was thrown, as a fault: an error that nobody threw on purpose is a mistake of ours. */
export const asFault = (error: unknown): Fault =>
  error instanceof Fault
    ? error
    : new Fault(codeOfSystem(error) ?? 'internal', error instanceof Error ? error.message : String(error), {
        cause: error,
      })

export const faultCodes = Object.keys(table) as readonly FaultCode[]

export const exitCodeOf = (code: FaultCode): number => table[code].exit

export const httpStatusOf = (code: FaultCode): number => table[code].http

export const isRetryable = (code: FaultCode): boolean => table[code].retryable

const systemCodes: Readonly<Record<string, FaultCode>> = {
  EMFILE: 'system_limit',
  ENFILE: 'system_limit',
  EAGAIN: 'system_limit',
  EACCES: 'home_unusable',
  EPERM: 'home_unusable',
  EROFS: 'home_unusable',
  ENOSPC: 'disk_full',
  EDQUOT: 'disk_full',
}

/** What the system refused, where it says so. */
const codeOfSystem = (error: unknown): FaultCode | undefined =>
  error instanceof Error && 'code' in error ? systemCodes[String(error.code)] : undefined

/** Whether something could not be written for lack of room, whoever noticed it. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? error.code : null
  return code === 'disk_full' || code === 'ENOSPC' || code === 'EDQUOT' || isDiskFull(error.cause)
}

const sessionFaults: readonly FaultCode[] = [
  'store_failed',
  'store_unreachable',
  'artifacts_unreachable',
  'home_unusable',
  'busy',
  'transition_refused',
]

/** Whether a fault ends the whole session rather than one issue: nothing else could be recorded either. */
export const isSessionFault = (error: unknown): boolean =>
  isDiskFull(error) || (error instanceof Fault && sessionFaults.includes(error.code))
