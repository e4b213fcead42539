import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, describe, expect, it } from 'vitest'
import { renderBoundedText } from '../../src/adapters/process/bounded-text.ts'
import { cleanEnvironment } from '../../src/adapters/process/clean-environment.ts'
import type { OutputLine } from '../../src/adapters/process/line-splitter.ts'
import type { ProcessRequest } from '../../src/adapters/process/start-process.ts'
import { processTable, psTable } from '../../src/adapters/process/process-table.ts'
import { createRunMark } from '../../src/adapters/process/run-mark.ts'
import { runProcess } from '../../src/adapters/process/run-process.ts'
import { findOrphans, sweepOrphans } from '../../src/adapters/process/sweep-orphans.ts'

const FIXTURES = join(import.meta.dirname, '../fixtures/processes')
const ENV = { PATH: process.env.PATH ?? '' }
const EMPTY = { head: '', tail: '', omittedBytes: 0 }
const scratch = mkdtempSync(join(tmpdir(), 'fixpoint-process-'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

function fixture(name: string, args: readonly string[] = []): ProcessRequest & { readonly mark: string } {
  return {
    command: process.execPath,
    args: [join(FIXTURES, name), ...args],
    cwd: scratch,
    env: ENV,
    timeoutMs: 100_000,
    walls: null,
    graceMs: 200,
    mark: createRunMark(scratch),
  }
}

/** Living processes that carry the mark, read without the code under test. */
function survivorsOf(mark: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false
    try {
      const state = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.[0]
      return state !== 'Z' && readFileSync(`/proc/${pid}/environ`, 'latin1').includes(mark)
    } catch {
      return false // ended meanwhile
    }
  })
}

/** A controller that aborts as soon as the process has written its first line. */
function abortOnFirstLine(): Pick<ProcessRequest, 'signal' | 'onLine'> & { readonly signal: AbortSignal } {
  const controller = new AbortController()
  return { signal: controller.signal, onLine: () => controller.abort() }
}

describe('a process that ends by itself', () => {
  it('gives its exit code, both streams and nothing else', async () => {
    const result = await runProcess({
      ...fixture('x'),
      command: 'echo out; echo err >&2; exit 3',
      args: [],
      shell: true,
    })
    expect(result).toEqual({
      ended: 'exited',
      exitCode: 3,
      signal: null,
      stdout: { ...EMPTY, head: 'out\n' },
      stderr: { ...EMPTY, head: 'err\n' },
      durationMs: expect.any(Number),
    })
  })

  it('gets exactly the environment, the arguments, the directory and the stdin of the request', async () => {
    process.env.CANARY_TOKEN = 'canary'
    const request = fixture('echo-env.mjs', ['$(id)', '; ls', '--x=`id`'])
    const result = await runProcess({ ...request, env: { ...ENV, ONE: '1' }, stdin: 'prompt' })
    delete process.env.CANARY_TOKEN
    expect(JSON.parse(result.stdout.head)).toEqual({
      env: { ...ENV, ONE: '1', PROC_GROUP_ID: request.mark },
      args: ['$(id)', '; ls', '--x=`id`'],
      cwd: scratch,
      stdin: 'prompt',
    })
  })

  it('hands arguments to a shell command as its positional parameters, never as code', async () => {
    const command = 'printf "%s|" "$1" "$2"'
    const result = await runProcess({ ...fixture('x'), command, args: ['$(id)', '"; id'], shell: true })
    expect(result.stdout.head).toBe('$(id)|"; id|')
  })

  it('keeps the mark of an outer run beside its own', async () => {
    process.env.PROC_GROUP_ID = 'outer'
    const request = fixture('echo-env.mjs')
    const result = await runProcess(request)
    delete process.env.PROC_GROUP_ID
    expect(JSON.parse(result.stdout.head).env.PROC_GROUP_ID).toBe(`outer,${request.mark}`)
  })

  it('is signalled when it dies by a signal, and its half line is handed over', async () => {
    const lines: OutputLine[] = []
    const result = await runProcess({ ...fixture('dies-mid-line.mjs'), onLine: (line) => lines.push(line) })
    expect(result).toMatchObject({ ended: 'signalled', exitCode: null, signal: 'SIGKILL' })
    expect(lines).toEqual([
      { text: '{"whole":1}', omittedBytes: 0 },
      { text: '{"half":', omittedBytes: 0 },
    ])
  })

  it('may close its streams early', async () => {
    const result = await runProcess(fixture('closes-stdout.mjs'))
    expect(result).toMatchObject({ ended: 'exited', exitCode: 3, stdout: { ...EMPTY, head: 'before' } })
  })

  it('may leave a large stdin unread', async () => {
    const result = await runProcess({ ...fixture('closes-stdin.mjs'), stdin: Buffer.alloc(5 * 2 ** 20) })
    expect(result).toMatchObject({ ended: 'exited', exitCode: 0, stdout: { head: 'done\n' } })
  })

  it('may split characters over writes and write bytes that are no text', async () => {
    const result = await runProcess(fixture('splits-characters.mjs'))
    expect(result.stdout.head).toBe('🎉\n\u{fffd}A')
  })
})

describe('a process that cannot start', () => {
  const notStarted = (error: string) => ({
    ended: 'not_started',
    exitCode: null,
    signal: null,
    stdout: EMPTY,
    stderr: EMPTY,
    durationMs: expect.any(Number),
    error,
  })

  it('says that the command was not found', async () => {
    const result = await runProcess({ ...fixture('x'), command: 'no-such-program' })
    expect(result).toEqual(notStarted('command not found: no-such-program'))
  })

  it('says that the command is not executable', async () => {
    const command = join(scratch, 'plain.txt')
    writeFileSync(command, 'text')
    expect(await runProcess({ ...fixture('x'), command })).toEqual(
      notStarted(`command is not executable: ${command}`),
    )
  })

  it('says that the working directory is missing or no directory', async () => {
    const cwd = join(scratch, 'missing')
    expect(await runProcess({ ...fixture('hangs.mjs'), cwd })).toEqual(
      notStarted(`working directory does not exist: ${cwd}`),
    )
    const file = join(FIXTURES, 'hangs.mjs')
    expect(await runProcess({ ...fixture('hangs.mjs'), cwd: file })).toEqual(
      notStarted(`working directory does not exist: ${file}`),
    )
  })

  it('says what is wrong with an argument that no program can get', async () => {
    const result = await runProcess({ ...fixture('x'), args: ['a\0b'] })
    expect(result).toMatchObject({ ended: 'not_started', error: expect.stringContaining('null bytes') })
  })

  it('is not started at all when it was cancelled before', async () => {
    const marker = join(scratch, 'started')
    const command = `echo > ${marker}`
    const result = await runProcess({ ...fixture('x'), command, shell: true, signal: AbortSignal.abort() })
    expect(result).toMatchObject({ ended: 'cancelled', exitCode: null, stdout: EMPTY })
    expect(readdirSync(scratch)).not.toContain('started')
  })
})

/** The command line of a process; empty when the process has ended meanwhile. */
function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1')
  } catch {
    return ''
  }
}

describe('a process that is stopped', () => {
  it.each([
    ['hangs', 'hangs.mjs'],
    ['ignores SIGTERM and SIGINT', 'ignores-sigterm.mjs'],
    ['is frozen by SIGSTOP', 'stops-itself.mjs'],
  ])('is dead at its timeout and grace when it %s', async (_, name) => {
    const request = { ...fixture(name), timeoutMs: 300, graceMs: 200 }
    const result = await runProcess(request)
    expect(result).toMatchObject({
      ended: 'timed_out',
      stdout: { head: expect.stringMatching(/^(running\n)?$/) },
    })
    // None of these programs ends by itself, so an end shows that it was stopped.
    expect(result.durationMs).toBeGreaterThanOrEqual(300)
    expect(survivorsOf(request.mark)).toEqual([])
  })

  it('keeps its last words and exit code when it ends within the grace', async () => {
    const request = { ...fixture('ends-on-sigint.mjs'), ...abortOnFirstLine(), graceMs: 100_000 }
    const result = await runProcess(request)
    expect(result).toMatchObject({
      ended: 'cancelled',
      exitCode: 7,
      stdout: { head: 'running\nlast words\n' },
    })
    expect(result.durationMs).toBeLessThan(90_000)
  })

  it('does not time out early because its timeout is longer than a timer can count', async () => {
    const result = await runProcess({ ...fixture('closes-stdout.mjs'), timeoutMs: Number.MAX_SAFE_INTEGER })
    expect(result.ended).toBe('exited')
  })

  it('takes daemons with it that left its group', async () => {
    const request = { ...fixture('leaves-daemon.mjs', ['wait']), ...abortOnFirstLine() }
    const result = await runProcess(request)
    expect(result).toMatchObject({ ended: 'cancelled' })
    expect(survivorsOf(request.mark)).toEqual([])
  })

  it('takes a child with it that left its group and dropped the mark', async () => {
    const before = new Set(processTable.list().entries.map((entry) => entry.pid))
    const request = { ...fixture('cleans-environment.mjs'), ...abortOnFirstLine() }
    expect(await runProcess(request)).toMatchObject({ ended: 'cancelled' })
    const sleepers = processTable
      .list()
      .entries.filter((entry) => !before.has(entry.pid))
      .filter((entry) => commandOf(entry.pid).includes('sleep\x001003'))
    expect(sleepers).toEqual([])
  })

  it('is stopped by a callback that throws, and the throw is not swallowed', async () => {
    const request = fixture('hangs.mjs')
    const onStdout = (): never => {
      throw new Error('broken reader')
    }
    await expect(runProcess({ ...request, onStdout })).rejects.toThrow('broken reader')
    expect(survivorsOf(request.mark)).toEqual([])
  })
})

/** A number of seconds that no other run of these tests on this machine sleeps for. */
const ownSeconds = 1_000_000 + process.pid

/** Processes that sleep for that long, read without the code under test. */
const sleepersOf = (seconds: number): readonly number[] =>
  processTable
    .list()
    .entries.map(({ pid }) => pid)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(`sleep\0${seconds}\0`)
      } catch {
        return false // ended meanwhile
      }
    })

describe('what a process leaves behind', () => {
  it('is killed in a folder of ours also when nothing ties it to the run: no mark, no group, no parent', async () => {
    const cwd = mkdtempSync(join(scratch, 'workspace-'))
    const command = `env -i setsid sleep ${ownSeconds} </dev/null >/dev/null 2>&1 & sleep 0.2`
    const outside = { ...fixture('x'), command, args: [], shell: true, cwd }
    expect(await runProcess(outside)).toMatchObject({ ended: 'exited' })
    expect(sleepersOf(ownSeconds)).toEqual([])
  })

  it('is found after its Fixpoint died, by the folder that it works in', async () => {
    const folder = mkdtempSync(join(scratch, 'abandoned-'))
    const child = spawn('/bin/sleep', [String(ownSeconds)], {
      cwd: folder,
      env: {},
      detached: true,
      stdio: 'ignore',
    })
    await once(child, 'spawn')
    // Its parent lives, so it does not count as a leftover of an agent.
    expect(findOrphans(scratch, [folder]).pids).toEqual([])
    child.kill('SIGKILL')
    await once(child, 'exit')
    const left = `env -i setsid sleep ${ownSeconds} </dev/null >/dev/null 2>&1 &`
    spawnSync('/bin/sh', ['-c', left], { cwd: folder })
    await expect.poll(() => sleepersOf(ownSeconds).length, { timeout: 200_000 }).toBe(1)
    expect(findOrphans(scratch, [join(scratch, 'another')]).pids).toEqual([])
    const [pid = 0] = sleepersOf(ownSeconds)
    expect(await sweepOrphans(scratch, [folder])).toEqual({ killed: [pid], left: [] })
  })

  it('is killed at once, and an open pipe does not keep us waiting', async () => {
    const request = fixture('leaves-daemon.mjs')
    const result = await runProcess(request)
    // The program that was left behind would hold the pipe for longer than this test may take.
    expect(result).toMatchObject({ ended: 'exited', exitCode: 0, stdout: { head: 'left\n' } })
    expect(survivorsOf(request.mark)).toEqual([])
  })

  it('is killed even when it was started in the last moment, thirty times of thirty', async () => {
    const command = 'setsid sh -c "setsid sleep 1004 & setsid sleep 1005 &" > /dev/null 2>&1 &'
    const marks = Array.from({ length: 30 }, () => createRunMark(scratch))
    for (const mark of marks) await runProcess({ ...fixture('x'), command, args: [], shell: true, mark })
    expect(marks.flatMap(survivorsOf)).toEqual([])
  })

  it('is killed although each generation starts the next one and exits', async () => {
    const walk = join(scratch, 'walk.sh')
    writeFileSync(walk, `sleep 0.005; setsid sh ${walk} > /dev/null 2>&1 &\n`)
    const request = { ...fixture('x'), command: `sh ${walk}; sleep 0.1`, args: [], shell: true }
    expect(await runProcess(request)).toMatchObject({ ended: 'exited', exitCode: 0 })
    await delay(100)
    expect(survivorsOf(request.mark)).toEqual([])
  })
})

describe('a process that floods', () => {
  const memoryGrowth = async (run: () => Promise<unknown>): Promise<number> => {
    const before = process.memoryUsage().rss
    let peak = before
    const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 10)
    await run()
    clearInterval(timer)
    return (peak - before) / 2 ** 20
  }

  it('keeps head and tail of 100 MB and stays flat in memory', async () => {
    const growth = await memoryGrowth(async () => {
      const result = await runProcess({ ...fixture('floods-stdout.mjs', ['100']), maxOutputBytes: 1000 })
      expect(result).toMatchObject({ ended: 'exited', exitCode: 0 })
      expect(result.stdout.omittedBytes).toBe(100 * 2 ** 20 + 'first\nlast'.length - 1000)
      expect(renderBoundedText(result.stdout)).toMatch(
        /^first\nx+\n[^]*… \[104856\d+ bytes left out\] …[^]*last$/,
      )
    })
    expect(growth).toBeLessThan(120)
  })

  it('stays flat in memory on one line that does not end, and hands over its beginning', async () => {
    const lines: OutputLine[] = []
    const growth = await memoryGrowth(async () => {
      const request = fixture('floods-stdout.mjs', ['200', 'one-line'])
      await runProcess({ ...request, onLine: (line) => lines.push(line) })
    })
    const total = 200 * 2 ** 20 + 'last'.length
    expect(lines.map((line) => line.text.length + line.omittedBytes)).toEqual(['first'.length, total])
    expect(growth).toBeLessThan(150)
  })

  it('is killed at its limit when it never ends', async () => {
    const request = {
      ...fixture('floods-stdout.mjs', ['endless']),
      killAboveBytes: 5 * 2 ** 20,
      graceMs: 110_000,
    }
    const result = await runProcess(request)
    expect(result).toMatchObject({ ended: 'flooded', stdout: { head: expect.stringMatching(/^first\n/) } })
    expect(result.durationMs).toBeLessThan(100_000)
    expect(survivorsOf(request.mark)).toEqual([])
  })
})

describe('when the owner of a run ends', () => {
  async function startOwner(
    home: string,
    ending: 'wait' | 'exit',
  ): Promise<{ owner: ChildProcess; mark: string }> {
    const owner = spawn(process.execPath, [join(FIXTURES, 'owns-runs.mjs'), home, ending], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [mark] = await once(owner.stdout.setEncoding('utf8'), 'data')
    return { owner, mark: String(mark).trim() }
  }

  it('leaves nothing behind when it calls process.exit', async () => {
    const { owner, mark } = await startOwner(scratch, 'exit')
    if (owner.exitCode === null) await once(owner, 'exit')
    // The processes are killed by then, but the kernel may still be cleaning up.
    await expect.poll(() => survivorsOf(mark), { timeout: 200_000 }).toEqual([])
  })

  it('is swept by a later process after kill -9, while the runs of a live owner and of another home stay', async () => {
    const dead = await startOwner(scratch, 'wait')
    const live = await startOwner(scratch, 'wait')
    const elsewhere = await startOwner(join(scratch, 'other-home'), 'wait')
    for (const { owner } of [dead, elsewhere]) {
      owner.kill('SIGKILL')
      await once(owner, 'exit')
    }
    const liveRun = survivorsOf(live.mark)
    const orphans = survivorsOf(dead.mark).map(Number)
    expect(orphans.length).toBeGreaterThanOrEqual(4)

    const sweep = await sweepOrphans(scratch)
    expect(sweep.left).toEqual([])
    expect(sweep.killed).toEqual(expect.arrayContaining(orphans))
    expect(survivorsOf(dead.mark)).toEqual([])
    expect(survivorsOf(live.mark)).toEqual(expect.arrayContaining(liveRun))
    expect(survivorsOf(elsewhere.mark)).not.toEqual([])

    live.owner.kill('SIGKILL')
    await once(live.owner, 'exit')
    await sweepOrphans(scratch)
    await sweepOrphans(join(scratch, 'other-home'))
    expect([live, elsewhere].flatMap(({ mark }) => survivorsOf(mark))).toEqual([])
    expect(await sweepOrphans(scratch)).toEqual({ killed: [], left: [] })
  })
})

describe('the process table without /proc', () => {
  it('knows pid, parent and group of this process as /proc does', () => {
    const known = ({ pid, parentPid, groupId }: { pid: number; parentPid: number; groupId: number }) => ({
      pid,
      parentPid,
      groupId,
    })
    const self = (entry: { pid: number }): boolean => entry.pid === process.pid
    expect(psTable.list().entries.filter(self).map(known)).toEqual(
      processTable.list().entries.filter(self).map(known),
    )
  })
})

describe('a clean environment', () => {
  it('is enough for git to run, and git sees none of our variables', async () => {
    const env = cleanEnvironment({ ...process.env, GIT_DIR: '/elsewhere' }, ['PATH', 'GIT_*'])
    const result = await runProcess({ ...fixture('x'), command: 'git', args: ['--version'], env })
    expect(result.stdout.head).toBe(execFileSync('git', ['--version'], { encoding: 'utf8' }))
    expect(env).not.toHaveProperty('GIT_DIR')
  })
})
