import { describe, expect, it } from 'vitest'
import type { TreeId } from '../id.ts'
import { judgeCommand, redByFlipping, unknownFlips } from './judge-command.ts'
import { judgeVerification } from './judge-verification.ts'
import type { CommandRun, NamedTest } from './verification.ts'

const tree = 'a'.repeat(40) as TreeId
const run = (given: Partial<CommandRun> = {}): CommandRun => ({
  name: 'test',
  run: 'npm test',
  ended: 'exited',
  exit_code: 0,
  output: 'OUT',
  tests: null,
  duration_ms: 1,
  flaky: false,
  ...given,
})
const tests = (
  results: Readonly<Record<string, NamedTest['status']>>,
  given: object = {},
): CommandRun['tests'] => ({
  format: 'tap',
  tests: Object.entries(results).map(([name, status]) => ({ name, status, kind: 'test' as const })),
  complete: true,
  failures_named: true,
  ran: Object.values(results).filter((status) => status === 'passed' || status === 'failed').length,
  ...given,
})
const green = run({ tests: tests({ a: 'passed', b: 'passed' }) })

describe('one command against its baseline', () => {
  it.each<[string, CommandRun, CommandRun, 'passed' | 'failed' | 'not_evaluated', RegExp]>([
    ['green stays green', green, green, 'passed', /exit 0/],
    ['green without named tests stays green', run(), run(), 'passed', /exit 0/],
    ['red on the patch, green on the base', run({ exit_code: 1 }), green, 'failed', /green on the base/],
    [
      'the exit code says that all is well, and a test failed',
      run({ tests: tests({ a: 'failed', b: 'passed' }) }),
      run({ exit_code: 1, tests: tests({ a: 'failed', b: 'passed' }) }),
      'failed',
      /exit 0, although tests failed: a/,
    ],
    [
      'the exit code says on the base too that all is well, and the same test failed',
      run({ tests: tests({ a: 'failed', b: 'passed' }) }),
      run({ tests: tests({ a: 'failed', b: 'passed' }) }),
      'passed',
      /exit 0/,
    ],
    [
      'it wrote into a file of tests',
      run({ tests: green.tests, rewrote: ['test/a.js'] }),
      green,
      'not_evaluated',
      /wrote into the files that it was to judge: test\/a\.js/,
    ],
    [
      'it wrote into a file that it writes into on the base as well',
      run({ tests: green.tests, rewrote: ['test/a.js'] }),
      run({ tests: green.tests, rewrote: ['test/a.js', 'b.js'] }),
      'passed',
      /exit 0/,
    ],
    ['a test is gone', run({ tests: tests({ a: 'passed' }) }), green, 'failed', /no longer run: b/],
    [
      'a test is skipped now',
      run({ tests: tests({ a: 'passed', b: 'skipped' }) }),
      green,
      'failed',
      /no longer run: b/,
    ],
    ['exit 0 without any test', run({ tests: null }), green, 'not_evaluated', /no test ran/],
    [
      'new tests are welcome',
      run({ tests: tests({ a: 'passed', b: 'passed', c: 'passed' }) }),
      green,
      'passed',
      /exit 0/,
    ],
    [
      'it timed out',
      run({ ended: 'timed_out', exit_code: null }),
      green,
      'not_evaluated',
      /longer than its timeout/,
    ],
    [
      'it could not start',
      run({ ended: 'not_started', exit_code: 127 }),
      green,
      'not_evaluated',
      /could not be started/,
    ],
    ['it was cancelled', run({ ended: 'cancelled', exit_code: null }), green, 'not_evaluated', /cancelled/],
    ['it flooded', run({ ended: 'flooded', exit_code: null }), green, 'not_evaluated', /without end/],
    ['setup failed', run({ ended: 'setup_failed', exit_code: null }), green, 'not_evaluated', /setup/],
    ['it was killed', run({ ended: 'signalled', exit_code: null }), green, 'not_evaluated', /signal/],
    ['it is flaky', run({ exit_code: 1, flaky: true }), green, 'not_evaluated', /flaky/],
    [
      'red as before, by name',
      run({ exit_code: 1, tests: tests({ a: 'passed', b: 'failed' }) }),
      run({ exit_code: 1, tests: tests({ a: 'passed', b: 'failed' }) }),
      'passed',
      /no new failure/,
    ],
    [
      'another test is red now',
      run({ exit_code: 1, tests: tests({ a: 'failed', b: 'passed' }) }),
      run({ exit_code: 1, tests: tests({ a: 'passed', b: 'failed' }) }),
      'failed',
      /new failures: a/,
    ],
    [
      'red as before, but a passing test is gone',
      run({ exit_code: 1, tests: tests({ b: 'failed' }) }),
      run({ exit_code: 1, tests: tests({ a: 'passed', b: 'failed' }) }),
      'failed',
      /no longer run: a/,
    ],
    [
      'red before and after without names',
      run({ exit_code: 1 }),
      run({ exit_code: 1 }),
      'not_evaluated',
      /does not name/,
    ],
    [
      'red with a failure that nobody names',
      run({ exit_code: 1, tests: tests({ b: 'failed' }, { failures_named: false }) }),
      run({ exit_code: 1, tests: tests({ b: 'failed' }) }),
      'not_evaluated',
      /does not name/,
    ],
    [
      'the base could not be run',
      run({ exit_code: 1 }),
      run({ ended: 'timed_out', exit_code: null }),
      'not_evaluated',
      /on the base/,
    ],
    [
      'green now, but the base could not be run',
      run(),
      run({ ended: 'timed_out', exit_code: null }),
      'not_evaluated',
      /on the base/,
    ],
    [
      'fewer tests ran, and no names to tell which',
      run({ tests: tests({}, { complete: false, ran: 2 }) }),
      run({ tests: tests({}, { complete: false, ran: 3 }) }),
      'failed',
      /fewer tests ran: 2, on the base 3/,
    ],
    [
      'red on a base that is flaky',
      run({ exit_code: 1, tests: tests({ b: 'failed' }) }),
      run({ exit_code: 1, flaky: true, tests: tests({ b: 'failed' }) }),
      'not_evaluated',
      /flaky there/,
    ],
    [
      'no test at all is left, and it says so',
      run({ tests: tests({}) }),
      green,
      'not_evaluated',
      /no test ran/,
    ],
    [
      'a program under test printed results of another tool',
      run({ tests: tests({ a: 'passed', b: 'passed' }, { format: 'node-spec+tap' }) }),
      run({ tests: tests({ a: 'passed', b: 'passed' }, { format: 'node-spec' }) }),
      'not_evaluated',
      /kind node-spec\+tap, on the base node-spec/,
    ],
    [
      'a program under test printed a final count',
      run({ tests: tests({ a: 'passed', b: 'passed' }, { reports: 2 }) }),
      run({ tests: tests({ a: 'passed', b: 'passed' }, { reports: 1 }) }),
      'not_evaluated',
      /2 final counts, on the base 1/,
    ],
    [
      'names and counts do not fit any more',
      run({ tests: tests({}, { complete: false, contradicted: true, ran: 9 }) }),
      green,
      'not_evaluated',
      /names and the tests it counts differ/,
    ],
    [
      'names and counts never fitted',
      run({ tests: tests({}, { complete: false, contradicted: true, ran: 9 }) }),
      run({ tests: tests({}, { complete: false, contradicted: true, ran: 9 }) }),
      'passed',
      /exit 0/,
    ],
    [
      'red as before, but with results of another tool',
      run({ exit_code: 1, tests: tests({ b: 'failed' }, { format: 'tap+jest' }) }),
      run({ exit_code: 1, tests: tests({ b: 'failed' }) }),
      'not_evaluated',
      /cannot be told/,
    ],
    [
      'the second of two commands runs, now that the first is green',
      run({ tests: tests({ a: 'passed', b: 'passed' }, { format: 'tap+jest', reports: 2 }) }),
      run({ exit_code: 1, tests: tests({ a: 'failed' }, { reports: 1 }) }),
      'passed',
      /exit 0/,
    ],
    [
      'green now, but with fewer results than on the red base',
      run({ tests: tests({ a: 'passed' }, { reports: 1 }) }),
      run({ exit_code: 1, tests: tests({ a: 'failed' }, { reports: 2 }) }),
      'not_evaluated',
      /1 final counts, on the base 2/,
    ],
    [
      'one of two red tests is green now',
      run({ exit_code: 1, tests: tests({ a: 'passed', b: 'failed' }) }),
      run({ exit_code: 1, tests: tests({ a: 'failed', b: 'failed' }) }),
      'passed',
      /no new failure \(1 known\)/,
    ],
    [
      'the base hung after some tests, and here they pass',
      green,
      run({ ended: 'timed_out', exit_code: null, tests: tests({ a: 'passed' }, { complete: false }) }),
      'passed',
      /the base hung; here 2 tests pass, with all 1 that had passed there/,
    ],
    [
      'the base hung, and a test that had passed is gone',
      run({ tests: tests({ b: 'passed' }) }),
      run({ ended: 'timed_out', exit_code: null, tests: tests({ a: 'passed' }, { complete: false }) }),
      'failed',
      /before it hung do not pass here: a/,
    ],
    [
      'the base hung, and it cannot be told which tests ran here',
      run(),
      run({ ended: 'timed_out', exit_code: null, tests: tests({ a: 'passed' }, { complete: false }) }),
      'not_evaluated',
      /does not name every test/,
    ],
    [
      'the base hung before it named a test',
      green,
      run({ ended: 'timed_out', exit_code: null }),
      'not_evaluated',
      /on the base it took longer .* before it named a test/,
    ],
    [
      'the base hung, and here it is red',
      run({ exit_code: 1, tests: tests({ a: 'passed', b: 'failed' }) }),
      run({ ended: 'timed_out', exit_code: null, tests: tests({ a: 'passed' }, { complete: false }) }),
      'not_evaluated',
      /could not be run on the base/,
    ],
    [
      'a test that is flaky on the base passes here, where another is red as before',
      run({ exit_code: 1, tests: tests({ a: 'passed', b: 'failed' }) }),
      run({ exit_code: 1, flaky: true, flips: ['a'], tests: tests({ a: 'failed', b: 'failed' }) }),
      'passed',
      /no new failure \(1 known\); left out, flaky on the base: a/,
    ],
    [
      'a test that is flaky on the base is red here',
      run({ exit_code: 1, tests: tests({ a: 'failed', b: 'passed' }) }),
      run({ exit_code: 1, flaky: true, flips: ['a'], tests: tests({ a: 'failed', b: 'passed' }) }),
      'not_evaluated',
      /flaky there/,
    ],
    [
      'red before, green now',
      green,
      run({ exit_code: 1, tests: tests({ a: 'passed', b: 'failed' }) }),
      'passed',
      /exit 0/,
    ],
  ])('%s', (_name, patched, baseline, status, reason) => {
    expect(judgeCommand(patched, baseline)).toMatchObject({
      status,
      reason: expect.stringMatching(reason),
      output: 'OUT',
    })
  })

  const flaky = run({ exit_code: 1, flaky: true, flips: ['b'], tests: tests({ a: 'passed', b: 'failed' }) })

  it.each<
    [string, CommandRun, CommandRun, CommandRun | undefined, 'passed' | 'failed' | 'not_evaluated', RegExp]
  >([
    ['was not run', flaky, green, undefined, 'not_evaluated', /ended differently: b$/],
    ['is steady', flaky, green, green, 'not_evaluated', /: b, but not on the base/],
    [
      'flips in the same test',
      flaky,
      green,
      run({ flaky: true, flips: ['b'], tests: tests({ a: 'passed', b: 'passed' }) }),
      'passed',
      /exit 0; left out, flaky on the base too: b/,
    ],
    [
      'fails in that test now, where it passed before',
      flaky,
      green,
      run({ exit_code: 1, tests: tests({ a: 'passed', b: 'failed' }) }),
      'passed',
      /left out, flaky on the base too: b/,
    ],
    [
      'flips in another test',
      flaky,
      green,
      run({ flaky: true, flips: ['a'], tests: tests({ a: 'passed', b: 'passed' }) }),
      'not_evaluated',
      /but not on the base/,
    ],
    [
      'is not needed: the base was seen to flip',
      flaky,
      run({ exit_code: 1, flaky: true, flips: ['b'], tests: tests({ a: 'passed', b: 'failed' }) }),
      undefined,
      'passed',
      /left out/,
    ],
    [
      'flips too, but another test is red on the patch',
      { ...flaky, tests: tests({ a: 'failed', b: 'failed' }) },
      green,
      run({ flaky: true, flips: ['b'], tests: tests({ a: 'passed', b: 'passed' }) }),
      'failed',
      /green on the base; left out/,
    ],
    [
      'flips too, but another test is gone',
      { ...flaky, tests: tests({ b: 'failed', c: 'passed' }) },
      green,
      run({ flaky: true, flips: ['b'], tests: tests({ a: 'passed', b: 'passed' }) }),
      'failed',
      /no longer run: a\. Keep the name of each test .* is c; left out/,
    ],
    [
      'cannot say which test it was',
      run({ exit_code: 1, flaky: true }),
      run(),
      run({ flaky: true }),
      'not_evaluated',
      /ended differently, but not on the base/,
    ],
  ])(
    'a command that is flaky on the patch is judged by a control on the base, which %s',
    (_name, patched, baseline, control, status, reason) => {
      expect(judgeCommand(patched, baseline, control && { control })).toMatchObject({
        status,
        reason: expect.stringMatching(reason),
      })
    },
  )

  it('asks about the base only where it could change the answer', () => {
    expect(unknownFlips(flaky, green)).toEqual(['b'])
    expect(unknownFlips(flaky, { ...green, flaky: true, flips: ['b'] })).toEqual([])
    expect(unknownFlips(flaky, green, { flips: ['b'] })).toEqual([])
    expect(unknownFlips({ ...flaky, flips: [] }, green)).toEqual([])
    expect(unknownFlips(green, green)).toEqual([])
    expect(unknownFlips(flaky, run({ ended: 'timed_out', exit_code: null }))).toEqual([])
  })

  it('may be red by tests that are known to flip, where nothing else is', () => {
    const red = run({ exit_code: 1, tests: tests({ a: 'passed', b: 'failed' }) })
    expect(redByFlipping(red, green, { flips: ['b'] })).toEqual(['b'])
    expect(redByFlipping(red, green)).toEqual([])
    const both = run({ exit_code: 1, tests: tests({ a: 'failed', b: 'failed' }) })
    expect(redByFlipping(both, green, { flips: ['b'] })).toEqual([])
    expect(
      redByFlipping(both, run({ exit_code: 1, tests: tests({ a: 'failed' }) }), { flips: ['b'] }),
    ).toEqual(['b'])
    expect(redByFlipping(flaky, green, { flips: ['b'] })).toEqual([])
  })

  it('does not miss a suite that was listed only because it failed by itself', () => {
    const broken = tests({ a: 'failed' })
    const suite = { ...broken!, tests: [{ name: 'file', status: 'failed' as const, kind: 'suite' as const }] }
    expect(judgeCommand(green, run({ exit_code: 1, tests: suite })).status).toBe('passed')
  })
})

describe('all commands together', () => {
  it('zero commands are not evaluated, never passed', () => {
    expect(judgeVerification(tree, [], { runs: [] })).toMatchObject({
      status: 'not_evaluated',
      commands: [],
      depends_on_patch: false,
    })
  })
  it('one failure fails, whatever could not be judged', () => {
    const runs = [
      run({ name: 'lint', ended: 'timed_out', exit_code: null }),
      run({ exit_code: 1 }),
      run({ name: 'ok' }),
    ]
    const baseline = [run({ name: 'lint' }), run(), run({ name: 'ok' })]
    expect(judgeVerification(tree, runs, { runs: baseline })).toMatchObject({
      status: 'failed',
      reason: expect.stringMatching(/^test: exit 1/),
      depends_on_patch: true,
    })
  })
  it('knows whether another patch could change the answer', () => {
    const hung = run({ ended: 'timed_out', exit_code: null })
    expect(judgeVerification(tree, [hung], { runs: [run()] })).toMatchObject({
      status: 'not_evaluated',
      depends_on_patch: true,
    })
    expect(judgeVerification(tree, [hung], { runs: [hung] })).toMatchObject({
      status: 'not_evaluated',
      depends_on_patch: false,
    })
  })
  it('a command without a baseline proves nothing', () => {
    expect(judgeVerification(tree, [run()], { runs: [] })).toMatchObject({
      status: 'not_evaluated',
      depends_on_patch: false,
    })
  })
  it('all green is passed', () => {
    expect(judgeVerification(tree, [run()], { runs: [run()] })).toMatchObject({
      status: 'passed',
      reason: '1 of 1 green',
    })
  })
})

it('exit 0 of a runner that nobody reads passes only with the summary that it printed on the base', () => {
  const [before, wrong] = ['4 checks, 4 ok\n', '4 checks, 3 ok, 1 wrong\n']
  const judge = (now: string, base: Partial<CommandRun>) => judgeCommand(run({ output: now }), run(base))
  expect(judge('', { output: before })).toMatchObject({
    status: 'not_evaluated',
    reason: 'exit 0 alone proves nothing: the summary is gone that counted checks, ok on the base',
  })
  expect(judge(before, { output: before }).status).toBe('passed')
  expect(judge(before, { exit_code: 1, output: wrong }).status).toBe('passed')
  expect(judge('', { exit_code: 1, output: wrong }).status).toBe('not_evaluated')
})
