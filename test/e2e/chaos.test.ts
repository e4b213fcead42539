import { readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { afterEach, expect, it } from 'vitest'
import type { StartOutcome } from '../../src/model/api/fix.ts'
import type { IssueList } from '../../src/model/api/issues.ts'
import type { ReviewList, ReviewOutcome, ReviewView } from '../../src/model/api/repositories.ts'
import { makeChaosScene, type ChaosScene } from '../fixtures/chaos-scene.ts'
import { slowness } from '../fixtures/slowness.ts'
import { startTestServer, type TestServer } from '../fixtures/server.ts'
import { startTestWorker, type TestWorker } from '../fixtures/shared-scene.ts'

const numberOf = (name: string, otherwise: number): number => Number(process.env[name] ?? otherwise)

/** The number of blows and the size of the scene: every kind once, for CI; `npm run test:chaos` sets more of all. */
const blows = numberOf('FIXPOINT_BLOWS', 7)
const repositories = numberOf('FIXPOINT_REPOSITORIES', 3)
const issuesEach = numberOf('FIXPOINT_ISSUES', 6)
const issuesPerSession = numberOf('FIXPOINT_SESSION_ISSUES', 3)
const seed = numberOf('FIXPOINT_SEED', 7)
/** How long a blow and the calm after it may last, compared with a long run. */
const length = blows > 7 ? 1 : 1 / 3
/** Nothing is written for so long only when everything stands still: a busy machine is slow, and goes on. */
const stillMs = 300_000
/** Longer than the lease of a process, so that others take over the work of a frozen one. */
const frozenMs = 12_000

let scene: ChaosScene
let server: TestServer
const workers: TestWorker[] = []
afterEach(async () => {
  scene?.link.mend()
  await Promise.all([...workers.splice(0), server].map((one) => one?.end('SIGKILL')))
  await scene?.dispose()
})

/** Makes random numbers that are the same for the same seed. */
function createDice(start: number): (sides: number) => number {
  let state = start
  return (sides) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * sides)
  }
}

const root = (): string => scene.repositories[0]?.root ?? ''
const startServer = (port = 0): Promise<TestServer> =>
  startTestServer({ root: root(), home: scene.home, env: scene.env, args: ['--no-work'], port })
const startWorker = (): Promise<TestWorker> =>
  startTestWorker(root(), { ...scene.env, FIXPOINT_HOME: scene.home }, [])

/** Sessions of a few issues each, in every repository. */
async function startSessions(): Promise<{
  readonly ids: readonly string[]
  readonly repositoryIds: readonly string[]
}> {
  const [ids, repositoryIds]: [string[], string[]] = [[], []]
  for (const { root: path, findings } of scene.repositories) {
    const added = await server.ask('/api/repositories', {
      method: 'POST',
      body: JSON.stringify({ path, trust: true }),
    })
    const { id: repository_id } = added.json<{ id: string }>()
    repositoryIds.push(repository_id)
    const report = readFileSync(findings, 'utf8')
    await server.ask(`/api/findings/import?repository_id=${repository_id}`, { method: 'POST', body: report })
    const { issues } = (await server.ask(`/api/fix/issues/${repository_id}?limit=200`)).json<IssueList>()
    expect(issues).toHaveLength(issuesEach)
    for (let first = 0; first < issues.length; first += issuesPerSession) {
      const issue_ids = issues.slice(first, first + issuesPerSession).map(({ id }) => id)
      const answer = await server.ask('/api/fix/start', {
        method: 'POST',
        headers: { accept: 'application/json' },
        body: JSON.stringify({ repository_id, issue_ids }),
      })
      expect([answer.status, answer.text]).toEqual([202, expect.any(String)])
      ids.push(answer.json<StartOutcome>().session_id)
    }
  }
  return { ids, repositoryIds }
}

/** Asks for a review of a repository, and gives its id; null when the answer was lost or told of a database that was away. */
async function askForReview(repositoryId: string): Promise<string | null> {
  const answer = await server
    .ask('/api/reviews', {
      method: 'POST',
      headers: { prefer: 'respond-async' },
      body: JSON.stringify({ repository_id: repositoryId, paths: ['README.md'] }),
    })
    .catch(() => null)
  if (answer === null || answer.status === 503) return null
  expect([answer.status, answer.text]).toEqual([202, expect.any(String)])
  return answer.json<ReviewOutcome>().review_id
}

/** All reviews that anybody was asked for, also those whose asker was not answered. */
async function reviewsOf(repositoryIds: readonly string[]): Promise<readonly ReviewView[]> {
  const lists = repositoryIds.map((id) => server.ask(`/api/reviews?repository_id=${id}`))
  const found = (await Promise.all(lists)).flatMap((answer) => answer.json<ReviewList>().reviews)
  return found.filter(({ kind }) => kind === 'review')
}

/** Waits as long as anything still changes, and fails with what is left when nothing does. */
async function untilNone(open: () => Promise<readonly string[]>): Promise<void> {
  let [seen, changedAt] = ['', performance.now()]
  for (;;) {
    const left = await open()
    if (left.length === 0) return
    if (left.join() !== seen) [seen, changedAt] = [left.join(), performance.now()]
    const isStill = performance.now() - changedAt > stillMs * slowness()
    expect(isStill ? left : []).toEqual([])
    await setTimeout(2_000)
  }
}

type Blow = (dice: (sides: number) => number) => Promise<void>

const kinds: readonly (readonly [string, Blow])[] = [
  [
    'a worker is killed',
    async (dice) => {
      const index = dice(workers.length)
      await workers[index]?.end('SIGKILL')
      workers[index] = await startWorker()
    },
  ],
  [
    'a worker freezes',
    async (dice) => {
      const worker = workers[dice(workers.length)]
      worker?.process.kill('SIGSTOP')
      void setTimeout(frozenMs).then(() => worker?.process.kill('SIGCONT'))
    },
  ],
  ['the database crashes', () => scene.postgres.crashAndRestart()],
  [
    'all connections are cut',
    async (dice) => {
      scene.link.cut()
      await setTimeout(length * dice(4_000))
      scene.link.mend()
    },
  ],
  [
    'all connections stall',
    async (dice) => {
      scene.link.stall()
      await setTimeout(length * dice(6_000))
      scene.link.mend()
    },
  ],
  [
    'the bucket is away',
    async (dice) => {
      await scene.bucket.cut()
      await setTimeout(length * dice(10_000))
      await scene.bucket.restore()
    },
  ],
  [
    'the server is killed',
    async () => {
      const { port } = server
      await server.end('SIGKILL')
      server = await startServer(port)
    },
  ],
]

it(
  `every issue and every review ends in exactly one place, whatever happens to workers, server, database and bucket (seed ${seed})`,
  { timeout: 4 * 3_600_000 },
  async () => {
    scene = await makeChaosScene(repositories, issuesEach)
    server = await startServer()
    const { ids, repositoryIds } = await startSessions()
    for (let count = 0; count < 3; count += 1) workers.push(await startWorker())
    const dice = createDice(seed)
    const asked: Promise<string | null>[] = []
    for (let count = 0; count < blows; count += 1) {
      // Every kind of blow comes once, and after that chance decides.
      const [name, strike] = kinds[count < kinds.length ? count : dice(kinds.length)] ?? kinds[0]!
      console.log(`blow ${count + 1} of ${blows}: ${name}`)
      asked.push(askForReview(repositoryIds[count % repositoryIds.length] ?? ''))
      await strike(dice)
      await setTimeout(length * dice(3_000))
    }
    const stateOf = async (id: string): Promise<string> =>
      server.ask(`/api/sessions/${id}`).then(
        (answer) => {
          const { status, updated_at } = answer.json<{ status: string; updated_at: string }>()
          return /^(completed|partial|failed)$/.test(status) ? '' : `${id} ${status} ${updated_at}`
        },
        () => `${id} unknown`,
      )
    await untilNone(async () => (await Promise.all(ids.map(stateOf))).filter(Boolean))
    const running = async (): Promise<readonly string[] | null> =>
      reviewsOf(repositoryIds).then(
        (reviews) => reviews.flatMap(({ id, state }) => (state === 'running' ? [id] : [])),
        () => null,
      )
    await expect.poll(running, { timeout: 300_000, interval: 1_000 }).toEqual([])
    const reviews = await reviewsOf(repositoryIds)
    console.log(`${reviews.length} reviews were begun`)
    const promised = (await Promise.all(asked)).filter((id) => id !== null)
    expect(promised).not.toEqual([])
    expect(promised.filter((id) => !reviews.some((review) => review.id === id))).toEqual([])
    expect(reviews.filter(({ state, error }) => state !== 'complete' && !error)).toEqual([])
    for (const worker of workers) worker.process.kill('SIGCONT')
    expect(await Promise.all([...workers, server].map((one) => one.end()))).toEqual([0, 0, 0, 0])
    const { problems, statuses } = await scene.violations()
    expect(problems.join('\n')).toBe('')
    expect(scene.doubles()).toEqual([])
    const broken = Math.floor((issuesEach + 1) / 5) * repositories
    const complete = reviews.filter(({ state }) => state === 'complete').map((review) => review.repository_id)
    expect(statuses).toEqual({
      resolved: repositories * issuesEach - broken,
      failed: broken,
      open: new Set(complete).size,
    })
  },
)
