import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { processorMs } from '../../../../test/fixtures/processor-time.ts'
import { parseTestOutput } from './parse-test-output.ts'

const NODE = '✔ adds (1.5ms)\nℹ tests 1\nℹ suites 0\nℹ pass 1\nℹ fail 0\nℹ cancelled 0\n'

describe('test output', () => {
  it('of no known tool is nothing', () => {
    expect(parseTestOutput('compiled 3 files\n', 'warning: ok 1\n')).toBeNull()
    expect(parseTestOutput('', '')).toBeNull()
  })

  it('is read without colours and with Windows line ends', () => {
    const output = NODE.replace('✔ adds', '\u001B[32m✔ adds\u001B[39m').replaceAll('\n', '\r\n')
    expect(parseTestOutput(output, '')).toEqual(parseTestOutput(NODE, ''))
  })

  it('of two tools is put together, complete only when both are', () => {
    const cargo =
      'running 1 test\ntest adds ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n'
    const passed = (name: string) => ({ name, status: 'passed', kind: 'test' })
    expect(parseTestOutput(NODE + cargo, '')).toEqual({
      format: 'node-spec+cargo-test',
      tests: [passed('adds'), passed('adds #2')],
      complete: true,
      failures_named: true,
      ran: 2,
      reports: 1,
    })
    expect(parseTestOutput(NODE + cargo.replace('1 passed', '2 passed'), '')).toMatchObject({
      tests: [],
      complete: false,
    })
  })

  it('gives a doubled name that is taken already the next free number', () => {
    const output = 'TAP version 13\n1..4\nok 1 - a\nok 2 - a \\#2\nok 3 - a\nok 4 - a\n'
    const names = parseTestOutput(output, '')?.tests.map((test) => test.name)
    expect(names).toEqual(['a', 'a #2', 'a #3', 'a #4'])
  })

  it('that was cut in the middle is not complete', () => {
    const lines = Array.from({ length: 9 }, (_, index) => `✔ test ${index} (1.5ms)\n`).join('')
    const counts = 'ℹ tests 9\nℹ suites 0\nℹ pass 9\nℹ fail 0\nℹ cancelled 0\n'
    expect(parseTestOutput(lines + counts, '')?.complete).toBe(true)
    const cut = `${lines.slice(0, 60)}\n… [90 bytes left out] …\n${lines.slice(150)}${counts}`
    expect(parseTestOutput(cut, '')?.complete).toBe(false)
  })

  it.each([
    ['a report that ends early', '<testsuites><testsuite name="s" tests="2"><testcase name="a"/>'],
    ['a report with other counts', '<testsuite name="s" tests="2"><testcase name="a"/></testsuite>'],
  ])('holds %s: not complete', (_, output) => {
    expect(parseTestOutput(output, '')).toMatchObject({
      format: 'junit',
      complete: false,
      failures_named: false,
    })
  })

  it('only speaks of a JUnit report: the results around it still count', () => {
    expect(parseTestOutput(`writing <testsuite name="x"> to a file\n${NODE}`, '')).toEqual(
      parseTestOutput(NODE, ''),
    )
  })

  it('never makes it throw', () => {
    const piece = fc.constantFrom(
      '\n',
      '    ',
      '  ',
      '✔ a (1ms)',
      '▶ g',
      '✖ g (1ms)',
      'ℹ tests 1',
      'ok 1 - a',
      'not ok 2 {',
      '}',
      '1..2',

      'TAP version 13',
      '---',
      '<testsuite name="a">',
      "<testcase name='b'>",
      '</testsuite>',
      '<![CDATA[',
      '&#x110000;',

      'PASS a',
      '✓ b',
      '● c',
      'Tests: 1 total',
      ' Test Files  1',
      ' FAIL  x ]',
      'a::b PASSED',
      '1 passed in 1s',

      '=== RUN   T',
      '--- FAIL: T (0s)',
      'ok  \tp\t1s',
      '{"Action":"constructor","Package":"p"}',
      'running 1 test',

      'test a ... ok',
      'failures:',
      'test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out',
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string({ maxLength: 5 })), { maxLength: 60 }), (pieces) => {
        const run = parseTestOutput(pieces.join(''), pieces.join('\n'))
        const names = run?.tests.map((test) => test.name) ?? []
        expect(new Set(names).size).toBe(names.length)
      }),
      { numRuns: 500 },
    )
  })
})

describe('hostile output', () => {
  const MEGABYTES = 1
  const fill = (unit: string): string => unit.repeat(Math.ceil((MEGABYTES * 2 ** 20) / unit.length))
  /** Signatures that make every parser look at everything. */
  const signed = `ℹ tests 1\nTAP version 13\nTests: 1 total\n Test Files  1\n1 passed in 1s\nok  \tp\t1s\nrunning 1 test\n`

  it.each([
    ['random text', 'lorem ipsum 12 (3ms) # x :: y ... z\n'],
    ['one line', 'x'],
    ['line ends', '\n'],
    ['spaces', ' '],
    ['long lines of spaces', `${' '.repeat(9000)}\n`],
    ['long lines of times', `✔ ${' (1ms) # '.repeat(900)}\u2028\n`],
    ['long summary lines', `Tests: ${'1'.repeat(9000)}\n`],
    ['long ids', `a${'::b '.repeat(2000)}\n`],
    ['long targets', `     Running x (${'/-'.repeat(4000)}\n`],
    ['long failures', ` FAIL  ${' [ '.repeat(3000)} ]\n`],
    ['open groups', '▶ a\n'],
    ['nested results', `${' '.repeat(396)}ok 1 - a {\n`],
    ['many equal results', 'ok 1 - a\n'],
    ['failure lists', 'failures:\n    a\n'],
    ['suites', '<testsuite name="a">'],
    ['unclosed attributes', '<testsuite a="'],
    ['long attributes', `<testsuite ${'a'.repeat(9000)}>`],
    ['comments', '<testsuite><!--'],
    ['escape sequences', '\u001B[0;'],
    ['unclosed escape sequences', '\u001B]8;;'],
    ['deep JSON', `{"Action":"x","a":${'['.repeat(9000)}\n`],
  ])('of %s is read in linear time', async (_, unit) => {
    expect(await processorMs(() => parseTestOutput(signed + fill(unit), unit))).toBeLessThan(3000)
  })
})
