import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sweepOrphans } from '../../src/adapters/process/sweep-orphans.ts'
import { commandLineOf, envOf } from '../fixtures/command-line.ts'
import { makeProject, type Project } from '../fixtures/project.ts'
import { findViolations } from '../fixtures/recovery/invariants.ts'
import { processesOf, readOwn, readRows, type Place } from '../fixtures/recovery/read-state.ts'
import { startFixpoint } from '../fixtures/recovery/started.ts'
import { slowness } from '../fixtures/slowness.ts'

const patience = { timeout: 300_000, interval: 50 }

/** A fixer that starts a process which ignores requests to end, and that works only once the file `go` is there. */
const fixer = `const { spawn } = await import('node:child_process')
  spawn('sh', ['-c', "trap '' INT TERM; while :; do sleep 1; done"], { stdio: 'ignore' }).unref()
  while (!fs.existsSync(import.meta.dirname + '/go')) await new Promise((done) => setTimeout(done, 20))
  edit(issue.file, '= 2', '= 1')
  return {}`

let project: Project
let place: Place
let own: ReturnType<typeof readOwn>

beforeEach(async () => {
  project = await makeProject({
    files: { 'src/a.mjs': 'export const a = 2\n', 'src/b.mjs': 'export const b = 2\n' },
    fixer,
    verify: 'true',
    config: 'challenge: { enabled: false }\nfix: { concurrency: 1 }',
  })
  place = { root: project.root, home: project.home, env: envOf(project) }
  await project.import(
    ['a', 'b'].map((name) => ({
      file: `src/${name}.mjs`,
      line: 1,
      title: `${name} is wrong`,
      severity: 'major',
      rule: name,
    })),
  )
  own = readOwn(project)
})
afterEach(async () => {
  await sweepOrphans(project.home)
  await project.close()
})

const go = (): void => writeFileSync(join(project.folder, 'go'), '')
const statuses = () => readRows(place).issues.map(({ status }) => status)
const stages = () => readRows(place).attempts.map(({ stage }) => stage)
const session = () => readRows(place).sessions[0]

async function startAndWait() {
  const started = startFixpoint(project, 'fix', '--all', '--yes', '--json')
  await expect.poll(() => project.seen().length, patience).toBe(1)
  return started
}

describe('a session that another terminal cancels', { timeout: 600_000 }, () => {
  it('ends within 5 seconds: no process survives, its issues are open again', async () => {
    const { ended } = await startAndWait()
    const id = session()?.id ?? ''
    const cancelled = commandLineOf(project)('cancel', id, '--json')
    expect([cancelled.exitCode, cancelled.json()]).toEqual([
      0,
      expect.objectContaining({ session_id: id, status: 'cancelled' }),
    ])
    const { told } = await ended
    expect(told).toContain('parked: cancelled by a person\n')
    expect(told).not.toContain('goes on')
    expect(endedAfterMs(id)).toBeLessThan(5_000 * slowness())
    expect(processesOf(place)).toEqual([])
    expect(statuses()).toEqual(['open', 'open'])
    expect(findViolations(place, { own })).toEqual([])
    // The key of the session is free again: the same request starts a new session.
    go()
    const again = commandLineOf(project)('fix', '--all', '--yes', '--json')
    expect(again.json()).toMatchObject({ status: 'completed', issues_fixed: 2 })
  })
})

describe('a session whose process was killed', { timeout: 600_000 }, () => {
  it('is cancelled with what it left running', async () => {
    const { child, ended } = await startAndWait()
    child.kill('SIGKILL')
    await ended
    expect(processesOf(place)).not.toEqual([])
    expect(commandLineOf(project)('cancel', session()?.id ?? '').exitCode).toBe(0)
    expect(processesOf(place)).toEqual([])
    expect(statuses()).toEqual(['open', 'open'])
    expect(findViolations(place, { own })).toEqual([])
  })
})

/** The recorded time from the request to the end, without the time to start a program. */
function endedAfterMs(id: string): number {
  const database = new DatabaseSync(join(place.home, 'fixpoint.db'), { readOnly: true })
  const row = database.prepare('select requested_at from session_cancel where session_id = ?').get(id) as
    | { requested_at: number }
    | undefined
  database.close()
  const { ended_at } = session() as unknown as { ended_at: string }
  return Date.parse(ended_at) - (row?.requested_at ?? Number.NaN)
}

describe('Ctrl-C', { timeout: 600_000 }, () => {
  it('once lets the running step finish, exits 130, and what is left can be resumed', async () => {
    const { child, ended, hears } = await startAndWait()
    child.kill('SIGINT')
    await hears('stopping: running steps finish first')
    go()
    const { exitCode, said } = await ended
    expect([exitCode, JSON.parse(said)]).toEqual([130, expect.objectContaining({ resumable: true })])
    // No other agent was started, though the second issue may have been prepared.
    expect(project.seen()).toHaveLength(1)
    expect(stages()).toContain('inspecting')
    expect([session()?.owner, processesOf(place)]).toEqual([null, []])
    expect(findViolations(place, { own })).toEqual([])
    const resumed = commandLineOf(project)('resume', session()?.id ?? '', '--yes', '--json')
    expect(resumed.json()).toMatchObject({ status: 'completed', issues_fixed: 2 })
    expect(findViolations(place, { own })).toEqual([])
  })

  it('twice stops now, and what was begun is done again when it is resumed', async () => {
    const { child, ended, hears } = await startAndWait()
    child.kill('SIGINT')
    // Two signals at the same moment would count as one.
    await hears('stopping: running steps finish first')
    child.kill('SIGINT')
    const { exitCode } = await ended
    expect([exitCode, processesOf(place), session()?.owner]).toEqual([130, [], null])
    expect(stages()).toContain('fixing')
    expect(findViolations(place, { own })).toEqual([])
    go()
    const resumed = commandLineOf(project)('resume', session()?.id ?? '', '--yes', '--json')
    expect(resumed.json()).toMatchObject({ status: 'completed', issues_fixed: 2 })
    expect(findViolations(place, { own })).toEqual([])
  })
})

describe('a terminal that is closed', { timeout: 600_000 }, () => {
  it('ends the agents at once, exits 129, and what is left can be resumed', async () => {
    const { child, ended } = await startAndWait()
    child.kill('SIGHUP')
    const { exitCode } = await ended
    expect([exitCode, processesOf(place), session()?.owner]).toEqual([129, [], null])
    expect(stages()).toContain('fixing')
    expect(findViolations(place, { own })).toEqual([])
    go()
    const resumed = commandLineOf(project)('resume', session()?.id ?? '', '--yes', '--json')
    expect(resumed.json()).toMatchObject({ status: 'completed', issues_fixed: 2 })
  })
})
