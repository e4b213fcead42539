import type { Variables } from '../../adapters/process/clean-environment.ts'
import type { Subscription } from '../publisher.ts'

/** Sends traces of the sessions that run here, where a collector is named. Gives back what sends the rest. */
export async function traceApp(env: Variables, { subscribe }: Subscription): Promise<() => Promise<void>> {
  if (!env['OTEL_EXPORTER_OTLP_ENDPOINT'] && !env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT']) return async () => {}
  const { createSpanExporter } = await import('./otlp-exporter.ts')
  const { traceSessions } = await import('./trace-sessions.ts')
  const exporter = createSpanExporter(env)
  if (!exporter) return async () => {}
  subscribe(traceSessions(exporter.add))
  return exporter.flush
}
