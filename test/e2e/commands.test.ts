import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Check } from '../../src/app/doctor.ts'
import type { FixEvent } from '../../src/model/event.ts'
import type { Issue } from '../../src/model/issue.ts'
import { makeFolder, makeRepository, snapshotOf, type FixtureFile, type FixtureRepository } from '../fixtures/repositories.ts'

const bin = join(import.meta.dirname, '../../bin/fixpoint.js')
const runMark = join(import.meta.dirname, '../../src/adapters/process/run-mark.ts')

interface Ran {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
  /** The one object that a JSON mode prints. */
  json<Value = Readonly<Record<string, unknown>>>(): Value
}

type Env = Readonly<Record<string, string>>

function fixpointIn(cwd: string, env: Env, args: readonly string[], input = ''): Ran {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...args], { cwd, env, input, encoding: 'utf8' })
  return { exitCode: status, stdout, stderr, json: <Value>() => JSON.parse(stdout) as Value }
}

const envOf = (repository: FixtureRepository, more: Env = {}): Env => ({
  ...repository.env,
  FIXPOINT_HOME: repository.home,
  ...more,
})

const opened: { dispose(): void }[] = []
afterEach(() => opened.splice(0).forEach((one) => one.dispose()))

/** A repository for one test, and the command line in it. */
function open(files: Readonly<Record<string, FixtureFile>> = sources) {
  const repository = makeRepository(files)
  opened.push(repository)
  return { repository, ...commandsOf(repository) }
}

const commandsOf = (repository: FixtureRepository) => ({
  fixpoint: (...args: string[]) => fixpointIn(repository.root, envOf(repository), args),
})

const sources = {
  'package.json': '{ "name": "sample", "type": "module", "scripts": { "test": "node --test" } }\n',
  'src/number.js': 'export function isMissing(value) {\n  return value === NaN\n}\n',
  'src/parse.js': 'export function parse(text) {\n  try {\n    return JSON.parse(text)\n  } catch (error) {}\n}\n',
  'test/number.test.js':
    "import test from 'node:test'\nimport assert from 'node:assert/strict'\nimport { isMissing } from '../src/number.js'\ntest('one is there', () => assert.equal(isMissing(1), false))\n",
}

const configOf = (more = ''): string => `verify:\n  commands:\n    - { name: test, run: node --test }\n${more}`

describe('init', () => {
  test('writes a file that loads, says why, and leaves the rest of the checkout as it was', () => {
    const { repository, fixpoint } = open()
    const before = snapshotOf(repository.root)
    const ran = fixpoint('init', '--json', '--yes')
    expect(ran).toMatchObject({ exitCode: 0 })
    expect(ran.json()).toMatchObject({
      schema: 'fixpoint.init.v1',
      file: join(repository.root, 'fixpoint.yaml'),
      trusted: true,
      warnings: [],
      commands: [{ name: 'test', run: 'npm test', why: expect.stringContaining('package.json') }],
    })
    expect(fixpoint('config').exitCode).toBe(0)
    const { 'fixpoint.yaml': _, ...after } = snapshotOf(repository.root)
    expect(after).toEqual(before)
  })

  test('does not trust the commands when nobody can be asked, and says what to do', () => {
    const { fixpoint } = open()
    const ran = fixpoint('init')
    expect(ran.exitCode).toBe(0)
    expect(ran.stdout).toContain('npm test')
    expect(ran.stderr).toMatch(/not trusted yet.*--yes/s)
    expect(fixpoint('review', '--json')).toMatchObject({ exitCode: 2 })
    expect(fixpoint('review', '--json').json()).toMatchObject({ schema: 'fixpoint.error.v1', code: 'not_trusted' })
  })

  test('replaces a file only when it is told to', () => {
    const { repository, fixpoint } = open({ ...sources, 'fixpoint.yaml': 'sandbox: [broken' })
    const refused = fixpoint('init', '--json')
    expect(refused.exitCode).toBe(2)
    expect(refused.json()).toMatchObject({ code: 'usage', message: expect.stringContaining('fixpoint.yaml is there already'), hint: expect.stringContaining('--force') })
    expect(readFileSync(join(repository.root, 'fixpoint.yaml'), 'utf8')).toBe('sandbox: [broken')
    expect(fixpoint('init', '--force', '--yes').exitCode).toBe(0)
    expect(fixpoint('config').exitCode).toBe(0)
  })

  test('warns loudly when nothing can be proven, and says how to allow it', () => {
    const { fixpoint } = open({ 'readme.md': 'hello\n' })
    const ran = fixpoint('init')
    expect(ran.exitCode).toBe(0)
    expect(ran.stderr).toMatch(/NO TEST COMMAND WAS FOUND.*min_evidence: E0/)
  })

  test('refuses a file of another name that nothing reads', () => {
    const { repository, fixpoint } = open({ ...sources, 'fixpoint.yml': 'sandbox: auto\n' })
    expect(fixpoint('init').stderr).toMatch(/fixpoint\.yml is there, but only fixpoint\.yaml is read/)
    expect(existsSync(join(repository.root, 'fixpoint.yaml'))).toBe(false)
  })
})

describe('config', () => {
  test('prints every setting with its value and its source', () => {
    const { repository } = open({ ...sources, 'fixpoint.yaml': 'challenge: { threshold: 80 }\n' })
    const env = envOf(repository, { FIXPOINT_FIX_MAX_ROUNDS: '2' })
    const ran = fixpointIn(repository.root, env, ['config', '--json'])
    const { schema, settings } = ran.json()
    expect(schema).toBe('fixpoint.config.v1')
    expect(settings).toContainEqual({ key: 'challenge.threshold', value: 80, source: 'repository', where: expect.stringMatching(/^fixpoint\.yaml:1:/) })
    expect(settings).toContainEqual({ key: 'fix.max_rounds', value: 2, source: 'env', where: 'FIXPOINT_FIX_MAX_ROUNDS' })
    expect(settings).toContainEqual({ key: 'land.min_evidence', value: 'E1', source: 'default', where: null })
    expect(fixpointIn(repository.root, env, ['config']).stdout).toMatch(/^challenge\.threshold +80 +repository fixpoint\.yaml:1:/m)
  })

  test('works outside of a repository, and prints the schema', () => {
    const place = makeFolder()
    opened.push(place)
    expect(fixpointIn(place.folder, place.env, ['config', '--json']).json()).toMatchObject({ schema: 'fixpoint.config.v1', file: null })
    expect(JSON.parse(fixpointIn(place.folder, place.env, ['config', '--schema']).stdout)).toMatchObject({ title: 'fixpoint.yaml', type: 'object' })
  })

  test('names everything that is wrong in a broken file at once', () => {
    const { fixpoint } = open({ ...sources, 'fixpoint.yaml': 'challange: {}\nfix: { max_rounds: many }\n' })
    const ran = fixpoint('config', '--json')
    expect(ran.exitCode).toBe(2)
    expect(ran.json()).toMatchObject({ schema: 'fixpoint.error.v1', code: 'config_invalid', message: expect.stringMatching(/challange.*challenge.*\n.*fix\.max_rounds/s) })
  })
})

describe('completion', () => {
  test('completes commands, subcommands and options in bash', () => {
    const place = makeFolder()
    opened.push(place)
    const { stdout } = fixpointIn(place.folder, place.env, ['completion', 'bash'])
    const complete = (...words: string[]): readonly string[] => {
      const ask = `COMP_WORDS=(fixpoint ${words.map((word) => `'${word}'`).join(' ')})\nCOMP_CWORD=${words.length}\n_fixpoint\nprintf '%s\\n' "\${COMPREPLY[@]}"`
      return execFileSync('bash', ['-c', `${stdout}\n${ask}`], { encoding: 'utf8' }).trim().split('\n')
    }
    expect(complete('re')).toEqual(['review', 'resume'])
    expect(complete('issues', 're')).toEqual(['reopen', 'resolve'])
    expect(complete('issues', 'ignore', 'BE-001', '--u')).toEqual(['--until'])
    expect(complete('fix', '--all', '--max')).toEqual(['--max-fix-cycles'])
  })

  test('refuses an unknown shell', () => {
    const place = makeFolder()
    opened.push(place)
    const ran = fixpointIn(place.folder, place.env, ['completion', 'csh', '--json'])
    expect(ran.exitCode).toBe(2)
    expect(ran.json()).toMatchObject({ code: 'usage', hint: 'Known are bash, zsh, fish.' })
  })
})

describe('issues, exports and sessions', () => {
  let repository: FixtureRepository
  let fixpoint: (...args: string[]) => Ran
  let session: string

  beforeAll(() => {
    repository = makeRepository({ ...sources, 'fixpoint.yaml': configOf() })
    fixpoint = commandsOf(repository).fixpoint
    expect(fixpoint('review', '--yes').exitCode).toBe(0)
    const fixed = fixpoint('fix', '--all', '--json')
    expect(fixed.exitCode).toBe(1)
    session = fixed.json<{ session_id: string }>().session_id
  })
  afterAll(() => repository.dispose())

  const statusOf = (code: string) =>
    fixpoint('issues', 'show', code, '--json').json<{ issue: Issue }>().issue.status
  const codeOf = (file: string) => firstOf(fixpoint('issues', 'list', '--search', file, '--json'))?.code ?? 'none'
  const firstOf = (ran: Ran) => ran.json<{ issues: readonly Issue[] }>().issues[0]

  test('an issue is shown with its code, its sources and every attempt', () => {
    const code = codeOf('number.js')
    const ran = fixpoint('issues', 'show', code.toLowerCase())
    expect(ran.exitCode).toBe(0)
    expect(ran.stdout).toMatch(/status +resolved/)
    expect(ran.stdout).toMatch(/commit +[0-9a-f]{40} on fix\//)
    expect(ran.stdout).toContain('  2 |   return value === NaN')
    expect(ran.stdout).toContain(`Session ${session}: fixed`)
    expect(fixpoint('issues', 'show', code, '--json').json()).toMatchObject({
      schema: 'fixpoint.issue.v1',
      issue: { code, evidence: expect.stringMatching(/E[12]/) },
      findings: [{ source: { name: 'rules' } }],
      attempts: [{ stage: 'settled', outcome: 'fixed' }],
    })
    const blocked = fixpoint('issues', 'show', codeOf('parse.js'))
    expect(blocked.stdout).toMatch(/round 1: rules, .*blocked/)
  })

  test('an unknown code is named, with what to do', () => {
    for (const args of [['show', 'BE-999'], ['reopen', 'BE-999'], ['duplicate', codeOf('parse.js'), '--of', 'BE-999']]) {
      const ran = fixpoint('issues', ...args, '--json')
      expect(ran.exitCode).toBe(2)
      expect(ran.json()).toMatchObject({ code: 'not_found', message: expect.stringContaining('BE-999'), hint: expect.stringContaining('issues list') })
    }
  })

  test('a person ignores, reopens and resolves; every other move is refused with those that are allowed', () => {
    const code = codeOf('parse.js')
    const ignored = fixpoint('issues', 'ignore', code, '--reason', 'a toy', '--until', '2999-12-31', '--json').json()
    expect(ignored).toMatchObject({ schema: 'fixpoint.issues.v1', issues: [{ code, status: 'ignored', ignored: { reason: 'a toy', until: '2999-12-31' } }], next_cursor: null })
    const refused = fixpoint('issues', 'resolve', code, '--note', 'by hand', '--json')
    expect(refused.exitCode).toBe(2)
    expect(refused.json()).toMatchObject({ code: 'transition_refused', message: `${code} is ignored and cannot become resolved`, hint: 'From ignored it can become open.', details: { allowed: ['open'] } })
    expect(fixpoint('issues', 'reopen', code, '--note', 'it matters').exitCode).toBe(0)
    expect(firstOf(fixpoint('issues', 'resolve', code, '--note', 'by hand', '--json'))).toMatchObject({ status: 'resolved', evidence: 'manual', resolution_note: 'by hand', ignored: null })
    expect(firstOf(fixpoint('issues', 'reopen', code, '--json'))).toMatchObject({ status: 'open', evidence: null, resolution_note: null })
  })

  test('several at once change all together or not at all', () => {
    const [open, resolved] = [codeOf('parse.js'), codeOf('number.js')]
    const ran = fixpoint('issues', 'ignore', open, resolved, '--reason', 'both', '--json')
    expect(ran.exitCode).toBe(2)
    expect(ran.json()).toMatchObject({ code: 'transition_refused', message: expect.stringMatching(new RegExp(`1 of 2 .*none was changed:\n  ${resolved} is resolved`)) })
    expect([statusOf(open), statusOf(resolved)]).toEqual(['open', 'resolved'])
  })

  test('a duplicate names another issue, never itself or another duplicate', () => {
    const [open, other] = [codeOf('parse.js'), codeOf('number.js')]
    expect(fixpoint('issues', 'duplicate', open, '--of', open).stderr).toContain('cannot be a duplicate of itself')
    expect(fixpoint('issues', 'duplicate', open, '--of', other).exitCode).toBe(0)
    expect(fixpoint('issues', 'show', open).stdout).toMatch(new RegExp(`duplicate of +${other}`))
    expect(fixpoint('issues', 'duplicate', other, '--of', open).stderr).toContain('is itself a duplicate')
    expect(firstOf(fixpoint('issues', 'reopen', open, '--json'))).toMatchObject({ status: 'open', duplicate_of: null })
  })

  test.each([
    ['no day', ['--until', '2999-02-30'], /2999-02-30: this is no day/],
    ['a day that is over', ['--until', '2001-01-01'], /does not lie ahead/],
  ])('an issue is not ignored until %s', (_, args, message) => {
    const ran = fixpoint('issues', 'ignore', codeOf('parse.js'), '--reason', 'later', ...args, '--json')
    expect(ran.exitCode).toBe(2)
    expect(ran.json()).toMatchObject({ code: 'usage', message: expect.stringMatching(message) })
    expect(fixpoint('issues', 'ignore', codeOf('parse.js'), '--reason', ' ').stderr).toContain('--reason is empty')
    expect(statusOf(codeOf('parse.js'))).toBe('open')
  })

  test.each(['sarif', 'json'])('an export to %s is imported again without a new issue', (format) => {
    const file = join(repository.folder, `issues.${format}`)
    const written = fixpoint('export', format, '--output', file, '--json')
    expect(written.json()).toMatchObject({ schema: 'fixpoint.export.v1', format, file, issues: 2 })
    const printed = fixpoint('export', format)
    expect(JSON.parse(printed.stdout)).toEqual(JSON.parse(readFileSync(file, 'utf8')))
    expect(fixpoint('import', file, '--json').json()).toMatchObject({ findings: 2, issues_created: 0 })
  })

  test('an export to Markdown names every issue, and statuses narrow it', () => {
    expect(fixpoint('export', 'markdown').stdout).toMatch(/^# Issues\n\n2 issues: /)
    expect(fixpoint('export', 'markdown', '--status', 'open').stdout).toMatch(/^# Issues\n\n1 issue: 1 open\./)
    expect(fixpoint('export', 'markdown', '--json').json()).toMatchObject({ schema: 'fixpoint.export.v1', text: expect.stringContaining('# Issues') })
  })

  test('an export refuses formats and files by name', () => {
    const format = fixpoint('export', 'pdf', '--json')
    expect(format.exitCode).toBe(2)
    expect(format.json()).toMatchObject({ code: 'usage', hint: 'Known are sarif, json, markdown.' })
    const file = fixpoint('export', 'json', '--output', join(repository.folder, 'no/such/folder.json'), '--json')
    expect(file.exitCode).toBe(2)
    expect(file.json()).toMatchObject({ code: 'usage', message: expect.stringContaining('cannot be written (ENOENT)') })
  })

  test('sessions are listed, shown, logged and reported', () => {
    expect(fixpoint('sessions', 'list', '--json').json()).toMatchObject({
      schema: 'fixpoint.sessions.v1',
      sessions: [{ session_id: session, status: 'partial', issues_requested: 2, issues_fixed: 1, issues_failed: 1, issues_skipped: 0, resumable: false, driven: false, branch_name: expect.stringMatching(/^fix\//) }],
    })
    expect(fixpoint('sessions', 'list').stdout).toContain('1 fixed, 1 failed, 0 skipped of 2')
    const shown = fixpoint('sessions', 'show', session, '--json')
    expect(shown).toMatchObject({ exitCode: 0 })
    expect(shown.json()).toMatchObject({ schema: 'fixpoint.session.v1', session_id: session })
    const log = fixpoint('sessions', 'log', session, '--json').json<{ events: readonly FixEvent[] }>()
    expect(log).toMatchObject({ schema: 'fixpoint.events.v1', session_id: session })
    expect(log.events.map(({ seq }) => seq)).toEqual(log.events.map((_, index) => index + 1))
    const lines = fixpoint('sessions', 'log', session, '--jsonl').stdout.trim().split('\n')
    expect(lines).toHaveLength(log.events.length + 1)
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ schema: 'fixpoint.session.v1' })
    const report = fixpoint('sessions', 'report', session).stdout
    expect(report).toMatch(/### Round 1\n\nAgent: rules, finished/)
    expect(report).toMatch(/- verification: passed: /)
    expect(report).toMatch(/Challenge by rules: accepted, score \d+/)
    expect(report).toContain('+  return Number.isNaN(value)')
    expect(report).toContain('**blocked**')
  })

  test('an unknown session is named, with what to do', () => {
    for (const id of ['ses_1', 'nonsense']) {
      const ran = fixpoint('sessions', 'report', id, '--json')
      expect(ran.exitCode).toBe(2)
      expect(ran.json()).toMatchObject({ code: 'not_found', message: `there is no session "${id}"`, hint: expect.stringContaining('sessions list') })
    }
  })
})

describe('bad surroundings', () => {
  const everywhere = [['issues', 'show', 'BE-001'], ['issues', 'reopen', 'BE-001'], ['sessions', 'list'], ['sessions', 'show', 'ses_1'], ['export', 'sarif'], ['init']]

  test.each(everywhere)('%s %s says that it is not in a repository', (...args) => {
    const place = makeFolder()
    opened.push(place)
    const ran = fixpointIn(place.folder, place.env, [...args, '--json'])
    expect(ran.exitCode).toBe(2)
    expect(ran.json()).toMatchObject({ schema: 'fixpoint.error.v1', code: 'not_a_repository', message: `${place.folder} is not in a git repository`, hint: expect.stringContaining('git init') })
  })

  test('a home that cannot be written is named', () => {
    const { repository } = open()
    const env = envOf(repository, { FIXPOINT_HOME: join(repository.root, 'package.json/home') })
    const ran = fixpointIn(repository.root, env, ['sessions', 'list', '--json'])
    expect(ran.exitCode).toBe(2)
    expect(ran.json()).toMatchObject({ code: 'home_unusable', message: expect.stringContaining('package.json/home'), hint: expect.stringContaining('FIXPOINT_HOME') })
  })

  test.each([[['doctor', '--nope']], [['issues', 'ignore', 'BE-001']], [['sessions', 'show']], [['isues']]])('%j is refused as usage', (args) => {
    const { fixpoint } = open()
    const ran = fixpoint(...args, '--json')
    expect(ran.exitCode).toBe(2)
    expect(ran.json()).toMatchObject({ schema: 'fixpoint.error.v1', code: 'usage' })
  })
})

describe('doctor', () => {
  const checksOf = (ran: Ran): Readonly<Record<string, Check>> => {
    const { schema, checks } = ran.json<{ schema: string; checks: readonly Check[] }>()
    expect(schema).toBe('fixpoint.doctor.v1')
    return Object.fromEntries(checks.map((check) => [check.name, check]))
  }

  test('finds nothing wrong in a good repository', () => {
    const { fixpoint } = open({ ...sources, 'fixpoint.yaml': configOf() })
    const ran = fixpoint('doctor', '--json')
    expect(ran.exitCode).toBe(0)
    const checks = checksOf(ran)
    expect(Object.values(checks).filter(({ status }) => status !== 'ok').map(({ name }) => name)).toEqual(['trust', 'sandbox'])
    expect(checks['repository']?.message).toMatch(/, HEAD [0-9a-f]{12} on main$/)
    expect(checks['sandbox']?.message).toContain('no jail')
    expect(fixpoint('doctor').stdout).toMatch(/^warning +trust +the 1 command of fixpoint\.yaml/m)
  })

  test('reports instead of failing outside of a repository', () => {
    const place = makeFolder()
    opened.push(place)
    const ran = fixpointIn(place.folder, place.env, ['doctor', '--json'])
    expect(ran.exitCode).toBe(3)
    expect(checksOf(ran)).toMatchObject({ git: { status: 'ok' }, repository: { status: 'error', hint: expect.any(String) }, configuration: { status: 'warning' }, database: { status: 'ok' } })
  })

  test('reports a broken configuration with all its errors, and the rest as well', () => {
    const { fixpoint } = open({ ...sources, 'fixpoint.yaml': 'sandbx: off\nfix: { max_rounds: many }\n' })
    const ran = fixpoint('doctor', '--json')
    expect(ran.exitCode).toBe(3)
    expect(checksOf(ran)).toMatchObject({ configuration: { status: 'error', message: expect.stringMatching(/sandbx.*\n.*max_rounds/s) }, database: { status: 'ok' } })
  })

  test('reports a home that cannot be written, and still looks at the repository', () => {
    const { repository } = open()
    const env = envOf(repository, { FIXPOINT_HOME: join(repository.root, 'package.json/home') })
    const ran = fixpointIn(repository.root, env, ['doctor', '--json'])
    expect(ran.exitCode).toBe(3)
    expect(checksOf(ran)).toMatchObject({ home: { status: 'error', hint: expect.stringContaining('FIXPOINT_HOME') }, repository: { status: 'ok' }, configuration: { status: 'warning' } })
  })

  test('reports a database that is none', () => {
    const { repository, fixpoint } = open()
    mkdirSync(repository.home)
    writeFileSync(join(repository.home, 'fixpoint.db'), 'this is text, and enough of it to be no database at all\n'.repeat(50))
    const ran = fixpoint('doctor', '--json')
    expect(ran.exitCode).toBe(3)
    expect(checksOf(ran)['database']).toMatchObject({ status: 'error', message: expect.stringContaining('not a Fixpoint database') })
  })

  test('names agents that this version does not have', () => {
    const { fixpoint } = open({ ...sources, 'fixpoint.yaml': configOf('agents: { fixer: codex, reviewers: [rules] }\n') })
    const ran = fixpoint('doctor', '--json')
    expect(ran.exitCode).toBe(3)
    expect(checksOf(ran)).toMatchObject({ agent_fixer: { status: 'error', message: expect.stringContaining('codex') }, agent_challenger: { status: 'ok' }, agent_planner: { status: 'warning' } })
  })

  test('removes the workspace of a process that is gone', () => {
    const { repository, fixpoint } = open()
    const left = join(repository.home, 'workspaces/att_1')
    mkdirSync(join(left, 'tree'), { recursive: true })
    const mark = execFileSync(process.execPath, ['-e', `import(${JSON.stringify(runMark)}).then((it) => console.log(it.createRunMark(${JSON.stringify(repository.home)})))`], { encoding: 'utf8' })
    writeFileSync(join(left, 'owner.json'), JSON.stringify({ mark: mark.trim() }))
    expect(checksOf(fixpoint('doctor', '--json'))['workspaces']).toMatchObject({ status: 'warning', message: expect.stringContaining('att_1'), hint: expect.stringContaining('--fix') })
    expect(existsSync(left)).toBe(true)
    expect(checksOf(fixpoint('doctor', '--fix', '--json'))['workspaces']).toMatchObject({ status: 'ok', message: `removed ${left}` })
    expect(existsSync(left)).toBe(false)
  })

  test('after a kill: ends what was left running, keeps the work of a session until it is cancelled', async () => {
    const { repository, fixpoint } = open()
    const started = join(repository.folder, 'started')
    repository.write({
      'hangs.mjs': `import { writeFileSync } from 'node:fs'\nwriteFileSync(${JSON.stringify(started)}, String(process.pid))\nsetInterval(() => undefined, 1000)\n`,
      'fixpoint.yaml': configOf(`agents: { fixer: { use: command, run: exec node ${repository.root}/hangs.mjs } }\n`),
    })
    fixpoint('review', '--yes', 'src/number.js')
    const child = spawn(process.execPath, [bin, 'fix', '--all'], { cwd: repository.root, env: envOf(repository), stdio: 'ignore' })
    const ended = once(child, 'exit')
    while (!existsSync(started) || readFileSync(started, 'utf8') === '') await sleep(20)
    const agent = Number(readFileSync(started, 'utf8'))
    expect(checksOf(fixpoint('doctor', '--fix', '--json'))).toMatchObject({ processes: { status: 'ok' }, sessions: { message: '1 at work' }, workspaces: { message: 'nothing to remove' } })
    child.kill('SIGKILL')
    await ended

    const found = checksOf(fixpoint('doctor', '--json'))
    expect(found).toMatchObject({ processes: { status: 'warning', message: expect.stringContaining(String(agent)) }, sessions: { status: 'warning', hint: expect.stringMatching(/fixpoint resume ses_\w+ .*fixpoint cancel ses_/) }, workspaces: { status: 'ok' } })
    const fixed = checksOf(fixpoint('doctor', '--fix', '--json'))
    expect(fixed['processes']?.message).toContain('ended')
    expect(() => process.kill(agent, 0)).toThrow('ESRCH')
    expect(readdirSync(join(repository.home, 'workspaces'))).toEqual([expect.stringMatching(/^att_/)])

    const [, session = ''] = /resume (ses_\w+)/.exec(found['sessions']?.hint ?? '') ?? []
    expect(fixpoint('sessions', 'list', '--json').json().sessions).toMatchObject([{ session_id: session, resumable: true, driven: false }])
    expect(fixpoint('cancel', session).exitCode).toBe(0)
    rmSync(started)
    expect(checksOf(fixpoint('doctor', '--fix', '--json'))).toMatchObject({ sessions: { status: 'ok', message: 'none is open' }, workspaces: { status: 'ok' } })
    expect(readdirSync(join(repository.home, 'workspaces'))).toEqual([])
  })
})
