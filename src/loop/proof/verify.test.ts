import { describe, expect, it } from 'vitest'
import type { Revision } from '../../model/attempt/attempt.ts'
import type { CommitId, TreeId } from '../../model/id.ts'
import type { CheckCommand, CommandRun, NamedTest } from '../../model/proof/verification.ts'
import type { CheckRequest, Checks, Composer } from '../ports.ts'
import type { VerifierRequest } from '../context/verifier.ts'
import { createVerifier } from './verify.ts'

const tree = (name: string): TreeId => name as TreeId
const at = (name: string): Revision => ({ commit: 'c' as CommitId, tree: tree(name) })
const base = at('base')
const signal = new AbortController().signal

type Results = Readonly<Record<string, NamedTest['status']>>
const ran = (results: Results | null, given: Partial<CommandRun> = {}): CommandRun => ({
  name: 'test',
  run: 'node --test',
  ended: 'exited',
  exit_code: Object.values(results ?? {}).includes('failed') ? 1 : 0,
  output: '',
  tests: results && {
    format: 'tap',
    tests: Object.entries(results).map(([name, status]) => ({ name, status, kind: 'test' as const })),
    complete: true,
    failures_named: true,
    ran: Object.keys(results).length,
  },
  duration_ms: 1,
  flaky: false,
  ...given,
})
const command = (given: Partial<CheckCommand> = {}): CheckCommand => ({
  name: 'test',
  run: 'node --test',
  timeout_ms: 1,
  paths: [],
  ...given,
})

const texts = new Map([['test/a.test.js', "test('a')"]])
const trees = {
  list: async () => new Set(texts.keys()),
  readMany: async (_: TreeId, paths: readonly string[]) =>
    new Map(
      paths.flatMap((path) => (texts.has(path) ? [[path, new TextEncoder().encode(texts.get(path))]] : [])),
    ),
}

/** Trees by name; putting paths back gives a tree whose name says so. */
function scene(
  results: Readonly<Record<string, CommandRun>>,
  commands: readonly CheckCommand[] = [command()],
  known: readonly string[] = [],
) {
  const asked: string[] = []
  const anew = new Set<string>()
  const flips = new Set(known)
  const checks: Checks = {
    async run({ revision, commands: chosen, isControl, isRedExpected, isFirstLook }: CheckRequest) {
      if (isFirstLook) anew.add(revision.tree)
      const name = `${revision.tree}${isRedExpected ? ' alone' : isControl ? ' control' : ''}`
      asked.push(isRedExpected ? `${name}: ${chosen.map((each) => each.run).join()}` : name)
      const next = results[`${name} ${asked.length}`]
      const result = next ?? results[name]
      if (!result) throw new Error(`nothing is known of ${name}`)
      return chosen.map((each) => ({ ...result, name: each.name }))
    },
    flipsOf: async () => [...flips],
    noteFlips: async (_, tests) => tests.forEach((test) => flips.add(test)),
  }
  const composer: Pick<Composer, 'restore'> = {
    restore: async (from, to, paths) =>
      tree(paths.length === 0 ? from : `${from} with ${paths.join(' ')} of ${to}`),
  }
  const pace = { usualMs: async (what: string) => (what === 'make' ? 5000 : null) }
  const verifier = createVerifier({ checks, pace, trees, composer, commands, base })
  const verify = (given: Partial<VerifierRequest> = {}) =>
    verifier.verify({ revision: at('patch'), against: base, changed: ['a.ts'], signal, ...given })
  return { asked, anew, flips, verifier, verify }
}

const green = ran({ a: 'passed' })

describe('a tree', () => {
  it('is verified once, however often it is asked for, and the base is not counted', async () => {
    const { asked, verifier, verify } = scene({ base: green, patch: green })
    const results = await Promise.all([
      verify(),
      verify(),
      verify({ restore: [{ tree: base.tree, paths: [] }] }),
    ])
    expect(results.map(({ status, tree: which }) => [status, which])).toEqual(
      Array(3).fill(['passed', 'patch']),
    )
    expect([asked, verifier.count()]).toEqual([['base', 'patch'], 1])
  })

  it('takes about as long as the same commands took before, which nobody knows of others', async () => {
    const { verifier, verify } = scene({ base: green, patch: ran({ a: 'passed' }, { duration_ms: 70 }) })
    expect(await verifier.expectedMs([command()])).toBeNull()
    await verify()
    expect(await verifier.expectedMs([command()])).toBe(70)
    expect(await verifier.expectedMs([command(), command({ run: 'npm run lint' })])).toBeNull()
    expect(await verifier.expectedMs([command(), command({ run: 'make' })])).toBe(5070)
  })

  it('is asked for again after a run that was cut off', async () => {
    const { asked, verify } = scene({
      base: green,
      patch: ran(null, { ended: 'cancelled', exit_code: null }),
    })
    expect(await verify()).toMatchObject({ status: 'not_evaluated' })
    await verify()
    expect(asked).toEqual(['base', 'patch', 'patch'])
  })

  it('is compared with what it is built on, not with where the session began', async () => {
    const { verify } = scene({
      base: ran({ a: 'failed' }),
      tip: green,
      patch: ran({ a: 'failed' }),
    })
    expect(await verify()).toMatchObject({ status: 'passed' })
    expect(await verify({ against: at('tip') })).toMatchObject({ status: 'failed' })
  })

  it('is compared with nothing that was red in an earlier process, wherever the patch is built on', async () => {
    const { anew, verifier, verify } = scene({ base: green, tip: green, other: green, patch: green })
    await verify({ against: at('tip') })
    await verifier.run(at('other'), [command()], signal)
    expect([...anew]).toEqual(['tip', 'other'])
  })

  it('is not evaluated when no command cares for its paths', async () => {
    const { asked, verify } = scene({}, [command({ paths: ['web/**'] })])
    expect(await verify()).toMatchObject({ status: 'not_evaluated', commands: [] })
    expect(asked).toEqual([])
  })
})

describe('existing tests that the patch edits', () => {
  const restore = [{ tree: base.tree, paths: ['a.test.ts'] }]
  const restored = 'patch with a.test.ts of base'

  it('are put back first, and both trees must be green', async () => {
    const { asked, verify } = scene({ base: green, patch: green, [restored]: green })
    expect(await verify({ restore })).toMatchObject({
      status: 'passed',
      tree: 'patch',
      restored: { tree: restored, paths: ['a.test.ts'] },
    })
    expect(asked).toEqual(['base', restored, 'patch'])
  })

  it('decide alone when they are red, and it is said whether the patch changes what they expect', async () => {
    const refused = {
      status: 'failed',
      tree: 'patch',
      reason: expect.stringMatching(/^with the base's own a\.test\.ts: test: exit 1/),
    }
    const { asked, verify } = scene({ base: green, [restored]: ran({ a: 'failed' }), patch: green })
    expect(await verify({ restore })).toMatchObject({ ...refused, expects: ['a.test.ts'] })
    expect(asked).toEqual(['base', restored, 'patch'])
    const red = scene({ base: green, [restored]: ran({ a: 'failed' }), patch: ran({ a: 'failed' }) })
    const verification = await red.verify({ restore })
    expect(verification).toMatchObject(refused)
    expect(verification).not.toHaveProperty('expects')
  })

  it('are not run as the patch has them where no test is among them', async () => {
    const config = [{ tree: base.tree, paths: ['vitest.config.ts'] }]
    const { asked, verify } = scene({
      base: green,
      'patch with vitest.config.ts of base': ran({ a: 'failed' }),
    })
    expect(await verify({ restore: config })).toMatchObject({ status: 'failed' })
    expect(asked).toHaveLength(2)
  })

  it('are not enough: what is committed must be green itself', async () => {
    const { verify } = scene({ base: green, [restored]: green, patch: ran({ a: 'failed' }) })
    expect(await verify({ restore })).toMatchObject({ status: 'failed', restored: { tree: restored } })
  })
})

describe('tests that a person let the patch change', () => {
  it('count as the base’s: what is compared with has them too', async () => {
    const allowed = { tree: tree('patch'), paths: ['b.test.ts'] }
    const both = ran({ a: 'passed', b: 'passed' })
    const known = 'base with b.test.ts of patch'
    const lacking = { base: both, [known]: green, patch: green, 'patch with b.test.ts of patch': green }
    expect(await scene(lacking).verify()).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('no longer run: b'),
    })
    expect(await scene(lacking).verify({ approved: allowed })).toMatchObject({ status: 'passed' })
  })
})

describe('a flaky result', () => {
  const flaky = ran({ a: 'failed' }, { flaky: true, flips: ['a'] })

  it('asks the base again, once', async () => {
    const { asked, verify } = scene({
      base: green,
      patch: flaky,
      'base control': { ...green, flaky: true, flips: ['a'] },
    })
    expect(await verify()).toMatchObject({
      status: 'passed',
      reason: '1 of 1 green; test: exit 0; left out, flaky on the base too: a',
    })
    await verify()
    expect(asked).toEqual(['base', 'patch', 'base control'])
  })
})

describe('a proof', () => {
  it('is no old test that turns green only beside a test that the fix brings', async () => {
    const both = { fix: ['a.ts'], newTests: ['b.test.ts'] }
    const alone = 'patch with b.test.ts of base'
    const reverted = 'patch with a.ts of base'
    const known = { base: ran({ a: 'failed' }), patch: green, [reverted]: green }
    expect((await scene({ ...known, [alone]: ran({ a: 'failed' }) }).verify(both)).proof).toBeUndefined()
    expect(await scene({ ...known, [alone]: green }).verify(both)).toMatchObject({
      proof: { source: 'existing', tests: ['a'], red_tree: 'base', green_tree: 'patch' },
    })
  })

  const both = ran({ a: 'passed', b: 'passed' })
  const reverted = 'patch with a.ts of base'

  it('is looked for on the tree without the fix, and only where one is asked for', async () => {
    const { asked, verify } = scene({
      base: green,
      patch: both,
      [reverted]: ran({ a: 'passed', b: 'failed' }),
    })
    expect((await verify()).proof).toBeUndefined()
    expect(asked).toEqual(['base', 'patch'])
    expect(await verify({ fix: ['a.ts'] })).toMatchObject({
      status: 'passed',
      proof: { source: 'added', tests: ['b'], red_tree: reverted, green_tree: 'patch' },
    })
  })

  it('by a test that was red before costs nothing', async () => {
    const { asked, verify } = scene({ base: ran({ a: 'failed' }), patch: green })
    expect(await verify({ fix: ['a.ts'] })).toMatchObject({
      proof: { source: 'existing', tests: ['a'], red_tree: 'base', green_tree: 'patch' },
    })
    expect(asked).toEqual(['base', 'patch'])
  })

  it('by a red test is taken from the base’s own version of it', async () => {
    const red = ran({ a: 'failed' })
    const own = 'patch with a.test.ts of base'
    const { verify } = scene({ base: red, patch: green, [own]: red, [reverted]: green })
    const restore = [{ tree: base.tree, paths: ['a.test.ts'] }]
    expect((await verify({ restore, fix: ['a.ts'] })).proof).toBeUndefined()
  })

  it('must hold where several fixes come together, also on a red base', async () => {
    const red = ran({ a: 'failed' })
    const { verify } = scene({ base: red, patch: red })
    const proof = {
      source: 'existing',
      command: 'test',
      tests: ['a'],
      red_tree: tree('base'),
      green_tree: tree('alone'),
      excerpt: '',
    } as const
    expect(await verify()).toMatchObject({ status: 'passed' })
    expect(await verify({ proofs: [proof] })).toMatchObject({
      status: 'failed',
      reason: 'test: tests that prove a fix are red: a',
      commands: [{ status: 'failed' }],
    })
  })

  it('is not looked for without names, without tests, or when the checks are not green', async () => {
    const silent = scene({ base: ran(null), patch: ran(null) })
    expect((await silent.verify({ fix: ['a.ts'] })).proof).toBeUndefined()
    const untested = scene({ base: green, patch: green })
    expect((await untested.verify({ fix: [] })).proof).toBeUndefined()
    const broken = scene({ base: green, patch: ran({ a: 'failed' }) })
    expect((await broken.verify({ fix: ['a.ts'] })).proof).toBeUndefined()
    expect([silent.asked, untested.asked, broken.asked]).toEqual(Array(3).fill(['base', 'patch']))
  })
})

describe('a test that flips', () => {
  const flipping = ran({ a: 'failed', b: 'passed' }, { flaky: true, flips: ['a'] })
  const calm = ran({ a: 'passed', b: 'passed' })
  const red = ran({ a: 'failed', b: 'passed' })
  const alone = 'node --test test/a.test.js'
  const leftOut = { status: 'passed', reason: expect.stringContaining('left out, flaky on the base too: a') }

  it('and is steady when all of the base runs again, runs there alone, up to five times, and is known from then on', async () => {
    const results = {
      base: calm,
      patch: flipping,
      'base control': calm,
      'base alone': calm,
      'base alone 5': red,
    }
    const { asked, flips, verify } = scene(results)
    expect(await verify()).toMatchObject(leftOut)
    expect(asked).toEqual(['base', 'patch', 'base control', `base alone: ${alone}`, `base alone: ${alone}`])
    expect([...flips]).toEqual(['a'])
  })

  it('on a tip that holds the fixes of agents is left out, and not known from then on', async () => {
    const results = { tip: calm, patch: flipping, 'tip control': { ...calm, flaky: true, flips: ['a'] } }
    const { flips, verify } = scene(results)
    expect(await verify({ against: at('tip') })).toMatchObject(leftOut)
    expect([...flips]).toEqual([])
  })

  it('is the fault of the patch where it is steady on the base whatever is tried', async () => {
    const { asked, flips, verify } = scene({
      base: calm,
      patch: flipping,
      'base control': calm,
      'base alone': calm,
    })
    expect(await verify()).toMatchObject({
      status: 'not_evaluated',
      reason: expect.stringContaining('not on the base'),
    })
    expect([asked.length, flips.size]).toEqual([8, 0])
  })

  it('is left out at once where it did so in an earlier session', async () => {
    const { asked, verify } = scene({ base: calm, patch: flipping }, [command()], ['a'])
    expect(await verify()).toMatchObject(leftOut)
    expect(asked).toEqual(['base', 'patch'])
  })

  it('and is known to may be red twice in a row, which is no failure once it passes alone', async () => {
    const { asked, verify } = scene({ base: calm, patch: red, 'patch alone': calm }, [command()], ['a'])
    expect(await verify()).toMatchObject(leftOut)
    expect(asked).toEqual(['base', 'patch', `patch alone: ${alone}`, 'patch alone: node --test'])
    const broken = scene({ base: calm, patch: red, 'patch alone': red }, [command()], ['a'])
    expect(await broken.verify()).toMatchObject({ status: 'failed' })
    expect(broken.asked).toHaveLength(7)
  })

  it('hides nothing else that is red: all of it has to be green once without it', async () => {
    const threshold = ran({ a: 'passed', b: 'passed' }, { exit_code: 1 })
    const results = { base: calm, patch: red, 'patch alone': calm, 'patch alone 4': threshold }
    const hidden = scene(results, [command()], ['a'])
    expect(await hidden.verify()).toMatchObject({ status: 'failed' })
    const masked = { base: calm, patch: red, 'patch alone 3': calm, 'patch alone': red }
    const never = scene(masked, [command()], ['a'])
    expect(await never.verify()).toMatchObject({ status: 'failed' })
    expect(never.asked).toHaveLength(6)
    const besides = { ...flipping, red_besides: true }
    expect(await scene({ base: calm, patch: besides }, [command()], ['a']).verify()).toMatchObject({
      status: 'failed',
    })
  })
})
