import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { GITHUB_TOKEN } from '../../src/adapters/secrets/made-up-secrets.ts'
import { hasJail } from '../fixtures/jail.ts'
import {
  makeFolder,
  makeRepository,
  snapshotOf,
  useRepository,
  type FixtureRepository,
} from '../fixtures/repositories.ts'

/** Starts a program where no namespaces, and so no jail, can be made; empty on a machine that has no jail anyway. */
const withoutNamespaces = hasJail
  ? ['bwrap', '--dev-bind', '/', '/', '--unshare-user', '--disable-userns', '--']
  : []

const bin = join(import.meta.dirname, '../../bin/fixpoint.js')
const disposals: (() => void)[] = []
afterEach(() => disposals.splice(0).forEach((dispose) => dispose()))

const files = {
  'a.mjs': 'export const isOdd = (n) => n === NaN\n',
  'a.test.mjs': "import test from 'node:test'\ntest('runs', () => {})\n",
  'fixpoint.yaml': 'verify: { commands: [{ name: test, run: node --test, timeout: 1m }] }\n',
}
function repository(): FixtureRepository {
  const made = makeRepository(files)
  disposals.push(made.dispose)
  return made
}

interface Ran {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  readonly json: Record<string, unknown>
}

function fixpoint(at: FixtureRepository, args: readonly string[], input = ''): Ran {
  const ran = spawnSync(process.execPath, [bin, ...args, '--json'], {
    cwd: at.root,
    env: { ...at.env, FIXPOINT_HOME: at.home, CI: '1' },
    input,
    encoding: 'utf8',
  })
  return {
    code: ran.status,
    stdout: ran.stdout,
    stderr: ran.stderr,
    json: JSON.parse(ran.stdout || '{}') as Record<string, unknown>,
  }
}

const sarif = (results: unknown, version = '2.1.0'): string =>
  JSON.stringify({ version, runs: [{ tool: { driver: { name: 'scan' } }, results }] })
const result = (uri: string, line = 1) => ({
  ruleId: 'r',
  message: { text: 'wrong' },
  locations: [{ physicalLocation: { artifactLocation: { uri }, region: { startLine: line } } }],
})

describe('reports that cannot be read', () => {
  it.each([
    ['an empty file', '', /empty/i],
    ['no JSON', 'hello', /JSON/],
    ['a broken one', sarif([result('a.mjs')]).slice(0, -9), /ends|cut|truncated|JSON/i],
    ['an old version', sarif([], '1.0.0'), /1\.0\.0/],
    ['results of the wrong type', sarif('none'), /results/],
    ['a result of the wrong type', sarif([result('a.mjs'), 7]), /result/],
    ['another JSON', '{"hello": 1}', /SARIF|format/i],
  ])('%s is refused with exit 2 and a message, and nothing is stored', (_name, text, message) => {
    const at = repository()
    writeFileSync(join(at.folder, 'r.sarif'), text)
    const ran = fixpoint(at, ['import', join(at.folder, 'r.sarif')])
    expect(ran.json).toMatchObject({
      schema: 'fixpoint.error.v1',
      code: 'input_invalid',
      message: expect.stringMatching(message),
      hint: expect.any(String),
    })
    expect(ran.code).toBe(2)
    expect(fixpoint(at, ['issues', 'list']).json).toMatchObject({ issues: [] })
  })

  it('a file that is not there, and a folder, are refused by name', () => {
    const at = repository()
    expect(fixpoint(at, ['import', 'none.sarif'])).toMatchObject({
      code: 2,
      json: { message: expect.stringContaining('none.sarif') },
    })
    expect(fixpoint(at, ['import', '.'])).toMatchObject({ code: 2 })
  })

  it('standard input works, and paths outside of the repository are kept without a place', () => {
    const at = repository()
    const input = sarif([
      result('../../etc/passwd'),
      result('/etc/passwd'),
      result('a.mjs'),
      result('gone.mjs'),
      result('a.mjs', 999),
    ])
    expect(fixpoint(at, ['import', '-'], input)).toMatchObject({ code: 0, json: { findings: 5 } })
    const { issues } = fixpoint(at, ['issues', 'list']).json as {
      issues: { file: string | null; anchor: string }[]
    }
    expect(issues.map(({ file, anchor }) => `${file} ${anchor}`).toSorted()).toEqual(
      ['a.mjs exact', 'a.mjs unanchored', 'gone.mjs unanchored', 'null unanchored', 'null unanchored']
        .slice(0, issues.length)
        .toSorted(),
    )
  })
})

describe('repositories', () => {
  const expectToWork = (at: FixtureRepository): void => {
    expect(fixpoint(at, ['review', '--yes'])).toMatchObject({ code: 0, json: { issues_created: 1 } })
    const before = snapshotOf(at.root, ['refs/heads/fix', 'refs/notes'])
    expect(fixpoint(at, ['fix', '--all', '--yes'])).toMatchObject({
      code: 0,
      json: { issues_fixed: 1, sandbox: expect.stringContaining('no jail') },
    })
    expect(snapshotOf(at.root, ['refs/heads/fix', 'refs/notes'])).toEqual(before)
  }

  it('with a detached HEAD, a dirty tree, a taken branch name and a locked index works, untouched', () => {
    const at = repository()
    at.git('checkout', '-q', '--detach')
    at.git('branch', 'fix/comparison-with-nan')
    at.write({ 'mine.txt': 'mine', 'a.test.mjs': 'broken on purpose', '.git/index.lock': '' })
    expectToWork(at)
  })

  it('that are shallow work', () => {
    const source = repository()
    source.write({ 'b.txt': '1' })
    source.commitAll('second')
    const { folder, env, dispose } = makeFolder()
    disposals.push(dispose)
    source.git('clone', '-q', '--depth', '1', `file://${source.root}`, join(folder, 'repository'))
    expectToWork(useRepository({ folder, root: join(folder, 'repository'), env, dispose }))
  })

  it.each([
    ['is bare', ['init', '-q', '--bare'], 'repository_unsupported', /bare/],
    ['has no commit', ['init', '-q'], 'repository_unsupported', /no commit/],
    ['is none', ['--version'], 'not_a_repository', /not.*git repository/i],
  ] as const)('one that %s is refused by name', (_name, git, code, message) => {
    const { folder, env, dispose } = makeFolder()
    disposals.push(dispose)
    const at = useRepository({ folder, root: folder, env, dispose })
    at.git(...git)
    expect(fixpoint(at, ['fix', '--all'])).toMatchObject({
      code: 2,
      json: { code, message: expect.stringMatching(message), hint: expect.stringMatching(/\w/) },
    })
  })
})

describe('requests', () => {
  it.each([
    [['fix'], /say which issues/],
    [['fix', 'BE-404'], /no issue BE-404/],
    [['fix', '--all', '--base', 'nowhere'], /names no commit/],
    [['fix', '--all', '--threshold', '200'], /threshold/],
    [['fix', '--all', '--fixer', 'nobody'], /nobody/],
    [['fix', '--all', '--strategy', 'all-at-once'], /expected isolated, sequential or single-call/],
    [['fix', '--everything'], /unknown option/],
    [['mend'], /unknown command/],
    [['issues', 'list', '--status', 'odd'], /open, in_progress/],
    [['issues', 'list', '--limit', '0'], /limit/],
    [['issues', 'list', '--cursor', '%%%'], /cursor/],
    [['resume', 'ses_0'], /no session/],
    [['resume'], /waits to be resumed/],
    [['cancel', 'x'], /no session/],
  ])('%j is refused with exit 2, and with what is wrong', (args, message) => {
    const at = repository()
    if (args.includes('--all')) fixpoint(at, ['review', '--yes'])
    const ran = fixpoint(at, args)
    expect(ran.code).toBe(2)
    expect(ran.json).toMatchObject({ schema: 'fixpoint.error.v1', message: expect.stringMatching(message) })
  })

  it.each([[[GITHUB_TOKEN]], [['fix', `--${GITHUB_TOKEN}`]], [['import', '-', '--format', GITHUB_TOKEN]]])(
    'a secret in a wrong command line is not repeated: %#',
    (args) => {
      const { code, stdout, stderr } = fixpoint(repository(), args)
      expect(code).toBe(2)
      expect(stderr).toMatch(/^error: .*\[redacted: github token\][^]*--help shows what there is\)\n$/)
      expect(stdout + stderr).not.toContain(GITHUB_TOKEN)
    },
  )

  it('an agent that is not installed is refused with what is missing and how to get it', () => {
    const at = repository()
    fixpoint(at, ['review', '--yes'])
    const ran = fixpoint(at, ['fix', '--all', '--fixer', 'claude'])
    expect(ran.code).toBe(2)
    expect(ran.json).toMatchObject({
      code: 'agent_unavailable',
      message: expect.stringMatching(/claude is not installed/),
      hint: expect.stringMatching(/npm install -g \S+.*fixpoint agents/),
    })
  })

  it('commands of a repository that nobody trusted do not run', () => {
    const at = repository()
    fixpoint(at, ['import', '-'], sarif([result('a.mjs')]))
    expect(fixpoint(at, ['fix', '--all'])).toMatchObject({
      code: 2,
      json: { code: 'not_trusted', message: expect.stringContaining('node --test') },
    })
    fixpoint(at, ['fix', '--all', '--yes'])
    at.write({ 'fixpoint.yaml': 'verify: { commands: [{ name: test, run: node --test && echo more }] }\n' })
    expect(fixpoint(at, ['fix', '--all'])).toMatchObject({ code: 2, json: { code: 'not_trusted' } })
  })

  it('a wrong configuration says everything that is wrong with it, at once', () => {
    const at = repository()
    at.write({ 'fixpoint.yaml': 'fix:\n  max_round: 2\nsandbox: maybe\n' })
    const { code, json } = fixpoint(at, ['fix', '--all'])
    expect(code).toBe(2)
    expect(json['message']).toMatch(
      /fixpoint\.yaml:2:3 +fix\.max_round: unknown key; did you mean fix\.max_rounds\?[^]*sandbox/,
    )
  })

  it('sandbox: required exits 2 where there can be none, and says what to do', () => {
    const at = repository()
    const env = { ...at.env, FIXPOINT_HOME: at.home, CI: '1', FIXPOINT_SANDBOX: 'required' }
    const [program, ...args] = [...withoutNamespaces, process.execPath, bin, 'review', '--json']
    const { status, stdout } = spawnSync(program, args, { cwd: at.root, env, input: '', encoding: 'utf8' })
    expect(status).toBe(2)
    expect(JSON.parse(stdout)).toMatchObject({
      code: 'sandbox_unavailable',
      hint: expect.stringMatching(/^sudo (apt-get install -y bubblewrap|sysctl -w )/),
    })
  })
})
