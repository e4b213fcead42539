import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { processTable } from '../../src/adapters/process/process-table.ts'
import type { Check } from '../../src/app/doctor/examine.ts'
import {
  bin,
  configOf,
  createPlaces,
  envOf,
  fixpointIn,
  sources,
  type Ran,
} from '../fixtures/command-line.ts'

const runMark = join(import.meta.dirname, '../../src/adapters/process/run-mark.ts')
const places = createPlaces()
afterEach(places.disposeAll)

describe('doctor', () => {
  const checksOf = (ran: Ran): Readonly<Record<string, Check>> => {
    const { schema, checks } = ran.json<{ schema: string; checks: readonly Check[] }>()
    expect(schema).toBe('fixpoint.doctor.v1')
    return Object.fromEntries(checks.map((check) => [check.name, check]))
  }

  test('finds nothing wrong in a good repository', () => {
    const { fixpoint } = places.open({ ...sources, 'fixpoint.yaml': configOf() })
    const ran = fixpoint('doctor', '--json')
    expect(ran.exitCode).toBe(0)
    const checks = checksOf(ran)
    expect(
      Object.values(checks)
        .filter(({ status }) => status !== 'ok')
        .map(({ name }) => name),
    ).toEqual(['trust'])
    expect(checks['repository']?.message).toMatch(/, HEAD [0-9a-f]{12} on main$/)
    expect(checks['sandbox']?.message).toBe(
      'sandbox: off; no jail: sandbox is off; agents and checks run with your rights',
    )
    expect(fixpoint('doctor').stdout).toMatch(
      /^warning +trust +not trusted.*: 1 command or file of this repository/m,
    )
  })

  test('reports instead of failing outside of a repository', () => {
    const fixpoint = places.openOutside()
    const ran = fixpoint('doctor', '--json')
    expect(ran.exitCode).toBe(3)
    expect(checksOf(ran)).toMatchObject({
      git: { status: 'ok' },
      repository: { status: 'error', hint: expect.any(String) },
      configuration: { status: 'warning' },
      database: { status: 'ok' },
    })
  })

  test('reports a broken configuration with all its errors, and the rest as well', () => {
    const { fixpoint } = places.open({
      ...sources,
      'fixpoint.yaml': 'sandbx: off\nfix: { max_rounds: many }\n',
    })
    const ran = fixpoint('doctor', '--json')
    expect(ran.exitCode).toBe(3)
    expect(checksOf(ran)).toMatchObject({
      configuration: { status: 'error', message: expect.stringMatching(/sandbx.*\n.*max_rounds/s) },
      database: { status: 'ok' },
    })
  })

  test('reports a home that cannot be written, and still looks at the repository', () => {
    const { repository } = places.open()
    const env = envOf(repository, { FIXPOINT_HOME: join(repository.root, 'package.json/home') })
    const ran = fixpointIn(repository.root, env, ['doctor', '--json'])
    expect(ran.exitCode).toBe(3)
    expect(checksOf(ran)).toMatchObject({
      home: { status: 'error', hint: expect.stringContaining('FIXPOINT_HOME') },
      repository: { status: 'ok' },
      configuration: { status: 'warning' },
    })
  })

  test('warns of a home in which others may write, since trust is kept there', () => {
    const { repository, fixpoint } = places.open()
    mkdirSync(repository.home)
    chmodSync(repository.home, 0o777)
    expect(checksOf(fixpoint('doctor', '--json'))['home']).toMatchObject({
      status: 'warning',
      message: expect.stringContaining('everybody on this machine may write'),
      hint: expect.stringContaining('chmod 700'),
    })
  })

  test('reports a database that is none', () => {
    const { repository, fixpoint } = places.open()
    mkdirSync(repository.home)
    writeFileSync(
      join(repository.home, 'fixpoint.db'),
      'this is text, and enough of it to be no database at all\n'.repeat(50),
    )
    const ran = fixpoint('doctor', '--json')
    expect(ran.exitCode).toBe(3)
    expect(checksOf(ran)['database']).toMatchObject({
      status: 'error',
      message: expect.stringContaining('not a Fixpoint database'),
    })
  })

  test('names agents that this version does not have', () => {
    const { fixpoint } = places.open({
      ...sources,
      'fixpoint.yaml': configOf('agents: { fixer: codex, reviewers: [rules] }\n'),
    })
    const ran = fixpoint('doctor', '--json')
    expect(ran.exitCode).toBe(3)
    expect(checksOf(ran)).toMatchObject({
      agent_fixer: { status: 'error', message: expect.stringContaining('codex') },
      agent_challenger: { status: 'ok' },
      agent_planner: { status: 'warning' },
    })
  })

  test('says of an agent whose money nobody can count that a budget does not bound it, and so does a session', () => {
    const { repository } = places.open({
      ...sources,
      'fixpoint.yaml': configOf(
        'agents: { fixer: { use: codex, model: gpt-5.5, args: [--config, x=1] }, reviewers: [rules] }\nchallenge: { enabled: false }\nfix: { budget_usd: 0.3 }\n',
      ),
    })
    const programs = join(repository.folder, 'programs')
    mkdirSync(programs)
    const failing = `#!/bin/sh
cat > /dev/null
echo '{"type":"thread.started","thread_id":"t"}'
echo '{"type":"turn.failed","error":{"message":"unexpected status 401 Unauthorized"}}'
exit 1
`
    writeFileSync(join(programs, 'codex'), failing, { mode: 0o755 })
    const env = envOf(repository, { PATH: `${programs}:${repository.env['PATH'] ?? ''}` })
    const said = 'it reports tokens only, and prices has no entry for gpt-5.5'
    const ran = fixpointIn(repository.root, env, ['doctor', '--json'])
    expect(checksOf(ran)).toMatchObject({
      agent_fixer: { status: 'warning', message: expect.stringContaining(said) },
    })
    fixpointIn(repository.root, env, ['review', '--yes'])
    const fixed = fixpointIn(repository.root, env, ['fix', '--all', '--yes', '--jsonl'])
    const events = fixed.stdout.split('\n').filter((line) => line.includes('"seq"'))
    expect(events.slice(0, 2).map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { type: 'fix_session_started' },
      {
        type: 'fix_session_warning',
        message: `the budget does not bound codex: ${said}; add it, or use fix.budget_tokens`,
      },
    ])
  })

  test('removes the workspace of a process that is gone', () => {
    const { repository, fixpoint } = places.open()
    const left = join(repository.home, 'workspaces/att_1')
    mkdirSync(join(left, 'tree'), { recursive: true })
    const mark = execFileSync(
      process.execPath,
      [
        '-e',
        `import(${JSON.stringify(runMark)}).then((it) => console.log(it.createRunMark(${JSON.stringify(repository.home)})))`,
      ],
      { encoding: 'utf8' },
    )
    writeFileSync(join(left, 'owner.json'), JSON.stringify({ mark: mark.trim() }))
    expect(checksOf(fixpoint('doctor', '--json'))['workspaces']).toMatchObject({
      status: 'warning',
      message: expect.stringContaining('att_1'),
      hint: expect.stringContaining('--fix'),
    })
    expect(existsSync(left)).toBe(true)
    expect(checksOf(fixpoint('doctor', '--fix', '--json'))['workspaces']).toMatchObject({
      status: 'ok',
      message: `removed ${left}`,
    })
    expect(existsSync(left)).toBe(false)
  })

  test('after a kill: ends what was left running, keeps the work of a session until it is cancelled', async () => {
    const { repository, fixpoint } = places.open()
    const started = join(repository.folder, 'started')
    repository.write({
      'hangs.mjs': `import { writeFileSync } from 'node:fs'\nwriteFileSync(${JSON.stringify(started)}, String(process.pid))\nsetInterval(() => undefined, 1000)\n`,
      'fixpoint.yaml': configOf(
        `agents: { fixer: { use: command, run: exec node ${repository.root}/hangs.mjs } }\n`,
      ),
    })
    fixpoint('review', '--yes', 'src/number.js')
    const child = spawn(process.execPath, [bin, 'fix', '--all'], {
      cwd: repository.root,
      env: envOf(repository),
      stdio: 'ignore',
    })
    const ended = once(child, 'exit')
    while (!existsSync(started) || readFileSync(started, 'utf8') === '') await sleep(20)
    const agent = Number(readFileSync(started, 'utf8'))
    expect(checksOf(fixpoint('doctor', '--fix', '--json'))).toMatchObject({
      processes: { status: 'ok' },
      sessions: { message: '1 at work' },
      workspaces: { message: 'nothing to remove' },
    })
    child.kill('SIGKILL')
    await ended

    const found = checksOf(fixpoint('doctor', '--json'))
    expect(found).toMatchObject({
      processes: { status: 'warning', message: expect.stringContaining(String(agent)) },
      sessions: {
        status: 'warning',
        hint: expect.stringMatching(/fixpoint resume ses_\w+ .*fixpoint cancel ses_/),
      },
      workspaces: { status: 'ok' },
    })
    const fixed = checksOf(fixpoint('doctor', '--fix', '--json'))
    expect(fixed['processes']?.message).toContain('ended')
    expect(processTable.list().entries.map(({ pid }) => pid)).not.toContain(agent)
    expect(readdirSync(join(repository.home, 'workspaces'))).toEqual([expect.stringMatching(/^att_/)])

    const [, session = ''] = /resume (ses_\w+)/.exec(found['sessions']?.hint ?? '') ?? []
    expect(fixpoint('sessions', 'list', '--json').json().sessions).toMatchObject([
      { session_id: session, resumable: true, driven: false },
    ])
    expect(fixpoint('cancel', session).exitCode).toBe(0)
    rmSync(started)
    expect(checksOf(fixpoint('doctor', '--fix', '--json'))).toMatchObject({
      sessions: { status: 'ok', message: 'none is open' },
      workspaces: { status: 'ok' },
    })
    expect(readdirSync(join(repository.home, 'workspaces'))).toEqual([])
  })
})
