import { describe, expect, it } from 'vitest'
import { firstProgram, judgeBase } from './preflight.ts'
import type { CommandRun } from './verification.ts'

it.each([
  ['npm test', 'npm'],
  ['CI=1 NODE_ENV=test  pytest -q', 'pytest'],
  ['npx eslint .', 'npx'],
  ['cd web && npm test', null],
  ['./check.sh', null],
  ['"my program" x', null],
  ['$RUNNER x', null],
  ['test -f x', null],
  ['', null],
])('%j starts %s', (run, program) => expect(firstProgram(run)).toBe(program))

describe('the checks on the base', () => {
  const green: CommandRun = {
    name: 'test',
    run: 'npm test',
    ended: 'exited',
    exit_code: 0,
    output: 'fine',
    tests: null,
    duration_ms: 1,
    flaky: false,
  }
  const named = {
    format: 'tap',
    tests: [{ name: 'adds', status: 'failed' as const, kind: 'test' as const }],
    complete: true,
    failures_named: true,
    ran: 1,
  }
  const judged = (run: Partial<CommandRun>) => judgeBase([{ ...green, ...run }])

  it('say nothing when they are green', () => expect(judged({})).toEqual({ blocking: [], warnings: [] }))

  it.each([
    ['not_started', /it could not be started\. Install the program/],
    ['setup_failed', /workspace\.setup failed/],
    ['timed_out', /longer than its timeout/],
    ['signalled', /a signal ends it/],
    ['flooded', /without end/],
  ] as const)('stop everything when one ended as %s, with what to do and what it said', (ended, why) => {
    const { blocking } = judged({ ended, exit_code: null, output: 'one\n\nnpm: not found\n\u001B[m\n' })
    expect(blocking).toEqual([expect.stringMatching(why)])
    expect(blocking[0]).toMatch(/It says: one \| npm: not found$/)
  })

  it('tell a setup that failed once, for all commands that need it', () => {
    const failed = { ...green, ended: 'setup_failed', exit_code: null, output: 'npm error' } as const
    const runs = [failed, { ...green, name: 'docs' }, { ...failed, name: 'lint', run: 'npm run lint' }]
    expect(judgeBase(runs).blocking).toEqual([
      'test, lint: workspace.setup failed, without which it cannot run. Run that command yourself, and correct it. It says: npm error',
    ])
  })

  it.each([
    [
      'error: subprocess-exited-with-error\n× pip did not run\nERROR: No matching distribution found for setuptools\n[end of output]\nerror: subprocess-exited-with-error\n╰─> See above for output.\nnote: This error originates from a subprocess',
      'error: subprocess-exited-with-error | ERROR: No matching distribution found for setuptools',
    ],
    [
      "node:fs:1658\n  const stats = binding.stat(\nError: ELOOP: too many links, stat 'a'\n  code: 'ELOOP',\n}\nNode.js v26.10.0",
      "Error: ELOOP: too many links, stat 'a'",
    ],
    ['npm error code E404\nnpm error 404 Not Found\n', 'npm error code E404 | npm error 404 Not Found'],
    [
      'src/a.ts(1,5): error TS2322: wrong\nFound 1 error.',
      'src/a.ts(1,5): error TS2322: wrong | Found 1 error.',
    ],
    [
      "ImportError while loading conftest 'tests/conftest.py'.\ntests/conftest.py:4: in <module>\n    import app\nE   ModuleNotFoundError: No module named 'app'\n",
      "ImportError while loading conftest 'tests/conftest.py'. | E   ModuleNotFoundError: No module named 'app'",
    ],
    ['errors are fun\nall is said', 'errors are fun | all is said'],
  ])(
    'say what a command marks as errors, and its last lines only where it marks none: %j',
    (output, said) => {
      const { blocking } = judged({ ended: 'setup_failed', exit_code: null, output })
      expect(blocking[0]?.split('It says: ')[1]).toBe(said)
    },
  )

  it('stop everything when a test runner is red and names no failing test', () =>
    expect(judged({ exit_code: 1 }).blocking).toEqual([expect.stringContaining('red on the base (exit 1)')]))

  it('tell of an option only where a runner may need one to name its tests', () => {
    const advice = (run: string): string | undefined =>
      judged({ run, exit_code: 4 }).blocking[0]?.split('failure. ')[1]
    expect(advice('npm test')).toMatch(/^Repair it first, or let it name them \(such as --reporter=tap\)/)
    expect(advice('.venv/bin/python -m pytest')).toMatch(
      /^It names them where it gets so far: repair it first\./,
    )
  })

  it('warn of a test runner that is red with names, and of a red linter', () => {
    expect(judged({ exit_code: 1, tests: named })).toEqual({
      blocking: [],
      warnings: ['test: red on the base (exit 1): adds; only what is new counts against a fix'],
    })
    expect(judged({ name: 'lint', run: 'npx eslint .', exit_code: 1 })).toEqual({
      blocking: [],
      warnings: [
        'lint: red on the base (exit 1) and names nothing that failed; only a fix that turns it green can be judged',
      ],
    })
  })

  it('say that only green counts where all tests pass, and something after them is red', () => {
    const passing = { ...named, tests: [{ name: 'adds', status: 'passed' as const, kind: 'test' as const }] }
    expect(judged({ run: 'npm test && npm run lint', exit_code: 3, tests: passing })).toEqual({
      blocking: [],
      warnings: [
        'test: red on the base (exit 3) and names nothing that failed; only a fix that turns it green can be judged',
      ],
    })
  })

  it('say nothing of a run that was cancelled', () =>
    expect(judged({ ended: 'cancelled', exit_code: null })).toEqual({ blocking: [], warnings: [] }))
})
