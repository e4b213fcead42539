import { preparePgBoss } from '../src/adapters/queue/pg-boss-queue.ts'
import { migratePostgres } from '../src/adapters/store/postgres/open-postgres-store.ts'
import { startPostgres } from '../test/fixtures/postgres.ts'

/** Lends the address of an empty database whose tables are up to date; its server waits for the disk, as one in use does. */
export async function withPostgres<Result>(use: (url: string) => Promise<Result>): Promise<Result> {
  const server = await startPostgres(null, 'on')
  try {
    const url = await server.createDatabase()
    await migratePostgres(url)
    await preparePgBoss(url)
    return await use(url)
  } finally {
    await server.stop()
  }
}
