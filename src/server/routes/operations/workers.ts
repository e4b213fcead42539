import { WorkerList } from '../../../model/api/workers.ts'
import { addEndpoint, type ServerApp } from '../../http/endpoint.ts'
import type { Serving } from '../../serving/serving.ts'

export function addWorkerRoutes(app: ServerApp, { store, queue }: Pick<Serving, 'store' | 'queue'>): void {
  addEndpoint(
    app,
    {
      access: { role: 'viewer', reach: 'home' },
      method: 'get',
      path: '/api/workers',
      summary: 'Who drives sessions, and how many sessions wait',
      answers: WorkerList,
    },
    async (): Promise<WorkerList> => ({
      schema: 'fixpoint.workers.v1',
      workers: (await store.workers.list()).map(({ worker, silentMs }) => ({
        ...worker,
        silent_ms: Math.round(silentMs),
      })),
      shared: store.isOwnerAlive !== null,
      waiting: await queue.depth('sessions'),
    }),
  )
}
