import { findJsonObjects, isRecord } from '../../../model/json-text.ts'

export interface ApiError {
  /** `google.rpc.ErrorInfo` reasons, such as API_KEY_INVALID. */
  readonly reasons: readonly string[]
  /** The CLI's own name for the error, such as TerminalQuotaError. */
  readonly errorClass: string | null
  readonly retryDelayMs: number | null
}

/** What the CLI tells of an error of the service: the body in its result, its own error object on stderr. */
export function readApiError(message: string, stderr: string): ApiError {
  const [, errorClass = null, fields = ''] =
    /^Error when talking to Gemini API\b.*? (\w*Error): ([^]*)/m.exec(stderr) ?? []
  const retryDelay = /^ {2}retryDelayMs: (\d+(?:\.\d+)?),?$/m.exec(fields)?.[1]
  const reason = /^ {2}reason: '([A-Z0-9_]+)',?$/m.exec(fields)?.[1]
  return {
    reasons: [...reasonsIn(message), ...(reason === undefined ? [] : [reason])],
    errorClass,
    retryDelayMs: retryDelay === undefined ? null : Number(retryDelay),
  }
}

function reasonsIn(message: string): readonly string[] {
  return findJsonObjects(message).flatMap(({ error }) => {
    const details = isRecord(error) ? error['details'] : null
    if (!Array.isArray(details)) return []
    return details.flatMap((detail: unknown) =>
      isRecord(detail) && typeof detail['reason'] === 'string' ? [detail['reason']] : [],
    )
  })
}
