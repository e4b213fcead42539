import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { commandLineOf, configOf, createPlaces, type RunFixpoint } from '../fixtures/command-line.ts'
import { useRepository, type FixtureRepository } from '../fixtures/repositories.ts'

interface Verdict {
  readonly commit: string
  readonly issue_code: string
  readonly claimed: string
  readonly confirmed: string | null
  readonly status: string
  readonly checks: readonly { readonly name: string; readonly status: string; readonly reason: string }[]
}

const files = {
  'package.json': '{ "name": "sample", "type": "module" }\n',
  'src/number.js': 'export function isMissing(value) {\n  return value === NaN\n}\n',
  'src/word.js': 'export const isWord = (text) => text.indexOf(NaN) >= 0 || text == NaN\n',
  'test/number.test.js': `import test from 'node:test'
import assert from 'node:assert/strict'
import { isMissing } from '../src/number.js'
test('one is there', () => assert.equal(isMissing(1), false))
test('nothing is missing', () => assert.equal(isMissing(NaN), SEES_NAN))
`,
  'fixpoint.yaml': configOf(),
}
/** With a test that is red on the base the fix is proven by it; without, the rule's silence proves it. */
const sample = (seesNaN: boolean) => ({
  ...files,
  'test/number.test.js': files['test/number.test.js'].replace(
    seesNaN ? 'SEES_NAN' : /test\('nothing.*\n/,
    seesNaN ? 'true' : '',
  ),
})

const token = ['ghp', 'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8'].join('_')

const places = createPlaces()
let repository: FixtureRepository
let fixpoint: RunFixpoint
let branch: string

beforeAll(() => {
  ;({ repository, fixpoint } = places.open(sample(false)))
  fixpoint('review', '--yes')
  branch = fixpoint('fix', '--all', '--json').json<{ branch_name: string }>().branch_name
}, 120_000)
afterAll(places.disposeAll)

/** A plain clone, which has no notes, with a home of its own. */
function clone(of = repository, at = branch): { repository: FixtureRepository; fixpoint: RunFixpoint } {
  const folder = join(of.folder, `clone-${Math.random()}`)
  of.git('clone', '--quiet', '--branch', at, of.root, join(folder, 'repository'))
  const cloned = useRepository({ ...of, folder, root: join(folder, 'repository') })
  cloned.git('config', 'user.name', 'Eve')
  cloned.git('config', 'user.email', 'eve@example.com')
  return { repository: cloned, fixpoint: commandLineOf(cloned) }
}

const statusOf = (verdict: Verdict, name: string) =>
  verdict.checks.find((check) => check.name === name)?.status

describe('fixpoint verify', () => {
  test('confirms a landed fix with its note', () => {
    const ran = fixpoint('verify', branch, '--json')
    expect(ran.stderr).toBe('')
    const verdict = ran.json<Verdict>()
    expect(verdict).toMatchObject({
      schema: 'fixpoint.verify.v1',
      commit: repository.git('rev-parse', branch),
      issue_code: expect.stringMatching(/^(BE|FE|GEN)-\d+$/),
      claimed: 'E2',
      confirmed: 'E2',
      status: 'confirmed',
    })
    expect(verdict.checks.map(({ name, status }) => `${name} ${status}`)).toEqual([
      'shape passed',
      'tree passed',
      'note passed',
      'changed passed',
      'scope passed',
      'tamper passed',
      'secrets passed',
      'verification passed',
      'alone not_applicable',
      'origin passed',
      'proof not_applicable',
      'reproduction not_applicable',
    ])
    expect(ran.exitCode).toBe(0)
  })

  test('confirms it in a plain clone, from the trailers alone, once its commands are trusted', () => {
    const plain = clone()
    const asked = plain.fixpoint('verify', 'HEAD', '--json')
    expect(asked.exitCode).toBe(2)
    expect(asked.json()).toMatchObject({ code: 'not_trusted' })
    const ran = plain.fixpoint('verify', 'HEAD', '--yes', '--json')
    expect(ran.json()).toMatchObject({ claimed: 'E2', confirmed: 'E2', status: 'confirmed' })
    expect(statusOf(ran.json<Verdict>(), 'note')).toBe('not_applicable')
    expect(ran.exitCode).toBe(0)
    expect(plain.repository.git('status', '--porcelain')).toBe('')
  })

  test('refutes a commit that claims what is not so, and prints why', () => {
    const plain = clone()
    const message = plain.repository.git('log', '-1', '--format=%B')
    plain.repository.write({
      'src/number.js': 'export function isMissing(value) {\n  return value === NaN || value === 1\n}\n',
    })
    plain.repository.git('commit', '-qam', message)
    const ran = plain.fixpoint('verify', 'HEAD', '--yes')
    expect(ran.exitCode).toBe(1)
    expect(ran.stdout).toMatch(/E2 refuted\n.*✗ verification/s)
  })

  test.each<[string, string, Record<string, string>]>([
    [
      'a weakened test',
      'tamper',
      { 'test/number.test.js': "import test from 'node:test'\ntest('one is there', () => {})\n" },
    ],
    ['an added secret', 'secrets', { 'src/word.js': `export const token = '${token}'\n` }],
    ['a file outside of the scope', 'scope', { 'lib/other.js': 'export const other = 1\n' }],
  ])('refutes %s, also where the commands are green', (_what, gate, added) => {
    const plain = clone()
    const message = plain.repository.git('log', '-1', '--format=%B')
    plain.repository.git('reset', '-q', '--soft', 'HEAD~1')
    plain.repository.write(added)
    plain.repository.git('add', '-A')
    plain.repository.git('commit', '-qm', message)
    if (gate === 'scope') plain.repository.write({ 'fixpoint.yaml': configOf('workspace: { path: src }\n') })
    const ran = plain.fixpoint('verify', 'HEAD', '--yes', '--json')
    expect(ran.json()).toMatchObject({ confirmed: null, status: 'refuted' })
    const verdict = ran.json<Verdict>()
    expect(statusOf(verdict, 'verification')).toBe('passed')
    expect(statusOf(verdict, gate)).toBe('failed')
    expect(ran.exitCode).toBe(1)
  })

  test('notices a file that was added to a fix, in a plain clone without notes', () => {
    const plain = clone()
    plain.repository.write({ 'CHANGELOG.md': 'A line that nobody verified.\n' })
    plain.repository.git('add', '-A')
    plain.repository.git('commit', '-q', '--amend', '--no-edit')
    const ran = plain.fixpoint('verify', 'HEAD', '--yes', '--json')
    const failed = ran.json<Verdict>().checks.filter(({ status }) => status === 'failed')
    expect(failed).toMatchObject([
      { name: 'tree', reason: expect.stringContaining('added or changed since') },
    ])
    expect(ran.exitCode).toBe(1)
  })

  test('follows a train onto another base, and notices what was added on the way', () => {
    const plain = clone()
    const commits = plain.repository.git('rev-list', '--reverse', `origin/main..${branch}`).split('\n')
    expect(commits).toHaveLength(2)
    plain.repository.git('checkout', '-q', '-B', 'moved', 'origin/main')
    plain.repository.write({ 'src/news.js': 'export const news = 1\n' })
    plain.repository.git('add', '-A')
    plain.repository.git('commit', '-qm', 'other work')
    plain.repository.git('cherry-pick', ...commits)
    for (const revision of ['HEAD', 'HEAD~1']) {
      const verdict = plain.fixpoint('verify', revision, '--yes', '--json').json<Verdict>()
      expect(verdict).toMatchObject({ claimed: 'E2', confirmed: 'E2', status: 'confirmed' })
      expect(verdict.checks).toContainEqual({
        name: 'tree',
        status: 'passed',
        reason: expect.stringContaining('put on another base since'),
      })
    }
    plain.repository.write({ 'CHANGELOG.md': 'more\n' })
    plain.repository.git('add', '-A')
    plain.repository.git('commit', '-q', '--amend', '--no-edit')
    const added = plain.fixpoint('verify', 'HEAD', '--yes', '--json')
    expect(statusOf(added.json<Verdict>(), 'tree')).toBe('failed')
    expect(added.exitCode).toBe(1)
  })

  test('names no id of the database, and without the trailers of what was verified confirms nothing', () => {
    const plain = clone()
    const message = plain.repository.git('log', '-1', '--format=%B')
    expect(message).not.toMatch(/\b(?:iss|ses|att)_/)
    const names = [...message.matchAll(/^([A-Z][\w-]+): /gm)].map(([, name]) => name)
    expect(names).toEqual([
      'Issue',
      'Fingerprint',
      'Evidence',
      'Verified-Tree',
      'Verified-Base',
      'Challenged-by',
      'Assisted-by',
    ])
    plain.repository.git('commit', '-q', '--amend', '-m', message.replaceAll(/^Verified-.*\n/gm, ''))
    const ran = plain.fixpoint('verify', 'HEAD', '--yes', '--json')
    expect(ran.json()).toMatchObject({ claimed: 'E2', confirmed: 'E2', status: 'not_evaluated' })
    expect(ran.exitCode).toBe(3)
  })

  test('could not evaluate a claim that nothing here can show', () => {
    const plain = clone()
    const message = plain.repository
      .git('log', '-1', '--format=%B')
      .replace(/^Fingerprint: .*$/m, 'Fingerprint: 00')
    plain.repository.git('commit', '-q', '--amend', '-m', message)
    const ran = plain.fixpoint('verify', 'HEAD', '--yes', '--json')
    expect(ran.json()).toMatchObject({ claimed: 'E2', confirmed: 'E1', status: 'not_evaluated' })
    expect(ran.exitCode).toBe(3)
  })

  test('refutes a note of another commit', () => {
    const plain = clone()
    plain.repository.git('fetch', '-q', 'origin', 'refs/notes/fixpoint:refs/notes/fixpoint')
    const note = plain.repository.git('notes', '--ref=fixpoint', 'show', 'HEAD')
    plain.repository.git(
      'commit',
      '-q',
      '--amend',
      '-m',
      plain.repository.git('log', '-1', '--format=%B'),
      '--date=2001-01-01',
    )
    plain.repository.git('notes', '--ref=fixpoint', 'add', '-m', note, 'HEAD')
    const ran = plain.fixpoint('verify', 'HEAD', '--yes', '--json')
    expect(statusOf(ran.json<Verdict>(), 'note')).toBe('failed')
    expect(ran.exitCode).toBe(1)
  })

  test('refuses what is no commit, and what is no commit of Fixpoint', () => {
    for (const [revision, code] of [
      ['no-such-thing', 'ref_unknown'],
      ['main', 'usage'],
    ] as const) {
      const ran = fixpoint('verify', revision, '--json')
      expect(ran.exitCode).toBe(2)
      expect(ran.json()).toMatchObject({ schema: 'fixpoint.error.v1', code })
      expect(ran.json<{ message: string }>().message).toContain(
        revision === 'main' ? 'no commit of Fixpoint' : revision,
      )
    }
  })

  test('confirms several at once, the inner ones of a train by its last, in a plain clone', () => {
    const commits = repository.git('rev-list', `main..${branch}`).split('\n')
    const plain = clone()
    plain.fixpoint('trust', '--yes')
    const ran = plain.fixpoint('verify', ...commits, '--json')
    expect(ran.json<{ verifications: Verdict[] }>().verifications ?? [ran.json()]).toHaveLength(
      commits.length,
    )
    expect(ran.exitCode).toBe(0)
  })
})

test('takes the commands from the note where nothing is configured, once they are trusted', () => {
  const { 'fixpoint.yaml': config, ...committed } = sample(false)
  const own = places.open(committed)
  own.repository.write({ 'fixpoint.yaml': config })
  own.fixpoint('review', '--yes')
  const { branch_name: made } = own.fixpoint('fix', '--all', '--json').json<{ branch_name: string }>()
  const plain = clone(own.repository, made)
  const bare = plain.fixpoint('verify', 'HEAD', '--yes', '--json')
  expect(statusOf(bare.json<Verdict>(), 'verification')).toBe('not_evaluated')
  expect(bare.exitCode).toBe(3)
  plain.repository.git('fetch', '-q', 'origin', 'refs/notes/fixpoint:refs/notes/fixpoint')
  const asked = plain.fixpoint('verify', 'HEAD', '--json')
  expect(asked.exitCode).toBe(2)
  expect(asked.json<{ message: string }>().message).toContain('refs/notes/fixpoint: node --test')
  const ran = plain.fixpoint('verify', 'HEAD', '--yes', '--json')
  expect(ran.json()).toMatchObject({ claimed: 'E2', confirmed: 'E2', status: 'confirmed' })
}, 120_000)

test('confirms a fix that a test proves, and refutes one that no test proves', () => {
  const proven = places.open(sample(true))
  expect(proven.fixpoint('review', '--yes').exitCode).toBe(0)
  const { branch_name: made } = proven.fixpoint('fix', '--all', '--json').json<{ branch_name: string }>()
  const commits = proven.repository.git('rev-list', `main..${made}`, '--', 'src/number.js')
  const ran = proven.fixpoint('verify', commits, '--json')
  expect(ran.json()).toMatchObject({ claimed: 'E3', confirmed: 'E3', status: 'confirmed' })
  expect(statusOf(ran.json<Verdict>(), 'proof')).toBe('passed')

  const message = repository
    .git('log', '-1', '--format=%B', branch)
    .replace(/^Evidence: E\d$/m, 'Evidence: E3')
  const plain = clone()
  plain.repository.git('commit', '-q', '--amend', '-m', message)
  const forged = plain.fixpoint('verify', 'HEAD', '--yes', '--json')
  expect(statusOf(forged.json<Verdict>(), 'proof')).toBe('failed')
  expect(forged.exitCode).toBe(1)
}, 120_000)
