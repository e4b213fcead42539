import type { Serving } from '../../serving/serving.ts'
import { Health } from '../../../model/api/system.ts'
import { asFault } from '../../../model/fault.ts'
import { addEndpoint, type ServerApp } from '../../http/endpoint.ts'
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
    {
      access: 'anyone',
      method: 'get',
      path: '/healthz',
      summary: 'Whether the server lives',
      answers: Health,
    },
    async () => ({ status: 'ok', version }),
  )
  addEndpoint(
    app,
    {
      access: 'anyone',
      method: 'get',
      path: '/readyz',
      summary: 'Whether it can take requests',
      answers: Health,
      others: [{ status: 503, when: 'what is missing', schema: Health }],
    },
    async ({ context }) => {
      const missing = isStopping() ? ['the server is stopping'] : await findMissing(serving)
      const status = missing.length === 0 ? 'ok' : 'unavailable'
      return context.json({ status, version, missing } satisfies Health, missing.length === 0 ? 200 : 503)
    },
  )
  addEndpoint(
    app,
    {
      access: { role: 'viewer', reach: 'home' },
      method: 'get',
      path: '/metrics',
      summary: 'Figures for Prometheus',
      answers: { text: ['text/plain'] },
    },
    async () =>
      new Response(await metrics.format(), {
        headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' },
      }),
  )
}

/** A worker that was not heard of for so long drives nothing any more. */
const silentMs = 10_000

/** What keeps sessions from being started and driven, in words. */
async function findMissing({ store, queue, artifacts, works }: Serving): Promise<readonly string[]> {
  const tried: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['the database', () => store.repositories.list()],
    ['the queue', () => queue.depth('sessions')],
    ['the artifacts', () => artifacts.reach()],
  ]
  const missing: string[] = []
  for (const [what, use] of tried)
    await use().catch((error: unknown) => missing.push(`${what}: ${asFault(error).message}`))
  if (missing.length > 0 || works) return missing
  const isAlive = (await store.workers.list()).some((seen) => seen.silentMs < silentMs)
  return isAlive ? [] : ['a worker: none was heard of in the last 10 seconds, so that sessions wait']
}
