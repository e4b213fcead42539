import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { createChecks } from '../../src/adapters/checks/index.ts'
import type { Prepare } from '../../src/adapters/workspaces/index.ts'
import { noJail, type CheckCache } from '../../src/loop/ports.ts'
import type { CheckCommand, CommandRun } from '../../src/model/proof/verification.ts'
import {
  makeRepository,
  openFixture,
  snapshotOf,
  type FixtureFile,
  type FixtureRepository,
} from '../fixtures/repositories.ts'
import { survivorsOf } from './agent-suite.ts'

const fixtures: FixtureRepository[] = []
afterEach(() => {
  for (const fixture of fixtures.splice(0)) fixture.dispose()
})

const memoryCache = (): CheckCache & { readonly runs: Map<string, CommandRun> } => {
  const runs = new Map<string, CommandRun>()
  return {
    runs,
    get: async (key) => runs.get(key) ?? null,
    put: async (key, run) => void runs.set(key, run),
  }
}

interface Given {
  readonly files?: Readonly<Record<string, FixtureFile>>
  readonly env?: Readonly<Record<string, string>>
  readonly prepare?: Prepare
}

/** Checks over a real repository; `$MARKS` names a folder outside of every checkout. */
async function makeChecks({ files, env = {}, prepare }: Given = {}) {
  const fixture = makeRepository(files)
  fixtures.push(fixture)
  const { workspaces, trees, base } = await openFixture(fixture, prepare ?? null)
  const cache = memoryCache()
  let count = 0
  const options = {
    workspaces,
    trees,
    cache,
    hash: (text: string) => createHash('sha256').update(text).digest('hex'),
    ids: { next: (prefix: string) => `${prefix}_${(count += 1)}` },
    env: { PATH: process.env['PATH'] ?? '', MARKS: fixture.folder, ...env },
    repository: 'one',
    pace: { note: async () => undefined },
    setup: '',
    home: fixture.home,
    jail: noJail,
  }
  const checks = createChecks(options)
  const ofOther = createChecks({ ...options, repository: 'other' })
  const run = async (
    commands: readonly CheckCommand[],
    signal = new AbortController().signal,
    isControl = false,
  ) => checks.run({ commands, revision: base, signal, isControl })
  return {
    fixture,
    base,
    cache,
    checks,
    ofOther,
    run,
    runOne: async (command: string, given: Partial<CheckCommand> = {}) => {
      const [result] = await run([check(command, given)])
      if (!result) throw new Error('there is no result')
      return result
    },
    /** Counts the runs of a command that appends to `$MARKS/ran`. */
    timesRun: () => readIfThere(join(fixture.folder, 'ran')).split('\n').length - 1,
    otherEnvironment: (more: Readonly<Record<string, string>>) =>
      createChecks({ ...options, env: { ...options.env, ...more } }).run({
        commands: [check(counted)],
        revision: base,
        signal: new AbortController().signal,
      }),
  }
}

const readIfThere = (path: string): string => (existsSync(path) ? readFileSync(path, 'utf8') : '')

const check = (run: string, given: Partial<CheckCommand> = {}): CheckCommand => ({
  name: 'test',
  run,
  timeout_ms: 60_000,
  paths: [],
  ...given,
})

const counted = 'echo once >> "$MARKS/ran"'
const node = `"${process.execPath}"`

describe('a command', () => {
  it('that ends with 0 has passed; its checkout is gone and the repository is as it was', async () => {
    const { runOne, fixture } = await makeChecks({ files: { 'a.txt': 'hello\n' } })
    const before = snapshotOf(fixture.root)
    expect(await runOne('cat a.txt; echo spoiled > a.txt')).toEqual({
      name: 'test',
      run: 'cat a.txt; echo spoiled > a.txt',
      ended: 'exited',
      exit_code: 0,
      output: 'hello',
      tests: null,
      duration_ms: expect.any(Number),
      flaky: false,
    })
    expect(readdirSync(join(fixture.home, 'workspaces'))).toEqual([])
    expect(snapshotOf(fixture.root)).toEqual(before)
  })

  it('that writes into tests or code of its checkout says which', async () => {
    const { runOne } = await makeChecks({ files: { 'a.js': '1\n', 'test/a.test.js': '1\n', 'a.txt': '1\n' } })
    expect(await runOne('echo 2 > test/a.test.js; echo 2 > a.txt; echo 2 > b.js')).toMatchObject({
      rewrote: ['test/a.test.js'],
    })
  })

  it('that ends with another code has failed, after it was asked twice', async () => {
    const { runOne, timesRun } = await makeChecks()
    expect(await runOne(`${counted}; echo out; echo err >&2; exit 3`)).toMatchObject({
      ended: 'exited',
      exit_code: 3,
      output: 'out\nerr',
      flaky: false,
    })
    expect(timesRun()).toBe(2)
  })

  it.each(['no-such-program --now', 'true && no-such-program', './not-executable.sh'])(
    'that cannot be run was not started: %s',
    async (command) => {
      const { runOne, cache } = await makeChecks({ files: { 'not-executable.sh': 'exit 0\n' } })
      expect(await runOne(command)).toMatchObject({
        ended: 'not_started',
        flaky: false,
        output: expect.stringContaining('not'),
      })
      expect(cache.runs.size).toBe(0)
    },
  )

  it('that takes too long is ended with everything it started, and may be asked again', async () => {
    const { runOne, fixture, cache } = await makeChecks()
    const command =
      '(setsid sh -c "trap \'\' INT TERM HUP; while :; do sleep 1000; done" &) ; echo begun; sleep 1001'
    expect(await runOne(command, { timeout_ms: 1_000 })).toMatchObject({
      ended: 'timed_out',
      output: 'begun',
    })
    expect(survivorsOf(fixture.home)).toEqual([])
    expect(cache.runs.size).toBe(0)
  })

  it.each(['kill -9 $$', 'sh -c "kill -9 \\$\\$" && true', 'sh -c "kill -SEGV \\$\\$"; exit $?'])(
    'that a signal ended was signalled, also inside its shell: %s',
    async (command) => {
      const { runOne, cache } = await makeChecks()
      expect(await runOne(command)).toMatchObject({ ended: 'signalled', flaky: false })
      expect(cache.runs.size).toBe(0)
    },
  )

  it('that prints without end is flooded', async () => {
    const { runOne, fixture } = await makeChecks()
    const { ended, output } = await runOne(
      `${node} -e "const c = Buffer.alloc(1 << 22, 120); for (;;) require('fs').writeSync(1, c)"`,
    )
    expect(ended).toBe('flooded')
    expect(output.length).toBeLessThan(13_000)
    expect(survivorsOf(fixture.home)).toEqual([])
  })

  it('that prints much keeps the head and the tail of both streams', async () => {
    const { runOne } = await makeChecks()
    const { output } = await runOne(
      'echo out-first; seq 200000; echo out-last; { echo err-first; seq 200000; echo err-last; } >&2; exit 0',
    )
    expect(output.length).toBeLessThan(13_000)
    expect(output.split('\n')).toEqual(
      expect.arrayContaining(['out-first', 'out-last', 'err-first', 'err-last']),
    )
    expect(output).toMatch(/… \d+ characters left out …/)
  })

  it('has its tests read by name', async () => {
    const { runOne } = await makeChecks()
    const { tests } = await runOne(
      'printf "TAP version 13\\n1..2\\nok 1 - adds\\nnot ok 2 - subtracts\\n"; exit 1',
    )
    expect(tests).toEqual({
      format: 'tap',
      tests: [
        { name: 'adds', status: 'passed', kind: 'test' },
        { name: 'subtracts', status: 'failed', kind: 'test' },
      ],
      complete: true,
      failures_named: true,
      ran: 2,
      reports: 1,
    })
  })

  it('whose output was cut does not name all its tests', async () => {
    const { runOne } = await makeChecks()
    const report = 'printf "TAP version 13\\n1..1\\nok 1 - adds\\n"'
    const { tests } = await runOne(`${report}; head -c 5000000 /dev/zero | tr "\\0" "x"; echo; exit 0`)
    expect(tests).toMatchObject({ format: 'tap', complete: false, failures_named: false })
  })

  it('gets the given environment and nothing of ours', async () => {
    process.env['CANARY_TOKEN'] = 'canary'
    const { runOne, fixture } = await makeChecks({ env: { GIVEN: 'yes' } })
    const { output } = await runOne('env')
    delete process.env['CANARY_TOKEN']
    const ofShell = ['PWD', 'OLDPWD', 'SHLVL', '_']
    const names = output.split('\n').map((line) => line.split('=')[0] ?? '')
    expect(new Set(names.filter((name) => !ofShell.includes(name)))).toEqual(
      new Set(['PROC_GROUP_ID', 'GIVEN', 'MARKS', 'PATH']),
    )
    expect(output).toContain(`MARKS=${fixture.folder}`)
  })
})

describe('a command that is run once more', () => {
  const second = 'if [ -e been-here ]; then'

  it('and passes then is flaky, and is not remembered', async () => {
    const { runOne, cache } = await makeChecks()
    const run = await runOne(`${second} exit 0; fi; touch been-here; exit 1`)
    expect(run).toMatchObject({ exit_code: 1, flaky: true })
    expect(run.flips).toBeUndefined()
    expect(cache.runs.size).toBe(0)
  })

  it('and fails in another test then is flaky', async () => {
    const { runOne } = await makeChecks()
    const report = (test: string) => `printf "TAP version 13\\n1..1\\nnot ok 1 - ${test}\\n"; exit 1`
    expect(await runOne(`${second} ${report('one')}; fi; touch been-here; ${report('two')}`)).toMatchObject({
      flaky: true,
      flips: ['one', 'two'],
    })
  })

  it('and is red again though the test that failed passes is red for something else as well', async () => {
    const { runOne } = await makeChecks()
    const report = (word: string, exit: number) =>
      `printf "TAP version 13\\n1..1\\n${word} 1 - one\\n"; exit ${exit}`
    const again = (exit: number) =>
      `${second} ${report('ok', exit)}; fi; touch been-here; ${report('not ok', 1)}`
    expect(await runOne(again(1))).toMatchObject({ flaky: true, flips: ['one'], red_besides: true })
    expect((await runOne(again(0))).red_besides).toBeUndefined()
  })

  it('has tests that flip, which are remembered for its repository alone', async () => {
    const { checks, ofOther } = await makeChecks()
    await checks.noteFlips?.('test', ['b'])
    await checks.noteFlips?.('test', ['a', 'b'])
    expect(await checks.flipsOf?.('test')).toEqual(['a', 'b'])
    expect([await checks.flipsOf?.('lint'), await ofOther.flipsOf?.('test')]).toEqual([[], []])
  })

  it('as a control runs twice though it passes, whatever is remembered, and is not remembered itself', async () => {
    const { run, timesRun, cache } = await makeChecks()
    const result = (word: string) => `printf "TAP version 13\\n1..1\\n${word} 1 - one\\n"`
    const command = check(
      `${counted}; ${second} ${result('not ok')}; exit 1; fi; touch been-here; ${result('ok')}`,
    )
    const signal = new AbortController().signal
    expect(await run([command])).toMatchObject([{ exit_code: 0, flaky: false }])
    expect(await run([command], signal, true)).toMatchObject([{ exit_code: 0, flaky: true, flips: ['one'] }])
    expect([timesRun(), cache.runs.size]).toEqual([3, 1])
  })

  it('and takes too long names the tests that had passed by then', async () => {
    const { runOne } = await makeChecks()
    const begun = 'printf "TAP version 13\\nok 1 - one\\n"; exec sleep 1000'
    expect(await runOne(begun, { timeout_ms: 1_000 })).toMatchObject({
      ended: 'timed_out',
      tests: { tests: [{ name: 'one', status: 'passed', kind: 'test' }], complete: false, ran: null },
    })
  })

  it('and takes too long then has timed out, with no exit code of the first time', async () => {
    const { runOne, cache } = await makeChecks()
    const command = `${second} exec sleep 1000; fi; touch been-here; exit 1`
    expect(await runOne(command, { timeout_ms: 1_000 })).toMatchObject({
      ended: 'timed_out',
      exit_code: null,
    })
    expect(cache.runs.size).toBe(0)
  })
})

describe('a result', () => {
  it('is remembered for the same tree, command and environment, failed or passed', async () => {
    const { runOne, timesRun, otherEnvironment } = await makeChecks()
    const first = await runOne(counted)
    expect(await runOne(counted)).toEqual(first)
    expect(timesRun()).toBe(1)
    await runOne(counted, { timeout_ms: 1_000 })
    expect(timesRun()).toBe(2)
    await otherEnvironment({ NODE_ENV: 'test' })
    expect(timesRun()).toBe(3)
    const failed = await runOne(`${counted}; exit 1`)
    expect(await runOne(`${counted}; exit 1`)).toEqual(failed)
    expect(timesRun()).toBe(5)
  })

  it('is not believed at a first look when it was red: what was missing may be there by now', async () => {
    const { checks, base, fixture, timesRun } = await makeChecks()
    const { signal } = new AbortController()
    const command = check(`${counted}; test -e "$MARKS/service"`)
    const look = async (isFirstLook: boolean) => {
      const [run] = await checks.run({ commands: [command], revision: base, signal, isFirstLook })
      return run?.exit_code
    }
    expect(await look(true)).toBe(1)
    const once = timesRun()
    writeFileSync(join(fixture.folder, 'service'), '')
    expect(await look(false)).toBe(1)
    expect(timesRun()).toBe(once)
    expect(await look(true)).toBe(0)
    expect(await look(false)).toBe(0)
    expect(await look(true)).toBe(0)
    expect(timesRun()).toBe(once + 1)
  })

  it('belongs to the commands that ran before it in the same checkout', async () => {
    const { run, runOne } = await makeChecks()
    const build = check('touch built', { name: 'build' })
    const test = check('test -e built')
    expect((await run([build, test])).map((result) => result.exit_code)).toEqual([0, 0])
    expect(await runOne(test.run)).toMatchObject({ exit_code: 1 })
    expect((await run([build, test])).map((result) => result.exit_code)).toEqual([0, 0])
  })

  it('is not remembered when a command before it could not be judged', async () => {
    const { run, timesRun, cache } = await makeChecks()
    const commands = [
      check(':', { name: 'first' }),
      check('no-such-program', { name: 'build' }),
      check(counted),
    ]
    expect((await run(commands)).map((result) => result.ended)).toEqual(['exited', 'not_started', 'exited'])
    expect(cache.runs.size).toBe(1)
    await run(commands)
    expect(timesRun()).toBe(2)
  })
})

describe('commands of one request', () => {
  it('run in order in one checkout that no other request sees', async () => {
    const { run } = await makeChecks()
    const append = (word: string) => check(`echo ${word} >> said; cat said`, { name: word })
    const [, , third] = await run([append('one'), append('two'), append('three')])
    expect(third?.output).toBe('one\ntwo\nthree')
    const [other] = await run([append('four')])
    expect(other?.output).toBe('four')
  })

  it('end when they are cancelled; those that follow are cancelled too, and nothing is remembered', async () => {
    const { run, fixture, cache, timesRun } = await makeChecks()
    const controller = new AbortController()
    const begun = join(fixture.folder, 'begun')
    const running = run(
      [check(`touch "${begun}"; sleep 1000`), check(counted, { name: 'next' })],
      controller.signal,
    )
    await expect.poll(() => existsSync(begun), { timeout: 200_000 }).toBe(true)
    controller.abort()
    expect((await running).map(({ ended }) => ended)).toEqual(['cancelled', 'cancelled'])
    expect([timesRun(), cache.runs.size, survivorsOf(fixture.home)]).toEqual([0, 0, []])
    expect(readdirSync(join(fixture.home, 'workspaces'))).toEqual([])
  })

  it('that are cancelled before they start make no checkout', async () => {
    const { run, fixture } = await makeChecks()
    expect((await run([check('true')], AbortSignal.abort())).map(({ ended }) => ended)).toEqual(['cancelled'])
    expect(existsSync(join(fixture.home, 'workspaces'))).toBe(false)
  })

  it('are not run when the setup has failed', async () => {
    const prepare: Prepare = {
      share: [],
      setup: { run: 'npm ci', timeoutMs: 1_000 },
      runSetup: async () => ({ exitCode: 1, output: 'no network' }),
    }
    const { run, timesRun, cache } = await makeChecks({ prepare })
    const [first, second] = await run([check(counted), check(counted, { name: 'lint' })])
    expect(first).toEqual({
      name: 'test',
      run: counted,
      ended: 'setup_failed',
      exit_code: null,
      output: expect.stringContaining('no network'),
      tests: null,
      duration_ms: 0,
      flaky: false,
    })
    expect(second).toMatchObject({ name: 'lint', ended: 'setup_failed' })
    expect([timesRun(), cache.runs.size]).toEqual([0, 0])
  })
})
