/** Every way in which Fixpoint itself can be unable to go on; what happens to fixes and checks is data, not a fault. */
const table = {
  usage: { exit: 2, status: 400, retryable: false },
  config_invalid: { exit: 2, status: 422, retryable: false },
  not_trusted: { exit: 2, status: 403, retryable: false },
  input_invalid: { exit: 2, status: 422, retryable: false },
  not_a_repository: { exit: 2, status: 422, retryable: false },
  repository_unsupported: { exit: 2, status: 422, retryable: false },
  ref_unknown: { exit: 2, status: 422, retryable: false },
  branch_refused: { exit: 2, status: 409, retryable: false },
  not_found: { exit: 2, status: 404, retryable: false },
  transition_refused: { exit: 2, status: 409, retryable: false },
  agent_unavailable: { exit: 2, status: 422, retryable: false },
  sandbox_unavailable: { exit: 2, status: 422, retryable: false },
  git_failed: { exit: 3, status: 500, retryable: true },
  store_failed: { exit: 3, status: 500, retryable: true },
  home_unusable: { exit: 2, status: 500, retryable: false },
  disk_full: { exit: 75, status: 507, retryable: true },
  busy: { exit: 75, status: 409, retryable: true },
  branch_moved: { exit: 3, status: 409, retryable: false },
  review_failed: { exit: 3, status: 502, retryable: true },
  internal: { exit: 3, status: 500, retryable: false },
} as const

export type FaultCode = keyof typeof table

export interface FaultOptions {
  readonly cause?: unknown
  /** What to do about it, in plain words. */
  readonly hint?: string
  readonly details?: Readonly<Record<string, unknown>>
}

/** The one class that is thrown on purpose: what happened, to what, and what to do. */
export class Fault extends Error {
  readonly code: FaultCode
  readonly hint: string | null
  readonly details: Readonly<Record<string, unknown>>

  constructor(code: FaultCode, message: string, options: FaultOptions = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause })
    this.name = 'Fault'
    this.code = code
    this.hint = options.hint ?? null
    this.details = options.details ?? {}
  }
}

export const exitCodeOf = (code: FaultCode): number => table[code].exit
export const httpStatusOf = (code: FaultCode): number => table[code].status
export const isRetryable = (code: FaultCode): boolean => table[code].retryable
