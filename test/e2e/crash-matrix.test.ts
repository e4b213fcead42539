import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { createSlots } from '../../src/loop/session/slots.ts'
import { canary, makeFiveIssues, type FiveIssues } from '../fixtures/recovery/five-issues.ts'
import { digestOf, findViolations, landedOn } from '../fixtures/recovery/invariants.ts'
import { readOwn, type Place } from '../fixtures/recovery/read-state.ts'

const program = join(import.meta.dirname, '../fixtures/recovery/crashing-fix.ts')
const cache = mkdtempSync(join(tmpdir(), 'fixpoint-compiled-'))
const timeoutMs = 30 * 60_000
const never = new AbortController().signal
/** Two sessions at a time are what two processors can bear. */
const slots = createSlots(2)

interface Scene {
  readonly scene: FiveIssues
  readonly place: Place
  readonly own: Readonly<Record<string, string>>
}

interface Ended {
  readonly steps: readonly string[]
  readonly result: {
    readonly session_id: string
    readonly status: string
    readonly base_commit: string
    readonly branch_name: string
    readonly results: readonly { readonly issue_code: string; readonly outcome: string }[]
  }
}

function setScene(): Scene {
  const scene = makeFiveIssues()
  const TMPDIR = join(scene.folder, 'temporary')
  mkdirSync(TMPDIR)
  const env = { ...scene.env, TMPDIR, FIXPOINT_HOME: scene.home, NODE_COMPILE_CACHE: cache }
  return { scene, place: { root: scene.root, home: scene.home, env }, own: readOwn(scene) }
}

/** Null when it was killed, as it was told to be. */
async function run({ scene, place }: Scene, work: 'fix' | 'resume', crashAt = ''): Promise<Ended | null> {
  const args = [program, scene.root, work, scene.findings, crashAt]
  try {
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: scene.root, env: place.env })
    return JSON.parse(stdout) as Ended
  } catch (error) {
    if (error instanceof Error && 'signal' in error && error.signal === 'SIGKILL') return null
    throw error
  }
}

const outcomesOf = ({ result }: Ended): string =>
  [result.status, ...result.results.map(({ issue_code, outcome }) => `${issue_code} ${outcome}`)].join(', ')

const calmScene = setScene()
const calm = await run(calmScene, 'fix')
if (!calm) throw new Error('the uncrashed run was killed')
const calmLanded = landedOn(calmScene.place, calm.result.base_commit, calm.result.branch_name)

afterAll(() => {
  calmScene.scene.dispose()
  rmSync(cache, { recursive: true, force: true })
})

interface Survived {
  readonly outcomes: string
  readonly landed: readonly string[]
  readonly violations: readonly string[]
}

/** Kills at each point in turn and resumes to the end. */
async function surviveCrashes(...at: readonly string[]): Promise<Survived> {
  const set = setScene()
  try {
    let ended: Ended | null = null
    for (const [index, point] of [...at, ''].entries())
      ended ??= await run(set, index === 0 ? 'fix' : 'resume', point)
    if (!ended) throw new Error('the last resume was killed')
    return {
      outcomes: outcomesOf(ended),
      landed: landedOn(set.place, ended.result.base_commit, ended.result.branch_name),
      violations: findViolations(set.place, { own: set.own, canaries: [canary] }),
    }
  } finally {
    set.scene.dispose()
  }
}

/** What every other run is held against. */
const asCalm: Survived = { outcomes: outcomesOf(calm), landed: calmLanded, violations: [] }

// Every step with FIXPOINT_WHOLE_MATRIX=1; else every fourth or so, which is two minutes less.
const stride = process.env['FIXPOINT_WHOLE_MATRIX'] === '1' ? 1 : 8
const allPoints = calm.steps.map((name, index) => ({
  name,
  step: index + 1,
  // Before one step is after the other, but for what happens between them: alternating sees both.
  moment: index % 2 === 0 ? 'after' : 'before',
}))
const points = allPoints.filter(
  ({ step }) => stride === 1 || step % stride === 3 || step % (stride * 2) === 0,
)

describe('a session of five issues that is not killed', () => {
  it('fixes four and refuses one, and no invariant is violated', () => {
    const outcomes = calm.result.results.map(({ outcome }) => outcome)
    expect(outcomes.toSorted()).toEqual(['fixed', 'fixed', 'fixed', 'fixed', 'refused'])
    expect(findViolations(calmScene.place, { own: calmScene.own, canaries: [canary] })).toEqual([])
  })

  it('is not changed by resuming it, once or twice', async () => {
    const once = digestOf(calmScene.place)
    await run(calmScene, 'resume')
    await run(calmScene, 'resume')
    expect(digestOf(calmScene.place)).toBe(once)
  })
})

describe.concurrent('killed with -9', { timeout: timeoutMs }, () => {
  it.each(points)(
    '$moment step $step ($name), and resumed: the same trees, messages and outcomes',
    async ({ step, moment }) => {
      expect(await slots.run(never, () => surviveCrashes(`${step}:${moment}`))).toEqual(asCalm)
    },
  )

  const pairs = points
    .filter(({ step }) => step % (7 * stride) === 3)
    .map((point) => ({ ...point, next: (point.step % 9) + 2 }))
  it.each(pairs)(
    '$moment step $step, and twice while resuming, around step $next',
    async ({ step, moment, next }) => {
      const at = [`${step}:${moment}`, `${next}:after`, `${next + 1}:before`]
      expect(await slots.run(never, () => surviveCrashes(...at))).toEqual(asCalm)
    },
  )
})
