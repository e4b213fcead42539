import { describe, expect, it } from 'vitest'
import { gradeEvidence } from './evidence.ts'
import type { TreeId } from '../id.ts'
import { failureLine, failedTests, proofFrom } from './prove.ts'
import type { CommandRun, NamedTest, TestRun } from './verification.ts'

const redTree = 'a'.repeat(40) as TreeId
const greenTree = 'b'.repeat(40) as TreeId

type Results = Readonly<Record<string, NamedTest['status'] | 'broken file'>>
const run = (results: Results, given: Partial<CommandRun> = {}, told: Partial<TestRun> = {}): CommandRun => ({
  name: 'test',
  run: 'node --test',
  ended: 'exited',
  exit_code: Object.values(results).every((status) => status === 'passed') ? 0 : 1,
  output: 'not ok - new\n  AssertionError: 1 == 2',
  tests: {
    format: 'tap',
    tests: Object.entries(results).map(([name, status]) =>
      status === 'broken file' ? { name, status: 'failed', kind: 'suite' } : { name, status, kind: 'test' },
    ),
    complete: true,
    failures_named: true,
    ran: Object.keys(results).length,
    ...told,
  },
  duration_ms: 1,
  flaky: false,
  ...given,
})
const proof = (red: CommandRun, green: CommandRun) =>
  proofFrom('added', { red: [red], redTree, green: [green], greenTree })

describe('a proof', () => {
  const green = run({ old: 'passed', new: 'passed' })

  it('is a named test that fails without the fix and passes with it', () => {
    expect(proof(run({ old: 'passed', new: 'failed' }), green)).toEqual({
      source: 'added',
      command: 'test',
      tests: ['new'],
      red_tree: redTree,
      green_tree: greenTree,
      excerpt: 'AssertionError: 1 == 2',
    })
  })

  it.each<[string, CommandRun, CommandRun]>([
    ['passes without the fix as well', green, green],
    ['cannot be loaded without the fix', run({ old: 'passed', 'new.test.mjs': 'broken file' }), green],
    ['does not run without the fix', run({ old: 'passed' }), green],
    ['fails with the fix too', run({ new: 'failed' }), run({ new: 'failed' })],
    ['is skipped with the fix', run({ new: 'failed' }), run({ new: 'skipped' })],
    [
      'flips without the fix',
      run({ new: 'failed' }, { flaky: true, flips: ['new'] }),
      run({ new: 'passed' }),
    ],
    ['hangs without the fix', run({ new: 'failed' }, { ended: 'timed_out', exit_code: null }), green],
    ['is not named reliably', run({ new: 'failed' }, {}, { failures_named: false }), green],
    ['is one of fewer', run({ old: 'passed', new: 'failed' }), run({}, {}, { complete: false, ran: 1 })],
    ['is one of an unknown number', run({ new: 'failed' }), run({}, {}, { complete: false, ran: null })],
    [
      'shares its name with a test that was added',
      run({ new: 'failed' }),
      run({ new: 'passed', 'new #2': 'failed' }),
    ],
  ])('is none when the test %s', (_name, red, patched) => {
    expect(proof(red, patched)).toBeNull()
  })

  it('is a failure that is not there any more, where a tool names only failures and as many tests ran', () => {
    const red = run({ new: 'failed' }, {}, { complete: false, ran: 9 })
    expect(proof(red, run({}, {}, { complete: false, ran: 9 }))).toMatchObject({ tests: ['new'] })
  })

  it('is that also where other tests are as red as before, and never one that is still named', () => {
    const named = { complete: false, ran: 9 }
    const red = run({ new: 'failed', other: 'failed', 'same #2': 'failed' }, {}, named)
    expect(proof(red, run({ other: 'failed', same: 'failed' }, {}, named))).toMatchObject({ tests: ['new'] })
    expect(proof(red, run({ other: 'failed' }, {}, { ...named, failures_named: false }))).toBeNull()
    expect(proof(red, run({ other: 'failed' }, {}, { ...named, ran: 8 }))).toBeNull()
    expect(proof(red, run({ other: 'failed' }, { flips: ['new', 'same #2'] }, named))).toBeNull()
    expect(proof(red, run({ other: 'failed', 'new gives 5': 'failed' }, {}, named))).toBeNull()
  })

  it('is found in any command, and compared with the same one only', () => {
    const lint = run({}, { name: 'lint', tests: null })
    const red = run({ new: 'failed' })
    expect(
      proofFrom('existing', { red: [lint, red], redTree, green: [lint, green], greenTree }),
    ).toMatchObject({
      source: 'existing',
      command: 'test',
    })
    expect(
      proofFrom('existing', { red: [{ ...red, name: 'lint' }], redTree, green: [green], greenTree }),
    ).toBeNull()
  })

  it('makes evidence E3, but never without green checks', () => {
    const found = proof(run({ new: 'failed' }), run({ new: 'passed' }))
    const unproven = {
      status: 'passed',
      reason: '',
      tree: greenTree,
      commands: [],
      depends_on_patch: true,
    } as const
    const proven = { ...unproven, ...(found && { proof: found }) }
    expect(gradeEvidence(proven, [])).toBe('E3')
    expect(gradeEvidence({ ...proven, status: 'failed' }, [])).toBe('E0')
    expect(gradeEvidence(unproven, [])).toBe('E1')
  })
})

it('a proof names failed tests only where they are steady and named', () => {
  expect(
    failedTests(run({ a: 'failed', b: 'failed', c: 'broken file' }, { flips: ['b'], flaky: true })),
  ).toEqual(['a'])
})

describe('the excerpt', () => {
  it.each([
    [
      'the error below the last mention of the test',
      'ok - adds\nadds\n\n  Error: Expected 3\n   at x',
      'Error: Expected 3',
    ],
    ['the mention itself when nothing explains it', 'FAILED suite > adds', 'FAILED suite > adds'],
    ['nothing when the output speaks of something else', 'boom', ''],
    [
      'one line without control characters',
      `adds\nAssertionError: \u001B[31m${'x'.repeat(500)}`,
      `AssertionError: [31m${'x'.repeat(180)}`,
    ],
  ])('is %s', (_name, output, excerpt) => {
    expect(failureLine(output, 'suite > adds')).toBe(excerpt)
  })
})
