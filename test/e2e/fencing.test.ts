import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { createRunMark } from '../../src/adapters/process/run-mark.ts'
import { cancelAnywhere } from '../../src/app/fix/cancel-session.ts'
import { resumeSession } from '../../src/app/fix/resume-session.ts'
import { openApp, type App } from '../../src/app/open-app.ts'
import { recover } from '../../src/app/recover.ts'
import { runSession } from '../../src/loop/session/run-session.ts'
import { envOf } from '../fixtures/command-line.ts'
import { makeFiveIssues, type FiveIssues } from '../fixtures/recovery/five-issues.ts'
import { digestOf, findViolations, landedOn } from '../fixtures/recovery/invariants.ts'
import { readOwn, readRows } from '../fixtures/recovery/read-state.ts'
import { startNode, type Started } from '../fixtures/recovery/started.ts'

const program = join(import.meta.dirname, '../fixtures/recovery/crashing-fix.ts')
const patience = { timeout: 300_000, interval: 50 }
const never = new AbortController().signal
const signals = { stopStarting: never, endNow: never }

let scene: FiveIssues
let app: App
let started: Started
afterEach(async () => {
  started.child.kill('SIGKILL')
  await app.close()
  scene.dispose()
})

/** Starts a session whose process stops itself, as if its machine slept, and opens another Fixpoint beside it. */
async function stopAt(point: string) {
  scene = makeFiveIssues()
  const own = readOwn(scene)
  started = startNode(scene, [program, scene.root, 'fix', scene.findings, `${point}:SIGSTOP`])
  await expect.poll(() => stateOf(started.child.pid ?? 0), patience).toBe('T')
  app = await openApp({ cwd: scene.root, env: envOf(scene) })
  return { own, place: { root: scene.root, home: scene.home, env: envOf(scene) } }
}

const stateOf = (pid: number): string =>
  / \(.*\) (\w)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1] ?? ''

it.each(['move:before', 'move:after', '30:before'])(
  'a process that was stopped (%s) and wakes up after another took its session over cannot write',
  { timeout: 600_000 },
  async (point) => {
    const { own, place } = await stopAt(point)
    const session = (await app.store.sessions.list(app.repository.id, 1))[0]
    if (!session?.owner) throw new Error('the session has no owner')
    // A stopped process is not dead, so nobody can take its session by asking for it.
    await expect(resumeSession(app, session.id, signals)).rejects.toMatchObject({ code: 'busy' })

    const taken = await app.store.sessions.take(session.id, {
      expectedOwner: session.owner,
      owner: createRunMark(scene.home),
    })
    const ended = await runSession(taken, await app.ports(), signals)
    expect(ended.session.status).toBe('partial')
    const landed = landedOn(place, session.base.commit, ended.session.branch ?? '')
    expect(landed).toHaveLength(4)
    const digest = digestOf(place)

    started.child.kill('SIGCONT')
    const { exitCode, told } = await started.ended
    expect([exitCode, told]).toEqual([
      1,
      expect.stringMatching(/released or ended by another process|taken over/),
    ])
    expect(digestOf(place)).toBe(digest)
    expect(readRows(place).sessions.map(({ owner }) => owner)).toEqual([null])
    await recover(app)
    expect(findViolations(place, { own }).join('\n')).toBe('')
  },
)

it.each(['move:before', 'move:after', 'note:after'])(
  'a session that was killed in its landing (%s) and is cancelled has fixed what is on its branch, and nothing else',
  { timeout: 600_000 },
  async (point) => {
    scene = makeFiveIssues()
    const place = { root: scene.root, home: scene.home, env: envOf(scene) }
    const own = readOwn(scene)
    started = startNode(scene, [program, scene.root, 'fix', scene.findings, point])
    await started.ended
    app = await openApp({ cwd: scene.root, env: envOf(scene) })
    const [session] = readRows(place).sessions
    if (!session) throw new Error('there is no session')
    const { result } = await cancelAnywhere(app, session.id)
    expect([result.status, result.issues_fixed > 0]).toEqual(['cancelled', true])
    expect(landedOn(place, session.base.commit, session.branch)).toHaveLength(result.issues_fixed)
    await recover(app)
    expect(findViolations(place, { own }).join('\n')).toBe('')
  },
)
