import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseTestOutput } from './parse-test-output.ts'

const SAMPLES = join(import.meta.dirname, '../../../../test/fixtures/test-output')
const ROOT = '/project'

function sample(name: string): string {
  return readFileSync(join(SAMPLES, name), 'utf8')
}

/** A run on one line per test, such as `failed suite > test`. */
function told(stdout: string, stderr = '') {
  const run = parseTestOutput(stdout, stderr, { root: ROOT })
  if (run === null) return null
  const { format, complete, failures_named, ran } = run
  const tests = run.tests.map(
    ({ name, status, kind }) => `${status} ${kind === 'suite' ? '(suite) ' : ''}${name}`,
  )
  return { format, tests, complete, failures_named, ran }
}

const ranOf = (tests: readonly string[]): number =>
  tests.filter((test) => /^(passed|failed) (?!\(suite\))/.test(test)).length

const whole = (format: string, tests: readonly string[], ran = ranOf(tests)) => ({
  format,
  tests,
  complete: true,
  failures_named: true,
  ran,
})
const failedOnly = (format: string, ran: number | null, tests: readonly string[]) => ({
  format,
  tests,
  complete: false,
  failures_named: true,
  ran,
})

const NODE_TESTS = [
  'passed adds',
  'passed adds #2',
  'failed fails (1.2ms) (really)',
  'skipped skipped one',
  'skipped plain skip',
  'todo todo one',
  'todo todo that fails',
  'passed with # hash and \\ backslash',
  'passed multi line name',
  'passed suite > inner ok',
  'passed suite > deep > deepest',
  'failed suite > deep > deep fail',
  'passed suite > empty suite',
  'passed suite > logs',
  'skipped suite skipped',
  'passed parent with subtests > sub one',
  'passed parent with subtests > sub two',
  'passed adds #3',
]

describe('node --test', () => {
  it.each(['20', '26'])(
    'with the spec reporter of Node %s names every test once, without its time',
    (version) => {
      const output = sample(`node-${version}-spec.txt`).replace('✔ I am a log line (3ms)\n', '')
      expect(told(output)).toEqual(whole('node-spec', NODE_TESTS))
    },
  )

  it.each(['20', '26'])('of Node %s is not believed when a test printed a line like a result', (version) => {
    const output = sample(`node-${version}-spec.txt`)
    expect(told(output)).toEqual(
      failedOnly('node-spec', 13, ['failed fails (1.2ms) (really)', 'failed suite > deep > deep fail']),
    )
  })

  it.each(['20', '26'])('with the TAP reporter of Node %s names the same tests', (version) => {
    const names = NODE_TESTS.map((test) => test.replace('multi line', 'multi\\nline'))
    expect(told(sample(`node-${version}-tap.txt`))).toEqual(whole('tap', names))
  })

  it.each(['20', '26'])('with the JUnit reporter of Node %s names the same tests', (version) => {
    const names = NODE_TESTS.map((test) =>
      version === '20' ? test.replace('multi line', 'multiline') : test,
    )
    expect(told(sample(`node-${version}-junit.xml`))).toEqual(whole('junit', names))
  })

  it.each(['20', '26'])(
    'of Node %s names a file that could not be loaded, relative to the root',
    (version) => {
      const output = sample(`node-${version}-broken-file-spec.txt`)
      expect(told(output)).toEqual(whole('node-spec', ['passed adds', 'failed (suite) boom.test.mjs']))
    },
  )

  it('reads the closing lines of earlier versions and a suite that failed in its hook', () => {
    const output = [
      '▶ old',
      '  ✔ inner (1.5ms)',
      '▶ old (2.5ms)',
      '',
      '▶ hook',
      '  ✔ inner (1.5ms)',
      '✖ hook (2ms)',
    ]
    const counts = ['ℹ tests 2', 'ℹ suites 2', 'ℹ pass 2', 'ℹ fail 0', 'ℹ cancelled 0']
    expect(told([...output, ...counts].join('\n'))).toEqual(
      whole('node-spec', ['passed old > inner', 'passed hook > inner', 'failed (suite) hook']),
    )
  })
})

describe('TAP', () => {
  it('14 is read with subtests, directives, escapes and YAML blocks', () => {
    expect(told(sample('tap-14.txt'))).toEqual(
      whole('tap', ['passed math > adds', 'failed math > issue #12 \\ again', 'skipped lazy', 'todo test 3']),
    )
  })

  it.each([
    ['its plan is not met', 'TAP version 13\n1..3\nok 1 - a\nnot ok 2 - b'],
    ['the plan of a subtest is not met', 'TAP version 14\n1..1\n    1..2\n    not ok 1 - b\nok 1 - a'],
    ['it has no plan', 'TAP version 13\nok 1 - a\nnot ok 2 - b'],
    ['it bailed out', 'TAP version 13\n1..2\nok 1 - a\nnot ok 2 - b\nBail out! no disk'],
    ['a subtest has no parent', 'TAP version 13\n1..1\n        not ok 1 - b'],
  ])('is not complete when %s', (_, output) => {
    expect(parseTestOutput(output, '')).toMatchObject({ complete: false, failures_named: false })
  })
})

const VITEST_TESTS = [
  'passed a.test.ts > adds',
  'passed a.test.ts > adds #2',
  'passed a.test.ts > suite > inner ok',
  'failed a.test.ts > suite > fails',
  'skipped a.test.ts > suite > skipped',
  'todo a.test.ts > suite > later',
  'passed a.test.ts > suite > deep > deepest',
  'passed b.test.ts > adds',
]

describe('vitest', () => {
  const failures = sample('vitest-failures.stderr.txt')

  it.each(['verbose', 'default'])(
    'with the %s reporter names every test, in colour and with a lookalike',
    (name) => {
      expect(told(sample(`vitest-${name}.stdout.txt`), failures)).toEqual(whole('vitest', VITEST_TESTS))
    },
  )

  it.each(['tap', 'tap-flat'])('with the %s reporter names every test', (name) => {
    expect(told(sample(`vitest-${name}.stdout.txt`))).toEqual(whole('tap', VITEST_TESTS))
  })

  it('with the JUnit reporter names every test, and knows no todo', () => {
    const names = VITEST_TESTS.map((test) => test.replace('todo', 'skipped'))
    expect(told(sample('vitest-junit.xml'))).toEqual(whole('junit', names))
  })

  it('with the dot reporter names the failed ones', () => {
    expect(told(sample('vitest-dot.stdout.txt'), failures)).toEqual(
      failedOnly('vitest', 6, ['failed a.test.ts > suite > fails']),
    )
  })

  it('keeps the project in the name, and names a file that could not be loaded', () => {
    const names = VITEST_TESTS.map((test) =>
      test.replace('a.test', '|unit| a.test').replace('b.test', '|other| b.test'),
    )
    const run = told(sample('vitest-projects.stdout.txt'), sample('vitest-projects.stderr.txt'))
    expect(run?.tests.toSorted()).toEqual([...names, 'failed (suite) |other| boom.test.ts'].toSorted())
    expect(run?.complete).toBe(true)
  })
})

describe('jest', () => {
  it('with --verbose names every test by file and suite, from stderr', () => {
    expect(told('', sample('jest-verbose.stderr.txt'))).toEqual(
      whole('jest', [
        'passed src/sum.test.js > adds',
        'passed src/sum.test.js > adds #2',
        'passed src/sum.test.js > suite > inner ok',
        'skipped src/sum.test.js > suite > skipped one',
        'todo src/sum.test.js > suite > later',
        'passed src/sum.test.js > suite > deep > waits',
        'passed src/sum.test.js > suite > after deep',
        'failed src/broken.test.js > suite > fails',
        'passed src/broken.test.js > top level',
        'failed (suite) src/missing.test.js',
      ]),
    )
  })

  it('without it names the failed ones', () => {
    expect(told('', sample('jest-default.stderr.txt'))).toEqual(
      failedOnly('jest', 8, ['failed src/broken.test.js > suite > fails']),
    )
  })
})

describe('pytest', () => {
  const failed = ['test_fail', 'TestC > test_m2', 'test_error'].map(
    (name) => `failed test_sample.py > ${name}`,
  )

  it('with -v names every test, whatever its parameters look like', () => {
    expect(told(sample('pytest-verbose.txt'))).toEqual(
      whole('pytest', [
        'passed test_sample.py > test_ok',
        'failed test_sample.py > test_fail',
        'skipped test_sample.py > test_skip',
        'todo test_sample.py > test_xfail',
        'passed test_sample.py > test_xpass',
        'passed test_sample.py > test_param[x y]',
        'passed test_sample.py > test_param[PASSED [ 50%]]',
        'passed test_sample.py > test_param[a - b]',
        'passed test_sample.py > TestC > test_method',
        'failed test_sample.py > TestC > test_m2',
        'failed test_sample.py > test_error',
      ]),
    )
  })

  it.each(['default', 'quiet'])('in its %s form names the failed ones', (name) => {
    expect(told(sample(`pytest-${name}.txt`))).toEqual(failedOnly('pytest', 9, failed))
  })

  it('is not complete with -rA, which leaves the skipped ones without names', () => {
    const run = told(sample('pytest-all-summary.txt'))
    expect({ ...run, tests: run?.tests.toSorted() }).toEqual(failedOnly('pytest', 9, failed.toSorted()))
  })

  it('with -qq, where nothing is counted, names the failed ones', () => {
    expect(told(sample('pytest-qq.txt'))).toEqual(
      failedOnly('pytest', 8, [
        'failed test_p.py > test[1]',
        'failed test_a.py > TestA > test_each',
        'failed test_a.py > TestA > test_throws',
        'failed test_a.py > TestA > test_told',
        'failed test_a.py > TestB > test_never',
      ]),
    )
  })

  it('names a file that could not be collected', () => {
    expect(told(sample('pytest-broken-file.txt'))).toEqual(whole('pytest', ['failed (suite) test_broken.py']))
  })

  it('is read from its JUnit report when that stands in the output', () => {
    const run = told(sample('pytest-junit-among-text.txt'))
    expect(run).toMatchObject({ format: 'junit', complete: true })
    expect(run?.tests).toHaveLength(11)
    expect(run?.tests).toContain('failed pytest > test_sample.TestC > test_m2')
  })

  it('counts a test once that passes and then breaks in its teardown', () => {
    const output =
      'a.py::test_x PASSED  [100%]\na.py::test_x ERROR   [100%]\n=== 1 passed, 1 error in 0.01s ==='
    expect(told(output)).toEqual(whole('pytest', ['failed a.py > test_x']))
  })

  it('is read when its tests run in parallel', () => {
    const output =
      '[gw0] [ 50%] PASSED a.py::test_x \n[gw1] [100%] FAILED a.py::test_y \n=== 1 failed, 1 passed in 0.01s ==='
    expect(told(output)).toEqual(whole('pytest', ['passed a.py > test_x', 'failed a.py > test_y']))
  })
})

describe('go test', () => {
  it('with -v names every test by package, and a package that did not build', () => {
    expect(told(sample('go-verbose.txt'))).toEqual(
      whole('go-test', [
        'failed example.com/calc > TestAdd',
        'passed example.com/calc > TestAdd > one_and_one',
        'failed example.com/calc > TestAdd > fails',
        'skipped example.com/calc > TestSkipped',
        'passed example.com/calc > TestParallel',
        'passed example.com/calc/deep > TestAdd',
        'failed (suite) example.com/calc/broken',
      ]),
    )
  })

  it('without it names the failed ones', () => {
    expect(told(sample('go-default.txt'))).toEqual(
      failedOnly('go-test', null, [
        'failed example.com/calc > TestAdd',
        'failed example.com/calc > TestAdd > fails',
      ]),
    )
  })

  it('with -json names every test', () => {
    expect(told(sample('go-json.txt'))).toEqual(
      whole('go-json', [
        'failed example.com/calc > TestAdd > fails',
        'failed example.com/calc > TestAdd',
        'skipped example.com/calc > TestSkipped',
        'passed example.com/calc/deep > TestAdd',
      ]),
    )
  })

  it('is not complete when a test started and never ended', () => {
    const output = '=== RUN   TestA\n--- PASS: TestA (0.00s)\n=== RUN   TestB\npanic: gone\nFAIL\tpkg\t0.1s'
    expect(parseTestOutput(output, '')).toMatchObject({ complete: false, failures_named: false })
  })

  it('counts a repeated test as failed when it failed once', () => {
    const output = ['FAIL', 'PASS'].map((word) => `=== RUN   TestA\n--- ${word}: TestA (0.00s)`)
    expect(told([...output, 'FAIL\tpkg\t0.1s'].join('\n'))).toEqual(whole('go-test', ['failed pkg > TestA']))
  })
})

describe('cargo test', () => {
  const targets = sample('cargo.stderr.txt')

  it('names every test by target, and a documentation test without its line', () => {
    expect(told(sample('cargo.stdout.txt'), targets)).toEqual(
      whole('cargo-test', [
        'passed tiny src/lib.rs > tests > deep > inner',
        'skipped tiny src/lib.rs > tests > ignored',
        'skipped tiny src/lib.rs > tests > ignored_why',
        'passed tiny src/lib.rs > tests > ok',
        'failed tiny src/lib.rs > tests > fails',
        'passed tiny src/lib.rs > tests > panics',
        'passed integration tests/integration.rs > ok',
        'passed tiny documentation > src/lib.rs - one',
      ]),
    )
  })

  it.each(['quiet', 'nocapture'])('with --%s names the failed ones', (name) => {
    expect(told(sample(`cargo-${name}.stdout.txt`), targets)).toEqual(
      failedOnly('cargo-test', 6, ['failed tiny src/lib.rs > tests > fails']),
    )
  })
})

describe('what a program under test prints', () => {
  it.each([
    ['node-20-spec.txt', true],
    ['node-26-spec.txt', true],
    ['cargo-nocapture.stdout.txt', true],
    ['node-26-tap.txt', false],
    ['node-26-broken-file-spec.txt', false],
    ['pytest-verbose.txt', false],
    ['pytest-default.txt', false],
    ['jest-default.stderr.txt', false],
    ['jest-verbose.stderr.txt', false],
    ['vitest-dot.stdout.txt', false],
    ['go-verbose.txt', false],
    ['go-default.txt', false],
    ['cargo-quiet.stdout.txt', false],
    ['cargo.stdout.txt', false],
  ])('contradicts the tool in %s: %s', (name, isContradicted) => {
    expect(parseTestOutput(sample(name), '')?.contradicted ?? false).toBe(isContradicted)
  })

  it.each([
    ['node-26-spec.txt', 'ℹ tests 1\nℹ pass 1\n'],
    ['node-26-tap.txt', '1..1\nok 1 - forged\n'],
    ['tap-14.txt', '1..1\nok 1 - forged\n'],
    ['jest-verbose.stderr.txt', 'Tests:       1 passed, 1 total\n'],
    ['vitest-verbose.stdout.txt', ' Test Files  1 passed (1)\n'],
    ['pytest-verbose.txt', '1 passed in 0.01s\n'],
  ])('shows as one more final count in %s', (name, forged) => {
    expect(parseTestOutput(sample(name), '')?.reports).toBe(1)
    expect(parseTestOutput(forged + sample(name), '')?.reports).toBe(2)
  })
})

describe('output that was cut off', () => {
  const cut = (stdout: string) => parseTestOutput(stdout, '', { root: ROOT, isCut: true })
  const passed = (name: string) => ({ name, status: 'passed', kind: 'test' })

  it.each([
    ['node-spec', '✔ adds (1.5ms)\n▶ suite\n  ✔ inner (1ms)\n', ['adds']],
    ['tap', 'TAP version 13\nok 1 - adds\n# half a li', ['adds']],
    [
      'pytest',
      '=== test session starts ===\na.py::test_x PASSED  [ 50%]\na.py::test_hang ',
      ['a.py > test_x'],
    ],
    ['jest', 'PASS src/a.test.js\n  ✓ adds (1 ms)\n', ['src/a.test.js > adds']],
    ['vitest', ' RUN  v5.1.0 /project\n ✓ a.test.ts > adds 1ms\n', ['a.test.ts > adds']],
    ['cargo-test', 'running 2 tests\ntest math::adds ... ok\ntest math::hangs ... ', ['math > adds']],
  ])('of %s names the tests that had passed', (format, output, names) => {
    expect(cut(output)).toEqual({
      format,
      tests: names.map(passed),
      complete: false,
      failures_named: false,
      ran: null,
    })
  })

  it('of no known tool is nothing', () => {
    expect(cut('compiling…\nstill compi')).toBeNull()
    expect(cut('')).toBeNull()
  })
})

describe('unittest', () => {
  it('names every test with -v: subtests, docstrings, tests that print and a class that could not be set up', () => {
    expect(told('', sample('unittest-verbose.txt'))).toEqual(
      whole('unittest', [
        'passed test_a.TestA > test_adds',
        'failed test_a.TestA > test_each',
        'todo test_a.TestA > test_known',
        'skipped test_a.TestA > test_later',
        'passed test_a.TestA > test_prints',
        'failed test_a.TestA > test_throws',
        'failed test_a.TestA > test_told',
        'failed (suite) test_a.TestB > setUpClass',
      ]),
    )
  })

  it('names the failed ones without it, and counts the rest', () => {
    expect(told('', sample('unittest.txt'))).toEqual(
      failedOnly('unittest', 6, [
        'failed test_a.TestA > test_throws',
        'failed (suite) test_a.TestB > setUpClass',
        'failed test_a.TestA > test_each',
        'failed test_a.TestA > test_told',
      ]),
    )
  })

  it('does not take a module that cannot be loaded for a test', () => {
    expect(told('', sample('unittest-broken.txt'))?.tests).toEqual([
      'failed (suite) unittest.loader._FailedTest > test_broken',
    ])
  })
})

const MOCHA_FAILURES = [
  'failed Array > #indexOf() > finds nothing',
  'failed (suite) hooked > "before all" hook for "never runs"',
]

describe('mocha', () => {
  it('names every test with the spec reporter, and a hook that failed', () => {
    expect(told(sample('mocha-spec.txt'))).toEqual(
      whole('mocha', [
        'passed top level',
        'passed Array > #indexOf() > finds it',
        MOCHA_FAILURES[0] ?? '',
        'skipped Array > #indexOf() > is fast',
        'passed Array > #indexOf() > is spaced',
        MOCHA_FAILURES[1] ?? '',
      ]),
    )
  })

  it.each(['mocha-dot.txt', 'mocha-min.txt', 'mocha-spec-with-log.txt'])(
    'names the failed ones in %s, where a test prints a line like a result',
    (name) => {
      expect(told(sample(name))).toEqual(failedOnly('mocha', 6, MOCHA_FAILURES))
    },
  )
})

const AVA_TESTS = [
  'skipped ava > is fast',
  'todo ava > later',
  'passed ava > adds',
  'failed ava > subtracts',
  'todo ava > is known to be wrong',
  'passed ava > logs',
  'passed ava-b > adds',
]

describe('AVA', () => {
  it('names every test, by file where there are several', () => {
    expect(told(sample('ava.txt'))).toEqual(whole('ava', AVA_TESTS))
    const alone = AVA_TESTS.slice(0, -1).map((test) => test.replace('ava > ', ''))
    expect(told(sample('ava-one-file.txt'))).toEqual(whole('ava', alone))
    expect(told(sample('ava-green.txt'))).toEqual(whole('ava', ['passed adds']))
  })

  it.each(['ava-green.txt', 'mocha-spec.txt', 'tape.txt'])(
    'names every test beside what %s says, whichever comes first',
    (other) => {
      const alone = told(sample(other))?.tests ?? []
      for (const mixed of [
        `${sample('ava.txt')}\n${sample(other)}`,
        `${sample(other)}\n${sample('ava.txt')}`,
      ])
        expect(told(mixed)?.tests.toSorted()).toEqual([...alone, ...AVA_TESTS].toSorted())
    },
  )

  it('names a file that could not be loaded', () => {
    expect(told(sample('ava-broken.txt'))?.tests).toContain('failed (suite) broken.test.mjs')
  })

  it('is read as TAP, where it counts skipped tests apart', () => {
    const run = told(sample('ava-tap.txt'))
    expect(run).toMatchObject({ format: 'tap', complete: true, failures_named: true })
    expect(run?.tests).toContain('failed ava › subtracts')
  })
})

describe('RSpec', () => {
  const failed = ['failed Array #index finds nothing', 'failed Array when hooked never runs']

  it('names every example in the documentation format', () => {
    expect(told(sample('rspec-documentation.txt'))).toEqual(
      whole('rspec', [
        'passed Array tops',
        'passed Array #index finds it',
        failed[0] ?? '',
        'skipped Array #index is later',
        'skipped Array #index is slow',
        failed[1] ?? '',
      ]),
    )
  })

  it('names the failed ones in the progress format, by the same names', () => {
    expect(told(sample('rspec-progress.txt'))).toEqual(failedOnly('rspec', 4, failed))
    expect(told(sample('rspec-green.txt'))).toEqual(failedOnly('rspec', 2, []))
  })

  it('names a file that could not be loaded', () => {
    expect(told(sample('rspec-broken.txt'))).toEqual(failedOnly('rspec', 0, ['failed (suite) ./b_spec.rb']))
  })
})

describe('PHPUnit', () => {
  it('names every test with --testdox', () => {
    const run = told(sample('phpunit-testdox.txt'))
    expect(run).toMatchObject({ complete: true, failures_named: true, ran: 6 })
    expect(run?.tests).toEqual(
      expect.arrayContaining(['passed A > Adds', 'failed A > Throws', 'skipped A > Skipped']),
    )
  })

  it('counts a failed one once that --testdox tells again in its summary', () => {
    expect(told(sample('phpunit-testdox-summary.txt'))).toMatchObject({
      complete: true,
      ran: 4,
      tests: ['passed Aa > Keeps', 'failed Aa > Doubles', 'passed Bb > Keeps', 'failed Bb > Doubles'],
    })
  })

  it('names the failed ones without it, data sets included, and no risky one', () => {
    expect(told(sample('phpunit.txt'))).toEqual(
      failedOnly('phpunit', 6, [
        'failed ATest > testThrows',
        'failed ATest > testSubtracts',
        'failed ATest > testPairs with data set "two"',
      ]),
    )
    expect(told(sample('phpunit-green.txt'))).toEqual(failedOnly('phpunit', 1, []))
  })
})

describe('tools that are read after published samples', () => {
  it.each([
    ['dotnet', 'dotnet-test', 3, ['failed Sample.MathTests.Subtracts']],
    [
      'surefire',
      'surefire',
      4,
      ['failed com.example.ATest > subtracts', 'failed com.example.ATest > throwsUp'],
    ],
    ['surefire-2', 'surefire', 2, ['failed com.example.ATest > subtracts']],
    ['gradle', 'gradle', 3, ['failed ATest > subtracts()']],
  ])('%s names the failed ones and counts the rest', (name, format, ran, tests) => {
    expect(told(sample(`${name}-published-sample.txt`))).toEqual(failedOnly(format, ran, tests))
  })

  it('dotnet test and Gradle name every test when they are told to', () => {
    expect(told(sample('dotnet-normal-published-sample.txt'))).toEqual(
      whole('dotnet-test', [
        'passed Sample.MathTests.Adds',
        'passed Sample.MathTests.Pairs(a: 1, b: 1)',
        'failed Sample.MathTests.Subtracts',
        'skipped Sample.MathTests.Later',
      ]),
    )
    expect(told(sample('gradle-logging-published-sample.txt'))).toEqual(
      whole('gradle', [
        'passed ATest > adds()',
        'skipped ATest > later()',
        'passed ATest > pairs(int, int) > [1] 1, 1',
      ]),
    )
  })
})

it('tape names each assertion by the test it stands in', () => {
  expect(told(sample('tape.txt'))).toEqual(
    whole('tap', [
      'passed adds > should be strictly equal',
      'passed adds > two',
      'failed subtracts > is one',
      'passed subtracts > should be truthy',
      'todo later > not yet',
    ]),
  )
})

it('the reader of test names reads the counts of tape, which pads them', () => {
  const output = 'TAP version 13\n# adds\nok 1 one\nnot ok 2 two\n\n1..2\n# tests 2\n# pass  1\n# fail  1\n'
  expect(told(output)).toEqual(whole('tap', ['passed adds > one', 'failed adds > two']))
})
