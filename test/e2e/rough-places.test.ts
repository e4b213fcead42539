import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { openSqliteStore } from '../../src/adapters/store/index.ts'
import { bin, configOf, createPlaces, envOf, fixpointIn, sources } from '../fixtures/command-line.ts'
import { filesBelow } from '../fixtures/recovery/read-state.ts'
import { makeFolder } from '../fixtures/repositories.ts'

const places = createPlaces()
afterEach(() => places.disposeAll())

/** Runs a line of a shell in which `$FIXPOINT` is the program. */
function inShell(repository: Parameters<typeof envOf>[0], line: string) {
  const env = { ...envOf(repository), FIXPOINT: `${process.execPath} ${bin}` }
  return spawnSync('sh', ['-c', line], { cwd: repository.root, env, encoding: 'utf8' })
}

describe('where little is allowed', () => {
  it.each([24, 28, 32])('with %i open files it ends in a clear error, or works', (files) => {
    const { repository } = places.open()
    const { status, stderr } = inShell(repository, `ulimit -n ${files}; $FIXPOINT issues list`)
    expect(stderr).not.toMatch(/\n\s+at |mistake in Fixpoint|TypeError/)
    expect([0, 2, 3, 75, 134]).toContain(status)
  })

  it('without HOME it says what to set, and with FIXPOINT_HOME alone it works', () => {
    const { repository } = places.open()
    const bare = inShell(repository, 'unset HOME FIXPOINT_HOME XDG_DATA_HOME; $FIXPOINT issues list')
    expect([bare.status, bare.stderr]).toEqual([2, expect.stringContaining('Set FIXPOINT_HOME to a folder')])
    expect(inShell(repository, 'unset HOME; $FIXPOINT review --yes && $FIXPOINT issues list').status).toBe(0)
  })

  it('under umask 077 it reviews, fixes and lands, and what it keeps is for this user alone', () => {
    const { repository } = places.open({ ...sources, 'fixpoint.yaml': configOf() })
    const line = 'umask 077; $FIXPOINT review --yes && $FIXPOINT fix BE-001 --yes'
    const { status, stdout } = inShell(repository, line)
    expect([status, stdout]).toEqual([0, expect.stringContaining('1 fixed, 0 failed')])
    expect(statSync(join(repository.home, 'fixpoint.db')).mode & 0o077).toBe(0)
  })

  it('a rule file that leads out of the repository is not read', () => {
    const { repository, fixpoint } = places.open({
      ...sources,
      'fixpoint.yaml': 'review: { rules: [rules/own.yml] }\n',
      'rules/readme.md': 'rules\n',
    })
    const outside = join(repository.folder, 'outside.yml')
    writeFileSync(outside, 'id: own\nlanguage: javascript\nmessage: SECRET-MARK\nrule: { pattern: JSON }\n')
    symlinkSync(outside, join(repository.root, 'rules/own.yml'))
    const { exitCode, stderr } = fixpoint('review', '--yes')
    expect(exitCode).toBe(2)
    expect(stderr).toContain('the rule file rules/own.yml cannot be read: it leads out of the repository')
    expect(stderr).not.toContain('SECRET-MARK')
  })
})

it('a row that cannot be read is named and left out of the list', () => {
  const { repository, fixpoint } = places.open()
  fixpoint('review', '--yes')
  const database = new DatabaseSync(join(repository.home, 'fixpoint.db'))
  database.exec("update issue set data = '{broken' where code = 'BE-001'")
  database.close()
  const { exitCode, stdout, stderr } = fixpoint('issues', 'list')
  expect(exitCode).toBe(0)
  expect(stdout).toContain('BE-002')
  expect(stderr).toMatch(/left out: The stored row iss_\w+ \(BE-001\) is no JSON/)
})

describe('killed with -9', () => {
  it('in the middle of a review, it leaves nothing behind that the next review does not clear', async () => {
    const mark = `mark-${process.pid}-${Date.now()}`
    const { repository, fixpoint } = places.open({
      ...sources,
      'slow.mjs': "setTimeout(() => console.log('{}'), 60_000)\n",
      'fixpoint.yaml': `${configOf()}agents:
  reviewers: [slow, rules]
  slow: { use: command, run: node slow.mjs ${mark}, timeout: 2m }
`,
    })
    const child = spawn(process.execPath, [bin, 'review', '--yes'], {
      cwd: repository.root,
      env: envOf(repository),
      stdio: 'ignore',
    })
    const agents = () => {
      const { stdout } = spawnSync('sh', ['-c', "cat /proc/[0-9]*/cmdline | tr '\\0' ' '"], {
        encoding: 'utf8',
      })
      return stdout.includes(`slow.mjs ${mark}`)
    }
    await expect.poll(agents, { timeout: 200_000 }).toBe(true)
    child.kill('SIGKILL')
    await once(child, 'exit')
    writeFileSync(join(repository.root, 'fixpoint.yaml'), configOf('agents: { reviewers: [rules] }\n'))
    expect(fixpoint('review', '--yes').exitCode).toBe(0)
    expect(agents()).toBe(false)
    expect(readdirSync(join(repository.home, 'workspaces'))).toEqual([])
    expect(filesBelow(join(repository.home, 'tasks'))).toEqual([])
    expect(fixpoint('issues', 'list', '--json').json<{ issues: object[] }>().issues.length).toBeGreaterThan(0)
  })

  it('in the middle of making its tables, the database is whole or not made, and the next one makes it', async () => {
    const place = makeFolder()
    try {
      const file = join(place.folder, 'home', 'fixpoint.db')
      for (const ms of [0, 10, 20, 40, 60, 80, 100, 120, 150, 200]) {
        rmSync(join(place.folder, 'home'), { recursive: true, force: true })
        const repository = places.open()
        const child = spawn(process.execPath, [bin, 'issues', 'list'], {
          cwd: repository.repository.root,
          env: { ...envOf(repository.repository), FIXPOINT_HOME: join(place.folder, 'home') },
          stdio: 'ignore',
        })
        // The time counts from the moment when the file is there.
        for (let waited = 0; waited < 10_000 && !existsSync(file); waited += 1) await delay(1)
        await delay(ms / 10)
        child.kill('SIGKILL')
        await once(child, 'exit')
        const store = await openSqliteStore({ file, now: Date.now })
        expect(await store.integrity()).toEqual([])
        expect(await store.repositories.list()).toEqual(expect.any(Array))
        await store.close()
      }
    } finally {
      place.dispose()
    }
  })
})

// Root may write everywhere, except where the file system itself refuses.
const refusing = ['/sys/kernel', '/proc'].filter((folder) => existsSync(folder))

it.each(refusing)('a home that may be read and not written is named at once: below %s', (folder) => {
  const { repository } = places.open()
  const env = { ...envOf(repository), FIXPOINT_HOME: `${folder}/fixpoint/home` }
  for (const command of ['issues list', 'sessions list', 'serve --port 0', 'repos list', 'doctor']) {
    const { exitCode, stdout, stderr } = fixpointIn(repository.root, env, command.split(' '))
    expect([command, exitCode]).toEqual([command, command === 'doctor' ? 3 : 2])
    expect(stdout + stderr).toMatch(/set FIXPOINT_HOME to a folder/i)
    expect(stderr).not.toMatch(/\n\s+at /)
  }
})
