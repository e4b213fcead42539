import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { endOfOutput, withMessages } from './failure-messages.ts'
import { parseTestOutput, withoutColours } from './test-names/parse-test-output.ts'

const folder = join(import.meta.dirname, '../../../test/fixtures/test-output')

function messagesIn(...files: readonly string[]) {
  const text = files.map((file) => withoutColours(readFileSync(join(folder, file), 'utf8'))).join('\n')
  const run = parseTestOutput(text, '')
  if (!run) throw new Error(`no reader knows ${files.join(', ')}`)
  return withMessages(run, text).tests.flatMap(({ name, status, message = '' }) =>
    status === 'failed' ? [[name, message] as const] : [],
  )
}

/** Of each tool a failing test, what must be told of it, and what belongs to something else. */
const tools: readonly (readonly [string, string, RegExp, RegExp])[] = [
  ['ava.txt', 'ava > subtracts', /- 2\n\+ 1/, /known failure/],
  ['cargo.stdout.txt', 'tests > fails', /panicked at[^]*left: 1\n right: 2/, /backtrace|test result/],
  ['dotnet-published-sample.txt', 'Sample.MathTests.Subtracts', /Expected: 1\nActual: {3}2/, /Later|Total/],
  ['go-default.txt', 'example.com/calc > TestAdd > fails', /^add_test.go:14: got 3, want 4$/, /cached/],
  ['jest-default.stderr.txt', 'src/broken.test.js > suite > fails', /toBe\(expected\)/, /Test Suites|noise/],
  ['mocha-spec.txt', 'Array > #indexOf() > finds nothing', /1 == 2[^]*-1\n\+2/, /hooked/],
  ['node-26-spec.txt', 'fails (1.2ms) (really)', /1 == 2[^]*actual: 1/, /node:|falsy/],
  ['node-26-tap.txt', 'suite > deep > deep fail', /error: '✖ not a test/, /node:|Subtest|duration/],
  ['phpunit.txt', 'ATest > testSubtracts', /2 is identical to 1/, /testPairs|There were/],
  ['pytest-default.txt', 'test_sample.py > TestC > test_m2', /ValueError: bad - thing/, /test_fail/],
  ['rspec-progress.txt', 'Array when hooked never runs', /RuntimeError:\n {2}no/, /Finished in/],
  ['surefire-published-sample.txt', 'com.example.ATest > subtracts', /expected: <1>/, /throwsUp|INFO/],
  ['tape.txt', 'subtracts > is one', /expected: 1\n *actual: {3}2/, /^\.\.\./m],
  ['unittest.txt', 'test_a.TestA > test_told', /AssertionError: 2 != 3/, /-----|Ran 7/],
  ['vitest-tap.stdout.txt', 'a.test.ts > suite > fails', /expected 1 to be 2/, /duration/],
]

describe('what a failing test said', () => {
  it.each(tools)('is found in %s for %s, without what belongs to others', (file, name, told, other) => {
    const messages = new Map(messagesIn(file))
    expect(messages.get(name)).toMatch(told)
    expect(messages.get(name)).not.toMatch(other)
  })
  it('is found on the other stream', () => {
    const [[name, message] = []] = messagesIn('vitest-default.stdout.txt', 'vitest-failures.stderr.txt')
    expect(name).toBe('a.test.ts > suite > fails')
    expect(message).toContain('AssertionError: expected 1 to be 2')
  })
  it('is bounded, and is not searched for ever', () => {
    const text = `✖ x\n${'Error: x\n'.repeat(200_000)}`
    const tests = Array.from({ length: 500 }, () => ({ name: 'x', status: 'failed', kind: 'test' }) as const)
    const run = { format: 'node-spec', tests, complete: true, failures_named: true, ran: 500 }
    const told = withMessages(run, text).tests.filter(({ message }) => message !== undefined)
    expect(told).toHaveLength(20)
    expect(Math.max(...told.map(({ message = '' }) => message.length))).toBeLessThanOrEqual(1_200)
  })
})

describe('the end of an output', () => {
  const failed = { name: 'x', status: 'failed', kind: 'test' } as const
  const run = { format: 'tap', complete: true, failures_named: true, ran: 1 }
  const long = Array.from({ length: 5_000 }, (_, index) => `line ${index}`).join('\n')
  it('is short where every failing test is told, holds both streams, and says what was left out', () => {
    const told = endOfOutput([long, long.replaceAll('line', 'error')], {
      ...run,
      tests: [{ ...failed, message: 'why' }],
    })
    expect(told).toMatch(/^… \d+ characters left out …\nline \d+\n[^]*line 4999\n… \d+[^]*error 4999$/)
    expect(told.length).toBeLessThan(2_200)
    expect(endOfOutput([long], { ...run, tests: [failed] }).length).toBeGreaterThan(7_000)
    const results =
      '✔ passes 1 (2ms)\nok 2 - passes\n✖ x (1ms)\nℹ fail 1\n    at run (node:internal/test:1:1)\n'
    expect(endOfOutput([results], { ...run, tests: [{ ...failed, message: 'why' }] })).toBe(
      '✖ x (1ms)\nℹ fail 1',
    )
    expect(endOfOutput([results], { ...run, tests: [failed] })).toBe(results.trimEnd())
    expect(endOfOutput([long], null).length).toBeLessThan(8_200)
  })
})
