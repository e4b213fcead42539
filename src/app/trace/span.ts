import { createHash } from 'node:crypto'

/** One finished piece of work, as OpenTelemetry knows it. */
export interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | null
  readonly name: string
  readonly startMs: number
  readonly endMs: number
  readonly attributes: Readonly<Record<string, string | number | boolean>>
  /** Why it failed, when it did. */
  readonly error: string | null
}

/** Ids come from names, so that a session that is resumed by another process stays one trace. */
export const traceIdOf = (name: string): string => digest(name).slice(0, 32)
export const spanIdOf = (...names: readonly (string | number)[]): string =>
  digest(names.join('\0')).slice(32, 48)

const digest = (text: string): string => createHash('sha256').update(text).digest('hex')
