// Kills at random moments. `npm run test:kills` kills a thousand times, each time at other moments; FIXPOINT_KILLS says
// how often, and FIXPOINT_SEED repeats a run.
import { afterAll, describe, expect, it } from 'vitest'
import { openCrashStage, type CrashScene, type Ended } from '../fixtures/recovery/crash-scene.ts'
import { canary, type Strategy } from '../fixtures/recovery/five-issues.ts'
import { findViolations } from '../fixtures/recovery/invariants.ts'
import { git } from '../fixtures/recovery/read-state.ts'

const strategies: readonly Strategy[] = ['isolated', 'sequential', 'single-call']
const kills = Number(process.env['FIXPOINT_KILLS'] ?? 6)
const seed = Number(
  process.env['FIXPOINT_SEED'] ?? (process.env['FIXPOINT_KILLS'] ? Date.now() % 1_000_000 : 13),
)

const stage = await openCrashStage()
afterAll(() => stage.dispose())

/** Numbers from 0 to 1 that a seed decides (mulberry32). */
function createRandom(start: number): () => number {
  let state = start
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** The results that must be the same after any number of kills: the outcome of each issue, and the content of the branch. */
function judge({ place, own }: CrashScene, { result }: Ended) {
  const outcomes = result.results.map(({ issue_code, outcome }) => `${issue_code} ${outcome}`)
  return {
    outcomes: [result.status, ...outcomes].join(', '),
    tree: result.branch_name && git(place, 'rev-parse', `${result.branch_name}^{tree}`),
    violations: findViolations(place, { own, canaries: [canary] }),
  }
}

describe.concurrent(`killed with -9 at random (FIXPOINT_SEED=${seed})`, { timeout: 6 * 60 * 60_000 }, () => {
  it.each(strategies)('%s: nothing is lost, doubled or half-made', async (strategy) => {
    const random = createRandom(seed + strategies.indexOf(strategy))
    const scene = await stage.makeScene(strategy)
    const began = performance.now()
    const calm = await scene.run('fix')
    if (!calm) throw new Error('it was killed, and nobody did')
    const wanted = judge(scene, calm)
    expect(wanted.violations).toEqual([])
    let usualMs = performance.now() - began
    let killed = 0
    while (killed < kills / strategies.length) {
      await scene.reset()
      const moments: number[] = []
      let ended: Ended | null = null
      // Kills once, and again for as long as chance decides so.
      for (let again = true; again; again = random() < 0.4) {
        const ms = Math.round(random() * usualMs)
        const started = performance.now()
        ended = await scene.runFor(ms, moments.length === 0 ? 'fix' : 'resume')
        if (ended) usualMs = (usualMs + performance.now() - started) / 2
        else moments.push(ms)
        if (ended) break
      }
      ended ??= await scene.run('resume')
      killed += moments.length
      if (!ended) throw new Error('it was killed, and nobody did')
      expect({ moments, ...judge(scene, ended) }).toEqual({ moments, ...wanted })
      if (killed % 50 < moments.length) console.info(`${strategy}: ${killed} kills, all well`)
    }
  })
})
