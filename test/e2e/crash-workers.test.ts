import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { afterAll, describe, expect, it } from 'vitest'
import { beginSession } from '../../src/app/fix/fix-issues.ts'
import { chooseIssues } from '../../src/app/fix/choose-issues.ts'
import { openApp } from '../../src/app/open-app.ts'
import { copyStore, migrateDatabase, openStore } from '../../src/app/open-store.ts'
import { importFindings } from '../../src/app/review/import-findings.ts'
import type { Store } from '../../src/adapters/store/index.ts'
import { createSlots } from '../../src/loop/context/slots.ts'
import type { SessionId } from '../../src/model/id.ts'
import { envOf, fixpointIn } from '../fixtures/command-line.ts'
import { startPostgres } from '../fixtures/postgres.ts'
import { bundleProgram } from '../fixtures/recovery/crash-scene.ts'
import { canary, makeFiveIssues, type FiveIssues } from '../fixtures/recovery/five-issues.ts'
import { findViolations, landedOn } from '../fixtures/recovery/invariants.ts'
import { readOwn, readRows } from '../fixtures/recovery/read-state.ts'

const timeoutMs = 20 * 60_000
/** Long enough for a machine that does a lot besides; a worker that waits for ever fails the test. */
const patienceMs = 240_000
const never = new AbortController().signal

const folder = mkdtempSync(join(tmpdir(), 'fixpoint-crashing-workers-'))
const program = await bundleProgram(join(folder, 'program'), 'crashing-worker')
const postgres = await startPostgres()
const template = await postgres.createDatabase()
await migrateDatabase({ FIXPOINT_HOME: folder, FIXPOINT_DATABASE: template })
afterAll(async () => {
  await postgres.stop()
  rmSync(folder, { recursive: true, force: true })
})

type Role = 'sessions' | 'attempts'

interface Scene {
  readonly repository: FiveIssues
  readonly env: Readonly<Record<string, string>>
  readonly own: Readonly<Record<string, string>>
  readonly sessionId: SessionId
  readonly processes: Set<ChildProcess>
}

/** A repository whose session waits in the queue. */
async function makeScene(): Promise<Scene> {
  const repository = makeFiveIssues()
  const own = readOwn(repository)
  const env = envOf(repository, {
    FIXPOINT_DATABASE: await postgres.createDatabase(template),
    NODE_COMPILE_CACHE: join(folder, 'compiled'),
  })
  expect(fixpointIn(repository.root, env, ['trust', '--yes']).exitCode).toBe(0)
  const app = await openApp({ cwd: repository.root, env })
  await importFindings(app, { file: repository.findings, format: null, stdin: process.stdin })
  const { stored } = await beginSession(app, { issues: await chooseIssues(app, { all: true }) }, null)
  await app.close()
  return { repository, env, own, sessionId: stored.session.id, processes: new Set() }
}

async function startWorker(
  { repository, env, processes }: Scene,
  role: Role,
  point: string,
): Promise<ChildProcess> {
  const child = spawn(process.execPath, [program, role, point], {
    cwd: repository.root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  processes.add(child)
  child.once('exit', () => processes.delete(child))
  child.stderr.resume()
  await once(createInterface({ input: child.stdout }), 'line')
  return child
}

/** Keeps one worker of a role at work until the session is over: each is killed at the next point, and the last one at none. */
async function keepWorking(
  scene: Scene,
  role: Role,
  { points, over }: { readonly points: readonly string[]; readonly over: Promise<unknown> },
): Promise<void> {
  const [point = '', ...later] = points
  const worker = await startWorker(scene, role, point)
  if (point === '') return
  const ended = once(worker, 'exit').then(([, signal]: readonly unknown[]) => signal)
  expect([point, await Promise.race([ended, over])]).toEqual([point, 'SIGKILL'])
  await keepWorking(scene, role, { points: later, over })
}

/** The status of the session once nobody goes on with it. */
async function untilOver({ sessionId }: Scene, { sessions }: Pick<Store, 'sessions'>): Promise<string> {
  const deadline = Date.now() + patienceMs
  for (;;) {
    const status = (await sessions.load(sessionId))?.session.status ?? 'gone'
    if (/completed|partial|failed|parked|gone/.test(status)) return status
    if (Date.now() > deadline) return `still ${status}`
    await setTimeout(100)
  }
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<unknown> {
  const exited = once(child, 'exit')
  child.kill(signal)
  return (await exited)[0]
}

type Kills = Readonly<Record<Role, readonly string[]>>

/** What came of the session, in a form that does not depend on which processes were killed. */
async function survive(kills: Kills) {
  const scene = await makeScene()
  const { repository, env, own, processes } = scene
  const store = await openStore(repository.home, env)
  try {
    const over = untilOver(scene, store)
    const roles = ['sessions', 'attempts'] as const
    await Promise.all(roles.map((role) => keepWorking(scene, role, { points: kills[role], over })))
    await over
    expect(await Promise.all([...processes].map((one) => end(one, 'SIGTERM')))).toEqual([0, 0])
    const place = { root: repository.root, home: repository.home, env }
    await copyStore(env, join(repository.home, 'fixpoint.db'))
    const { issues, sessions, attempts } = readRows(place)
    const [session] = sessions
    return {
      status: session?.status,
      issues: issues.map((issue) => `${issue.code} ${issue.status}`),
      attempts: attempts.map(({ stage }) => stage),
      landed: landedOn(place, session?.base.commit ?? '', session?.branch ?? ''),
      violations: findViolations(place, { own, canaries: [canary] }),
    }
  } finally {
    await Promise.all([...processes].map((one) => end(one, 'SIGKILL')))
    await store.close()
    repository.dispose()
  }
}

const around = (name: string): readonly string[] => [`${name}:before`, `${name}:after`]
const landing = ['fix_landing_started', 'move', 'note', 'fix_landing_result']
const stages = ['fixing', 'inspecting', 'verifying', 'challenging', 'accepted']
/** In the order in which a session comes to them. */
const points: Kills = {
  sessions: [...['take', 'lease offer', ...landing].flatMap(around), 'fix_session_completed:before'],
  attempts: ['lease take', ...stages, 'lease change'].flatMap(around),
}

/** One kill per session; or several that are far from each other, where one by one would take too long. */
function chosen(): readonly Kills[] {
  if (process.env['FIXPOINT_CRASH_POINTS'] === 'all')
    return [
      ...points.sessions.map((at) => ({ sessions: [at], attempts: [] })),
      ...points.attempts.map((at) => ({ sessions: [], attempts: [at] })),
    ]
  const count = 4
  const everyFourth = (all: readonly string[], first: number) =>
    all.filter((_at, index) => index % count === first)
  return Array.from({ length: count }, (_, first) => ({
    sessions: everyFourth(points.sessions, first),
    attempts: everyFourth(points.attempts, first),
  }))
}

const calm = await survive({ sessions: [], attempts: [] })
/** Sessions mostly wait for their processes. */
const slots = createSlots(2)

describe.concurrent('with a PostgreSQL database', { timeout: timeoutMs }, () => {
  it('a driver and a worker that are not killed fix four issues and refuse one', () => {
    expect(calm).toMatchObject({ status: 'partial', violations: [] })
    expect(calm.landed).toHaveLength(4)
  })

  for (const kills of chosen())
    it(`a driver killed with -9 at ${kills.sessions.join(', ') || 'nothing'} and a worker killed at ${kills.attempts.join(', ') || 'nothing'} end with the same trees, messages and outcomes`, async () => {
      expect(await slots.run(never, () => survive(kills))).toEqual(calm)
    })
})
