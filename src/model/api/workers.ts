import { z } from 'zod'
import { Worker } from '../worker.ts'

/** A worker as others see it. */
export const WorkerView = Worker.extend({
  /** How long ago it was heard of; one that is silent for ten seconds is taken for dead. */
  silent_ms: z.number(),
})
export type WorkerView = z.infer<typeof WorkerView>

export const WorkerList = z.object({
  schema: z.literal('fixpoint.workers.v1'),
  workers: z.array(WorkerView).readonly(),
  /** Whether other processes can take sessions of this server: they share a PostgreSQL database. */
  shared: z.boolean(),
  /** Sessions that wait for one. */
  waiting: z.number().int(),
})
export type WorkerList = z.infer<typeof WorkerList>
