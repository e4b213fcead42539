import type { Variables } from '../process/clean-environment.ts'
import type { TraceSpan } from './session-spans.ts'

export interface SpanExporter {
  /** Queues a span; it is sent in a moment, and dropped when too many wait. */
  readonly add: (span: TraceSpan) => void
  /** Sends what waits. */
  flush(): Promise<void>
}

const mostWaiting = 2_048
const spansAtOnce = 256
const soonMs = 2_000
const timeoutMs = 5_000

/** Where spans go: the collector that the usual variables of OpenTelemetry name. Null when none is named. */
export function createSpanExporter(env: Variables): SpanExporter | null {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: base, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: exact } = env
  const url = exact || (base ? `${base.replace(/\/+$/, '')}/v1/traces` : '')
  if (url === '') return null
  const headers = {
    'content-type': 'application/json',
    ...readHeaders(env['OTEL_EXPORTER_OTLP_HEADERS'] ?? ''),
  }
  const service = env['OTEL_SERVICE_NAME'] || 'fixpoint'
  let waiting: TraceSpan[] = []
  let timer: NodeJS.Timeout | null = null
  const flush = async (): Promise<void> => {
    if (timer) clearTimeout(timer)
    timer = null
    const spans = waiting
    waiting = []
    for (let at = 0; at < spans.length; at += spansAtOnce)
      await post(url, headers, toOtlp(service, spans.slice(at, at + spansAtOnce)))
  }
  return {
    add(span) {
      if (waiting.length < mostWaiting) waiting.push(span)
      timer ??= setTimeout(() => void flush(), soonMs).unref()
    },
    flush,
  }
}

/** A collector that is not there must not disturb the work: its spans are lost. */
async function post(url: string, headers: Readonly<Record<string, string>>, body: object): Promise<void> {
  try {
    const signal = AbortSignal.timeout(timeoutMs)
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body), signal })
    await response.arrayBuffer()
  } catch (error) {
    if (!(error instanceof Error)) throw error
  }
}

/** `name=value,name=value`, percent-encoded; a value that is not is taken as it is written. */
const readHeaders = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    text
      .split(',')
      .filter((pair) => pair.includes('='))
      .map((pair) => [
        pair.slice(0, pair.indexOf('=')).trim(),
        decodeValue(pair.slice(pair.indexOf('=') + 1).trim()),
      ]),
  )

function decodeValue(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch (error) {
    if (error instanceof URIError) return value
    throw error
  }
}

const toOtlp = (service: string, spans: readonly TraceSpan[]): object => ({
  resourceSpans: [
    {
      resource: { attributes: attributesOf({ 'service.name': service }) },
      scopeSpans: [{ scope: { name: 'fixpoint' }, spans: spans.map(spanOf) }],
    },
  ],
})

const spanOf = (span: TraceSpan): object => ({
  traceId: span.traceId,
  spanId: span.spanId,
  ...(span.parentSpanId !== null && { parentSpanId: span.parentSpanId }),
  name: span.name,
  kind: 1,
  startTimeUnixNano: nanos(span.startMs),
  endTimeUnixNano: nanos(span.endMs),
  attributes: attributesOf(span.attributes),
  status: span.error === null ? {} : { code: 2, message: span.error },
})

const nanos = (ms: number): string => `${Math.round(ms * 1_000)}000`

const attributesOf = (attributes: TraceSpan['attributes']): readonly object[] =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: valueOf(value) }))

function valueOf(value: string | number | boolean): object {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}
