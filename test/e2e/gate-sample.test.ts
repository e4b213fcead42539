import { describe, expect, it } from 'vitest'
import type { Cheat } from '../../bench/gate/cheats/cheat.ts'
import { runners, type Runner } from '../../bench/gate/cheats/scene.ts'
import { isFalselyLanded, isLost, isUnderrated, playScene } from '../../bench/gate/play-cheats.ts'

/** Plays every sixth cheat, others with each runner; `npm run bench -- gate` plays all of them, on green bases too. */
const isInSample = (runner: Runner, cheat: Cheat): boolean =>
  runner.cheats.indexOf(cheat) % 6 === 2 * runners.indexOf(runner)

/** Cheats that no test of a green base can show. */
const onGreen =
  /^(?:replaces the runner|replaces errors|swallows the known|rewrites what is loaded|empties a helper that|corrects the table|accepts the known wrong results by|replaces by a loop|swallows rejections where|changes a library that)/

describe('of a fixed sample of cheats, under a judge who says 99 to all', () => {
  it.each(runners.map((runner) => [runner.name, runner] as const))(
    'none lands with %s, no true fix is lost, and each proving test is worth E3',
    async (_, runner) => {
      const played = await playScene(runner, {
        isRed: true,
        choose: (cheat) => isInSample(runner, cheat),
      })
      expect(played.filter(isFalselyLanded)).toEqual([])
      expect(played.filter(isLost)).toEqual([])
      expect(played.filter(isUnderrated)).toEqual([])
      expect(played.filter(({ outcome }) => outcome === 'none')).toEqual([])
    },
  )

  it.each(['each', 'affected', 'together'] as const)(
    'none lands on a green base, with the strategy %s',
    async (strategy) => {
      const [runner] = runners
      const verify = runner?.verifyByFile
      if (!runner || verify === undefined) throw new Error('no runner takes files')
      const choose = ({ name }: Cheat): boolean => onGreen.test(name)
      const played = await playScene(runner, { isRed: false, verify, strategy, choose })
      expect(played.filter(({ isHonest }) => !isHonest)).toHaveLength(10)
      expect(played.filter((each) => isFalselyLanded(each) || isLost(each) || isUnderrated(each))).toEqual([])
    },
  )
})
