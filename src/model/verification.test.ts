import { describe, expect, it } from 'vitest'
import type { TreeId } from './id.ts'
import { judgeCommand, judgeVerification, type CommandRun, type NamedTest } from './verification.ts'

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

  it('does not miss a suite that was listed only because it failed by itself', () => {
    const broken = tests({ a: 'failed' })
    const suite = { ...broken!, tests: [{ name: 'file', status: 'failed' as const, kind: 'suite' as const }] }
    expect(judgeCommand(green, run({ exit_code: 1, tests: suite })).status).toBe('passed')
  })
})

describe('all commands together', () => {
  it('zero commands are not evaluated, never passed', () => {
    expect(judgeVerification(tree, [], [])).toMatchObject({
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
    expect(judgeVerification(tree, runs, baseline)).toMatchObject({
      status: 'failed',
      reason: expect.stringMatching(/^test: exit 1/),
      depends_on_patch: true,
    })
  })
  it('knows whether another patch could change the answer', () => {
    const hung = run({ ended: 'timed_out', exit_code: null })
    expect(judgeVerification(tree, [hung], [run()])).toMatchObject({
      status: 'not_evaluated',
      depends_on_patch: true,
    })
    expect(judgeVerification(tree, [hung], [hung])).toMatchObject({
      status: 'not_evaluated',
      depends_on_patch: false,
    })
  })
  it('a command without a baseline proves nothing', () => {
    expect(judgeVerification(tree, [run()], [])).toMatchObject({
      status: 'not_evaluated',
      depends_on_patch: false,
    })
  })
  it('all green is passed', () => {
    expect(judgeVerification(tree, [run()], [run()])).toMatchObject({
      status: 'passed',
      reason: '1 of 1 green',
    })
  })
})
