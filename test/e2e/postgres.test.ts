import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { openApp } from '../../src/app/open-app.ts'
import { commandPerson } from '../../src/app/people/record-command.ts'
import { storeAccess } from '../../src/cli/watch/store-access.ts'
import {
  bin,
  commandLineOf,
  configOf,
  createPlaces,
  envOf,
  fixpointIn,
  sources,
} from '../fixtures/command-line.ts'
import { filesBelow } from '../fixtures/recovery/read-state.ts'
import { makeFolder, type FixtureRepository } from '../fixtures/repositories.ts'
import { startPostgres, type PostgresServer } from '../fixtures/postgres.ts'

const places = createPlaces()
let server: PostgresServer

beforeAll(async () => {
  server = await startPostgres()
})
afterAll(async () => {
  places.disposeAll()
  await server?.stop()
})

const password = 'hunter2-canary-91c7'

/** A new database whose address has a password, which the server does not ask for. */
const newDatabase = async (): Promise<string> =>
  (await server.createDatabase()).replace('postgres@', `postgres:${password}@`)

/** The pattern matches the password without being it, so that a command that searches for it does not spread it. */
const pattern = password.replaceAll('-', '.')
/** Its second check is red if a check can read the address of the database. */
const config = `${configOf()}    - { name: blind, run: "! env | grep -q ${pattern}" }
agents: { fixer: rules, challenger: rules }
`
/** Two mistakes that the rules can fix in one file: the second is fixed on top of the first, in a train of its own. */
const mistakes = {
  ...sources,
  'src/number.js': `export function isMissing(value) {
  return value === NaN
}
export function isGone(value) {
  return NaN === value
}
`,
}
const project = () => places.open({ ...mistakes, 'fixpoint.yaml': config }).repository

const on = (repository: FixtureRepository, url: string, ...args: string[]) =>
  fixpointIn(repository.root, envOf(repository, { FIXPOINT_DATABASE: url }), args)

describe('with a PostgreSQL database', () => {
  test('the tables are made once, on request, and until then every command says how', async () => {
    const url = await newDatabase()
    const repository = project()
    const refused = on(repository, url, 'issues', 'list', '--json')
    expect(refused).toMatchObject({ exitCode: 3 })
    expect(refused.json()).toMatchObject({ code: 'store_failed', hint: 'Run fixpoint db migrate once.' })
    const before = on(repository, url, 'db', 'status', '--json')
    expect(before.exitCode).toBe(1)
    expect(before.json()).toMatchObject({ kind: 'postgres', applied: [] })
    expect(on(repository, url, 'db', 'migrate').exitCode).toBe(0)
    expect(on(repository, url, 'db', 'status', '--json').json()).toMatchObject({ pending: [] })
    expect(on(repository, url, 'db', 'migrate', '--json').json()).toMatchObject({ pending: [] })
    expect(on(repository, url, 'doctor').stdout).toContain('is whole')
  })

  test('a session gives the same commits as with a file, and the password is nowhere', async () => {
    const url = await newDatabase()
    const [withFile, withServer] = [project(), project()]
    const fixpoint = commandLineOf(withFile)
    on(withServer, url, 'db', 'migrate')
    expect(fixpoint('review', '--yes').exitCode).toBe(0)
    expect(on(withServer, url, 'review', '--yes').exitCode).toBe(0)
    const { results: expected } = fixpoint('fix', '--all', '--yes', '--json').json<{ results: object[] }>()
    const ran = on(withServer, url, 'fix', '--all', '--yes', '--json')
    const { results } = ran.json<{ results: object[] }>()
    const told = (all: readonly object[]) =>
      all.map((one) => ({ ...pick(one, 'issue_code', 'outcome', 'evidence') }))
    expect(told(results)).toEqual(told(expected))
    expect(ran.stdout).toMatch(/"name": "blind",\s+"status": "passed"/)
    expect(historyOf(withServer)).toBe(historyOf(withFile))
    expect(historyOf(withServer)).toMatch(/^commit 1\nbase\n[0-9a-f]{40}\n.*"commands": ?\[/s)
    expect(historyOf(withServer)).toContain('\ncommit 2\ncommit 1\n')
    expect(existsSync(join(withServer.home, 'fixpoint.db'))).toBe(false)
    expect(`${ran.stdout}${ran.stderr}${everythingBelow(withServer.home)}`).not.toContain(password)
  })

  test('a file is copied whole, and again only as long as it has not changed', async () => {
    const url = await newDatabase()
    const repository = project()
    const fixpoint = commandLineOf(repository)
    fixpoint('review', '--yes')
    fixpoint('fix', '--all', '--yes')
    const file = join(repository.home, 'fixpoint.db')
    const first = on(repository, url, 'db', 'copy', '--from', file, '--json')
    expect(first).toMatchObject({ exitCode: 0 })
    expect(on(repository, url, 'db', 'copy', '--from', file, '--json').stdout).toBe(first.stdout)
    for (const command of [
      ['issues', 'list'],
      ['sessions', 'list'],
    ])
      expect(on(repository, url, ...command, '--json').json()).toEqual(fixpoint(...command, '--json').json())
    const { issues } = fixpoint('issues', 'list', '--json').json<{
      issues: [{ id: string; code: string }]
    }>()
    const [{ id, code }] = issues
    const shown = () => on(repository, url, 'issues', 'show', code, '--json').json()
    const before = shown()
    expect(before).toEqual(fixpoint('issues', 'show', code, '--json').json())
    expect(fixpoint('issues', 'reopen', code).exitCode).toBe(0)
    const refused = on(repository, url, 'db', 'copy', '--from', file, '--json')
    expect([refused.exitCode, refused.json()]).toEqual([
      2,
      expect.objectContaining({
        code: 'input_invalid',
        message: `The database holds another version of issue ${id} than the file`,
      }),
    ])
    expect(shown()).toEqual(before)
  })

  test('what another home keeps beside its file is copied too, and what is missing of it by the next copy', async () => {
    const url = await newDatabase()
    const [repository, other] = [project(), makeFolder()]
    commandLineOf(repository)('review', '--yes')
    commandLineOf(repository)('fix', '--all', '--yes')
    const home = join(other.folder, 'home')
    const copy = () => {
      const env = envOf(repository, { FIXPOINT_DATABASE: url, FIXPOINT_HOME: home })
      const file = join(repository.home, 'fixpoint.db')
      return fixpointIn(repository.root, env, ['db', 'copy', '--from', file, '--json'])
    }
    const kept = filesBelow(join(repository.home, 'artifacts'))
    expect(kept.length).toBeGreaterThan(3)
    expect(copy().json()).toMatchObject({ artifacts: kept.length })
    expect(filesBelow(join(home, 'artifacts'))).toEqual(kept)
    const [first = ''] = kept
    rmSync(join(home, 'artifacts', first))
    expect(copy().json()).toMatchObject({ artifacts: 1 })
    expect(readFileSync(join(home, 'artifacts', first))).toEqual(
      readFileSync(join(repository.home, 'artifacts', first)),
    )
    other.dispose()
  })

  test('what a model and a person with a key change is in the record of changes, with who it was', async () => {
    const url = await newDatabase()
    const repository = project()
    const env = envOf(repository, { FIXPOINT_DATABASE: url })
    on(repository, url, 'db', 'migrate')
    const client = new Client({ name: 'test', version: '1' })
    const command = { command: process.execPath, args: [bin, 'mcp'], cwd: repository.root, env }
    await client.connect(new StdioClientTransport({ ...command, stderr: 'ignore' }))
    const report = JSON.stringify({ schema: 'fixpoint.findings.v1', source: 'scan', findings: [] })
    await client.callTool({ name: 'list_issues', arguments: {} })
    await client.callTool({ name: 'import_findings', arguments: { report } })
    await client.callTool({ name: 'cancel_session', arguments: { session_id: 'ses_none' } })
    await client.close()
    const app = await openApp({ cwd: repository.root, env })
    await expect(storeAccess(app, 'ses_none').cancel()).rejects.toMatchObject({ code: 'not_found' })
    const entries = await app.store.audit.list({ limit: 10 })
    await app.close()
    expect(entries.map(({ action, person, outcome }) => [action, person, outcome]).toReversed()).toEqual([
      ['fixpoint mcp import_findings', commandPerson(), 0],
      ['fixpoint mcp cancel_session', commandPerson(), 2],
      ['fixpoint watch: cancel', commandPerson(), 2],
    ])
  })

  test('a file is not copied into a database with other issues', async () => {
    const url = await newDatabase()
    const repository = project()
    const fixpoint = commandLineOf(repository)
    fixpoint('review', '--yes')
    on(repository, url, 'db', 'migrate')
    on(repository, url, 'review', '--yes')
    const refused = on(
      repository,
      url,
      'db',
      'copy',
      '--from',
      join(repository.home, 'fixpoint.db'),
      '--json',
    )
    expect(refused.exitCode).toBe(2)
    expect(refused.json()).toMatchObject({ code: 'input_invalid', hint: expect.stringContaining('empty') })
  })

  test('an address that is none, or that nobody answers at, is said, without its password', async () => {
    const repository = project()
    const wrong = on(repository, 'mysql://host/name', 'issues', 'list', '--json')
    expect(wrong.exitCode).toBe(2)
    const nobody = on(repository, `postgres://me:${password}@127.0.0.1:9/name`, 'issues', 'list', '--json')
    expect(nobody.exitCode).toBe(75)
    expect(nobody.json()).toMatchObject({ code: 'store_unreachable', retryable: true })
    expect(nobody.stdout + nobody.stderr).not.toContain(password)
    const unknown = on(repository, `postgres://postgres@127.0.0.1:${server.port}/nothing`, 'issues', 'list')
    expect(unknown).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('nothing') })
  })
})

/** Every commit of the branch in its order: parents, tree, whole message and note, without what differs by run. */
function historyOf(repository: FixtureRepository): string {
  const ours = ['--reverse', '--topo-order', '--branches=fix/*', '--not', 'main']
  const commits = repository.git('log', '--format=%H', ...ours).split('\n')
  const names = new Map(commits.map((sha, index) => [sha, `commit ${index + 1}`]))
  names.set(repository.git('rev-parse', 'main').trim(), 'base')
  return repository
    .git('log', '--notes=fixpoint', '--format=%H%n%P%n%T%n%B%n%N', ...ours)
    .replaceAll(/[0-9a-f]{40}/g, (sha) => names.get(sha) ?? sha)
    .replaceAll(/\b(iss|ses)_[0-9a-f]{32}\b/g, '$1_…')
}

const pick = (from: object, ...names: string[]) =>
  Object.fromEntries(Object.entries(from).filter(([name]) => names.includes(name)))

const everythingBelow = (folder: string): string =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n')
