import type { Serving } from '../serving/serving.ts'
import { Health } from '../../model/api/system.ts'
import { addEndpoint, type ServerApp } from '../http/endpoint.ts'
import type { Metrics } from './metrics.ts'

export interface HealthParts {
  readonly version: string
  readonly metrics: Metrics
  readonly isStopping: () => boolean
}

export function addHealthRoutes(
  app: ServerApp,
  serving: Serving,
  { version, metrics, isStopping }: HealthParts,
): void {
  addEndpoint(
    app,
    { method: 'get', path: '/healthz', summary: 'Whether the server lives', answers: Health },
    async () => ({ status: 'ok', version }),
  )
  addEndpoint(
    app,
    { method: 'get', path: '/readyz', summary: 'Whether it can take requests', answers: Health },
    async ({ context }) => {
      if (isStopping()) return context.json({ status: 'unavailable', version }, 503)
      await serving.store.repositories.list()
      return { status: 'ok', version }
    },
  )
  addEndpoint(
    app,
    { method: 'get', path: '/metrics', summary: 'Figures for Prometheus', answers: { text: ['text/plain'] } },
    async () =>
      new Response(await metrics.format(), {
        headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' },
      }),
  )
}
