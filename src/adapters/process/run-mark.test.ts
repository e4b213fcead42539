import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { describe, expect, it, afterEach, beforeEach } from 'vitest'
import { processTable } from './process-table.ts'
import {
  belongsToHome,
  createRunMark,
  isOwnerAlive,
  isOwnerGone,
  isOwnProcess,
  parseRunMark,
  runFilePath,
} from './run-mark.ts'
import { collectRunFiles } from './leftovers/remove-tree.ts'

function parsed(mark: string) {
  const result = parseRunMark(mark)
  if (result === null) throw new Error(`not a mark: ${mark}`)
  return result
}

describe('run mark', () => {
  it('is different for every run', () => {
    expect(createRunMark('/home')).not.toBe(createRunMark('/home'))
  })

  it('belongs to its home, or to every home when it was made without one', () => {
    expect(belongsToHome(parsed(createRunMark('/a')), '/a')).toBe(true)
    expect(belongsToHome(parsed(createRunMark('/a')), '/b')).toBe(false)
    expect(belongsToHome(parsed(createRunMark()), '/b')).toBe(true)
  })

  it.runIf(existsSync('/proc'))(
    'belongs to a living process also where no file can be opened any more',
    () => {
      const module = join(import.meta.dirname, 'run-mark.ts')
      const script = `import { openSync } from 'node:fs'
      const { createRunMark, parseRunMark, isOwnerAlive } = await import(${JSON.stringify(module)})
      const { owner } = parseRunMark(createRunMark())
      try { for (;;) openSync('/dev/null') } catch {}
      console.log(isOwnerAlive(owner), isOwnerAlive({ ...owner, pid: 2 ** 22 + 1 }))`
      const start = 'ulimit -n 100; exec "$0" --input-type=module -e "$1"'
      const told = execFileSync('/bin/bash', ['-c', start, process.execPath, script], { encoding: 'utf8' })
      expect(told).toBe('true false\n')
    },
  )

  it('is not read from anything else', () => {
    for (const text of ['', 'x', '1:2:3', `${createRunMark('/a')}:`, `x${createRunMark('/a')}`]) {
      expect(parseRunMark(text)).toBeNull()
    }
  })
})

describe('the owner of a mark', () => {
  const { owner } = parsed(createRunMark())
  const { entries } = processTable.list()

  it('is alive while its process runs', () => {
    expect(isOwnerGone(owner, entries)).toBe(false)
    expect(isOwnerAlive(owner)).toBe(true)
  })

  it('is gone once its process has ended, also while its parent has not noticed', async () => {
    const parent = spawn('/bin/sh', ['-c', 'sleep 30 & echo $!; exec sleep 30'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const [text] = (await once(parent.stdout, 'data')) as [Buffer]
    const pid = Number(text.toString())
    const started = { ...owner, pid, startTicks: processTable.startTicksOf(pid) }
    expect(isOwnerAlive(started)).toBe(true)
    // A parent that stands still notices nothing.
    parent.kill('SIGSTOP')
    process.kill(pid, 'SIGKILL')
    await expect.poll(() => isOwnerAlive(started)).toBe(false)
    expect(processTable.startTicksOf(pid)).toBe(started.startTicks)
    parent.kill('SIGKILL')
  })

  it('is gone with its pid, after a new use of its pid, and after a new boot', () => {
    expect(isOwnerGone(owner, [])).toBe(true)
    expect(isOwnerGone({ ...owner, startTicks: owner.startTicks - 1 }, entries)).toBe(true)
    expect(isOwnerGone({ ...owner, bootId: 'earlier' }, entries)).toBe(true)
  })

  it('counts as alive in another pid namespace, where its pid means another process', () => {
    expect(isOwnerGone({ ...owner, pidNamespace: '1', startTicks: 0 }, entries)).toBe(false)
  })

  it('is this process only where everything that names it is the same', () => {
    const markOf = ({ pid, startTicks, bootId, pidNamespace }: typeof owner): string =>
      ['-', pid, startTicks, bootId, pidNamespace, 'ab'].join(':')
    expect(isOwnProcess(markOf(owner))).toBe(true)
    expect(isOwnProcess(markOf({ ...owner, startTicks: owner.startTicks + 1 }))).toBe(false)
    expect(isOwnProcess(markOf({ ...owner, bootId: 'ea' }))).toBe(false)
    // Another container of the same machine, whose processes have the same numbers.
    expect(isOwnProcess(markOf({ ...owner, pidNamespace: '1' }))).toBe(false)
    expect(isOwnProcess(markOf({ ...owner, pidNamespace: '1', startTicks: owner.startTicks + 1 }))).toBe(
      false,
    )
    expect(isOwnProcess('nobody')).toBe(false)
  })
})

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'fixpoint-run-files-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

function write(path: string): string {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, 'secret')
  return path
}

it('the keeper of run paths deletes what a dead process left and keeps what a living one uses, or what is not ours', async () => {
  const own = write(runFilePath(home, 'task', '.json'))
  // The same pid with another start is another process.
  const left = write(join(dirname(own), basename(own).replace(/^task-(\d+)-\d+-/, 'task-$1-1-')))
  const other = write(join(home, 'tasks', 'notes.json'))
  expect(await collectRunFiles(home)).toEqual([left])
  expect([own, left, other].map((path) => existsSync(path))).toEqual([true, false, true])
})

it('the keeper of run paths finds nothing to delete where nothing ever ran', async () => {
  expect(await collectRunFiles(home)).toEqual([])
})

it('the keeper of run paths gives every run a path of its own', () => {
  expect(runFilePath(home, 'codex')).not.toBe(runFilePath(home, 'codex'))
})
