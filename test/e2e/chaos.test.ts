import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterEach, expect, it } from 'vitest'
import { copyStore } from '../../src/app/open-store.ts'
import type { StartOutcome } from '../../src/model/api/fix.ts'
import type { IssueList } from '../../src/model/api/issues.ts'
import { startPostgres, type PostgresServer } from '../fixtures/postgres.ts'
import { findViolations } from '../fixtures/recovery/invariants.ts'
import { readOwn, readRows } from '../fixtures/recovery/read-state.ts'
import type { TestServer } from '../fixtures/server.ts'
import { makeSharedScene, type SharedScene, type TestWorker } from '../fixtures/shared-scene.ts'

/** How many blows there are; more of them with FIXPOINT_BLOWS. */
const blows = Number(process.env['FIXPOINT_BLOWS'] ?? 4)
const seed = Number(process.env['FIXPOINT_SEED'] ?? Date.now() % 100_000)
/** Longer than the lease of a process, so that others go on with what a frozen one had. */
const frozenMs = 12_000

let postgres: PostgresServer
let scene: SharedScene
afterEach(async () => {
  await scene?.dispose()
  await postgres?.stop()
})

/** The same numbers for the same seed. */
function createDice(start: number): (sides: number) => number {
  let state = start
  return (sides) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * sides)
  }
}

/** A session for each issue, so that several workers have something to do. */
async function startSessions(server: TestServer): Promise<readonly string[]> {
  const [repository] = (await server.client.repositories()).repositories
  const repository_id = repository?.id ?? ''
  const report = readFileSync(scene.repository.findings, 'utf8')
  await server.ask('/api/findings/import', { method: 'POST', body: report })
  const { issues } = (await server.ask(`/api/fix/issues/${repository_id}`)).json<IssueList>()
  const ids: string[] = []
  for (const { id } of issues) {
    const body = JSON.stringify({ repository_id, issue_ids: [id] })
    const headers = { accept: 'application/json' }
    const answer = await server.ask('/api/fix/start', { method: 'POST', headers, body })
    expect(answer.status).toBe(202)
    ids.push(answer.json<StartOutcome>().session_id)
  }
  return ids
}

async function strike(workers: TestWorker[], dice: (sides: number) => number): Promise<void> {
  const index = dice(workers.length)
  const worker = workers[index]
  if (!worker) return
  const kind = dice(3)
  if (kind === 0) {
    await worker.end('SIGKILL')
    workers[index] = await scene.startWorker()
  } else if (kind === 1) {
    worker.process.kill('SIGSTOP')
    void setTimeout(frozenMs).then(() => worker.process.kill('SIGCONT'))
  } else await postgres.crashAndRestart()
  await setTimeout(dice(3_000))
}

it(
  `every issue ends in exactly one place, whatever happens to workers and database (seed ${seed})`,
  {
    timeout: 1_800_000,
  },
  async () => {
    postgres = await startPostgres()
    scene = await makeSharedScene(postgres)
    const own = readOwn(scene.repository)
    const server = await scene.serve('--no-work')
    const ids = await startSessions(server)
    const workers = [await scene.startWorker(), await scene.startWorker(), await scene.startWorker()]
    const dice = createDice(seed)
    for (let count = 0; count < blows; count += 1) {
      if (count === Math.floor(blows / 2)) scene.letAgentsGo()
      await strike(workers, dice)
    }
    scene.letAgentsGo()
    const statusOf = async (id: string): Promise<string> =>
      (await server.ask(`/api/sessions/${id}`)).json<{ status: string }>().status
    const patience = { timeout: 600_000, interval: 500 }
    await expect
      .poll(async () => (await Promise.all(ids.map(statusOf))).toSorted(), patience)
      .toEqual(['completed', 'completed', 'completed', 'completed', 'failed'])
    for (const worker of workers) worker.process.kill('SIGCONT')
    await Promise.all(workers.map((worker) => worker.end()))
    await server.end()
    const place = { root: scene.repository.root, home: scene.repository.home, env: scene.env }
    await copyStore(scene.env, join(place.home, 'fixpoint.db'))
    expect(readRows(place).issues.filter(({ status }) => status === 'resolved')).toHaveLength(4)
    expect(findViolations(place, { own }).join('\n')).toBe('')
  },
)
