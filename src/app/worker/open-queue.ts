import { createInProcessQueue } from '../../adapters/queue/in-process-queue.ts'
import type { Variables } from '../../adapters/process/clean-environment.ts'
import type { Queue } from '../../loop/ports.ts'
import { openHome } from '../home.ts'
import { findDatabase } from '../open-store.ts'

export interface QueueRequest {
  readonly env: Variables
  readonly onError: (error: unknown) => void
}

/** The queue that goes with the database: shared by all processes of a PostgreSQL one, else of this process alone. */
export async function openQueue({ env, onError }: QueueRequest): Promise<Queue> {
  const place = findDatabase(openHome(env), env)
  if ('file' in place) return createInProcessQueue({ onError })
  // Loaded only where it is used, like the driver of the database.
  const { openPgBossQueue } = await import('../../adapters/queue/pg-boss-queue.ts')
  return openPgBossQueue({ url: place.url, onError })
}
