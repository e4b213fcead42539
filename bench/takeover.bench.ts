import { readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import type { StartOutcome } from '../src/model/api/fix.ts'
import type { IssueList } from '../src/model/api/issues.ts'
import type { WorkerList } from '../src/model/api/workers.ts'
import { startPostgres } from '../test/fixtures/postgres.ts'
import type { TestServer } from '../test/fixtures/server.ts'
import { makeSharedScene, type SharedScene, type TestWorker } from '../test/fixtures/shared-scene.ts'
import type { Figure } from './figure.ts'

export const title =
  'Takeover: a worker goes on with the session of one that froze or was killed; a cancel reaches it'

const takeoverLimitS = 15
const cancelLimitS = 2
const patienceS = 120

/** Agents that never end keep a session with its driver until the driver freezes, dies or is told to end. */
export async function run(): Promise<readonly Figure[]> {
  const postgres = await startPostgres(null, 'on')
  const scene = await makeSharedScene(postgres)
  try {
    const server = await scene.serve('--no-work')
    const workers = [await scene.startWorker(), await scene.startWorker()]
    const id = await startSession(server, scene)
    const frozen = await driverOf(server, id, workers)
    await untilTrue(() => scene.agentRuns().length > 0)
    frozen.process.kill('SIGSTOP')
    const afterFreeze = await secondsOf(() => driverOf(server, id, without(workers, frozen)))
    const killed = await driverOf(server, id, without(workers, frozen))
    const last = await scene.startWorker()
    void killed.end('SIGKILL')
    const afterKill = await secondsOf(() => driverOf(server, id, [last]))
    const cancelled = await secondsOf(() => server.ask(`/api/sessions/${id}/cancel`, { method: 'POST' }))
    const figure = (name: string, value: number, limit: number): Figure => ({ name, value, limit, unit: 's' })
    return [
      figure('driven again after its worker froze', afterFreeze, takeoverLimitS),
      figure('driven again after its worker was killed', afterKill, takeoverLimitS),
      figure('cancelled at another process', cancelled, cancelLimitS),
    ]
  } finally {
    await scene.dispose()
    await postgres.stop()
  }
}

const without = (workers: readonly TestWorker[], one: TestWorker): readonly TestWorker[] =>
  workers.filter((worker) => worker !== one)

async function startSession(server: TestServer, { repository }: SharedScene): Promise<string> {
  const repository_id = (await server.client.repositories()).repositories[0]?.id ?? ''
  const body = readFileSync(repository.findings, 'utf8')
  await server.ask('/api/findings/import', { method: 'POST', body })
  const { issues } = (await server.ask(`/api/fix/issues/${repository_id}`)).json<IssueList>()
  const answer = await server.ask('/api/fix/start', {
    method: 'POST',
    headers: { accept: 'application/json' },
    body: JSON.stringify({ repository_id, issue_ids: issues.map(({ id }) => id) }),
  })
  return answer.json<StartOutcome>().session_id
}

/** The one of the workers that says that it drives the session, as soon as one does. */
async function driverOf(server: TestServer, id: string, workers: readonly TestWorker[]): Promise<TestWorker> {
  let found: TestWorker | undefined
  await untilTrue(async () => {
    const listed = (await server.ask('/api/workers')).json<WorkerList>().workers
    const driving = listed.filter(({ sessions }) => sessions.some((session) => session === id))
    found = workers.find(({ pid }) => driving.some((worker) => worker.pid === pid))
    return found !== undefined
  })
  if (!found) throw new Error('nobody drives the session')
  return found
}

async function untilTrue(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const endsAt = Date.now() + patienceS * 1_000
  while (!(await isTrue())) {
    if (Date.now() > endsAt) throw new Error(`it did not happen in ${patienceS} s`)
    await setTimeout(50)
  }
}

async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return (performance.now() - startedAt) / 1_000
}
