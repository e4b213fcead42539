import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { createSlots } from '../../src/loop/context/slots.ts'
import { kindOfStep } from '../fixtures/recovery/crash-points.ts'
import { openCrashStage, type CrashScene, type Ended } from '../fixtures/recovery/crash-scene.ts'
import { canary } from '../fixtures/recovery/five-issues.ts'
import { digestOf, findViolations, landedOn } from '../fixtures/recovery/invariants.ts'
import { filesBelow } from '../fixtures/recovery/read-state.ts'

const timeoutMs = 30 * 60_000
const never = new AbortController().signal
/** One place more than two processors, which would wait while a place is checked. */
const placeCount = 3

const stage = await openCrashStage()
afterAll(() => stage.dispose())
const calmScene = await stage.makeScene()
const calm = await calmScene.run('fix')
if (!calm) throw new Error('the uncrashed run was killed')

interface Survived {
  readonly outcomes: string
  readonly landed: readonly string[]
  /** The names of the files that are kept of the session beside the database. */
  readonly kept: readonly string[]
  readonly violations: readonly string[]
}

function judge({ place, own }: CrashScene, { result }: Ended): Survived {
  const outcomes = result.results.map(({ issue_code, outcome }) => `${issue_code} ${outcome}`)
  return {
    outcomes: [result.status, ...outcomes].join(', '),
    landed: landedOn(place, result.base_commit, result.branch_name),
    kept: filesBelow(join(place.home, 'artifacts', result.session_id)),
    violations: findViolations(place, { own, canaries: [canary] }),
  }
}

/** The result that every other run must equal. */
const asCalm = judge(calmScene, calm)

describe('a session of five issues that is not killed', () => {
  it('fixes four and refuses one, and no invariant is violated', () => {
    const outcomes = calm.result.results.map(({ outcome }) => outcome)
    expect(outcomes.toSorted()).toEqual(['fixed', 'fixed', 'fixed', 'fixed', 'refused'])
    expect(asCalm.landed).toHaveLength(4)
    expect(asCalm.kept).toContain('master_todo.json')
    expect(asCalm.violations).toEqual([])
  })

  it('is not changed by resuming it, once or twice', async () => {
    const once = digestOf(calmScene.place)
    await calmScene.run('resume')
    await calmScene.run('resume')
    expect(digestOf(calmScene.place)).toBe(once)
  })
})

/**
 * Kills the session at one step after the other, and resumes it each time; then resumes it to the end. A step that the session
 * has already passed is met in a session of its own.
 */
async function surviveCrashes(
  scene: CrashScene,
  [first = '', ...later]: readonly string[],
): Promise<readonly Survived[]> {
  await crash(scene, first)
  for (const [index, at] of later.entries()) {
    const over = await scene.run('resume', at)
    if (over) return [judge(scene, over), ...(await surviveCrashes(scene, later.slice(index)))]
  }
  const ended = await scene.run('resume')
  if (!ended) throw new Error('it was killed, and nobody did')
  return [judge(scene, ended)]
}

const tries = 3

/** The issues that land together depend on timing, so a step may be missing in some runs. */
async function crash(scene: CrashScene, at: string): Promise<void> {
  for (let count = 0; count < tries; count += 1) {
    await scene.reset()
    if ((await scene.run('fix', at)) === null) return
  }
  throw new Error(`${tries} sessions never came to ${at}`)
}

const scenes = await Promise.all(Array.from({ length: placeCount }, () => stage.makeScene()))
const slots = createSlots(placeCount)

function withScene<T>(work: (scene: CrashScene) => Promise<T>): Promise<T | null> {
  return slots.run(never, async () => {
    const scene = scenes.pop()
    if (!scene) throw new Error('there are fewer scenes than places')
    try {
      return await work(scene)
    } finally {
      scenes.push(scene)
    }
  })
}

const isEveryStep = process.env['FIXPOINT_CRASH_POINTS'] === 'all'

/** Every step; or one of each kind, where all would take too long, because attempts and landings all take the same steps. */
function chosen(steps: Ended['steps']): Ended['steps'] {
  if (isEveryStep) return steps
  // The attempts take turns, so that each is killed somewhere.
  const kinds = Map.groupBy(steps, ({ name }) => kindOfStep(name))
  const first = [...kinds.values()].map((alike, index) => alike[index % alike.length])
  return steps.filter((step) => first.includes(step))
}

interface Point {
  readonly at: string
  readonly moments: string
}

// Nothing happens between some steps and the next: one kill then stands for "after the first" and "before the second".
const points: readonly Point[] = chosen(calm.steps)
  .flatMap(({ name, follows }) => [
    ...(follows ? [] : [{ name, moment: 'before' }]),
    { name, moment: 'after' },
  ])
  .map(({ name, moment }) => {
    const next = calm.steps.find(({ follows }) => follows === name)
    const moments =
      moment === 'after' && next ? `after "${name}", before "${next.name}"` : `${moment} "${name}"`
    return { at: `${name}:${moment}`, moments }
  })

/** How many steps of a resumed session are tried: those of taking over, of a landing, and of the first attempts. */
const resumedSteps = 9

/** Pairs each point with a step of the resumed session. */
const resumedOnce = (): readonly (readonly Point[])[] =>
  points.map((point, index) => {
    const at = `${(index % resumedSteps) + 1}:${index % 2 === 0 ? 'before' : 'after'}`
    return [point, { at, moments: `while resuming (${at})` }]
  })

/** Puts three points, far from each other, into one session, so that it reaches all of them in a third of the time. */
function sharedSessions(): readonly (readonly Point[])[] {
  const count = Math.ceil(points.length / 3)
  return Array.from({ length: count }, (_, first) =>
    points.filter((_point, index) => index % count === first),
  )
}

describe.concurrent('killed with -9', { timeout: timeoutMs }, () => {
  for (const kills of isEveryStep ? resumedOnce() : sharedSessions())
    it(`${kills.map(({ moments }) => moments).join(', then ')}, it ends with the same trees, messages and outcomes`, async () => {
      const survived = await withScene((scene) =>
        surviveCrashes(
          scene,
          kills.map(({ at }) => at),
        ),
      )
      for (const each of survived ?? []) expect(each).toEqual(asCalm)
      expect(survived).not.toHaveLength(0)
    })
})
