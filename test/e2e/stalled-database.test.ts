import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { migrateDatabase } from '../../src/app/open-store.ts'
import { startPostgres, type PostgresServer } from '../fixtures/postgres.ts'
import { makeFolder } from '../fixtures/repositories.ts'
import { startTestWorker, type TestWorker } from '../fixtures/shared-scene.ts'
import { startTcpProxy, type TcpProxy } from '../fixtures/tcp-proxy.ts'

let postgres: PostgresServer
let link: TcpProxy
let place: ReturnType<typeof makeFolder>
let worker: TestWorker

beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(async () => {
  await postgres?.stop()
})
beforeEach(async () => {
  place = makeFolder()
  link = await startTcpProxy(postgres.port)
  const url = (await postgres.createDatabase()).replace(`:${postgres.port}/`, `:${link.port}/`)
  const env = { PATH: process.env['PATH'] ?? '', FIXPOINT_HOME: place.folder, FIXPOINT_DATABASE: url }
  await migrateDatabase(env)
  worker = await startTestWorker(place.folder, env, ['--grace', '1s'])
})
afterEach(async () => {
  await worker.end('SIGKILL')
  link.close()
  place.dispose()
})

it('a worker that drains leaves all the same when its database never answers, and says what it waited for', async () => {
  link.stall()
  expect(await worker.end()).toBe(75)
  expect(worker.log()).toMatch(/"waits_for":"[^"]+".*leaves without having drained/)
})

it('a worker that drains ends at once when its database is gone', async () => {
  link.cut()
  expect(await worker.end()).toBe(0)
  expect(worker.log()).not.toContain('leaves without')
})
