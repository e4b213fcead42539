import type { Variables } from '../process/clean-environment.ts'
import type { FixEvent } from '../../model/session/event.ts'
import type { ReadEvents } from './session-spans.ts'

/** Where a session's events can be listened to, and read again. */
export interface TracedEvents {
  readonly subscribe: (listener: (event: FixEvent) => void) => unknown
  readonly readEvents: ReadEvents
}

/** Sends traces of the sessions that run here, where a collector is named. Returns a function that sends the rest. */
export async function sendTraces(
  env: Variables,
  { subscribe, readEvents }: TracedEvents,
): Promise<() => Promise<void>> {
  if (!env['OTEL_EXPORTER_OTLP_ENDPOINT'] && !env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT']) return async () => {}
  const { createSpanExporter } = await import('./otlp-exporter.ts')
  const { traceSessions } = await import('./session-spans.ts')
  const exporter = createSpanExporter(env)
  if (!exporter) return async () => {}
  const tracer = traceSessions(exporter.add, readEvents)
  subscribe(tracer.note)
  return async () => {
    await tracer.settled()
    await exporter.flush()
  }
}
