import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { commandLineOf, configOf, createPlaces, type RunFixpoint } from '../fixtures/command-line.ts'
import { oneProcess } from '../fixtures/project.ts'
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
  // All tests run in one process, because this file does not test the runner.
  'fixpoint.yaml': configOf().replace('node --test', oneProcess),
}
/** A test that is red on the base proves the fix; without such a test, the rule's silence proves it. */
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

/** Replaces the fix by a commit with the same message that changes only these files. */
function replaceFix({ git, write }: FixtureRepository, files: Readonly<Record<string, string>>): void {
  const message = git('log', '-1', '--format=%B')
  git('reset', '-q', '--soft', 'HEAD~1')
  write(files)
  git('add', '-A')
  git('commit', '-qm', message)
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

  test('refutes a file outside of the scope, also where the commands are green', () => {
    const plain = clone()
    replaceFix(plain.repository, { 'lib/other.js': 'export const other = 1\n' })
    plain.repository.write({ 'fixpoint.yaml': configOf('workspace: { path: src }\n') })
    const ran = plain.fixpoint('verify', 'HEAD', '--yes', '--json')
    const verdict = ran.json<Verdict>()
    expect(verdict).toMatchObject({ confirmed: null, status: 'refuted' })
    expect([statusOf(verdict, 'verification'), statusOf(verdict, 'scope')]).toEqual(['passed', 'failed'])
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

describe('fixpoint verify of many commits at once', () => {
  /** The changes that somebody makes to the fix, each on a branch of a clone. */
  const forgeries = {
    'weakened-test': (at) =>
      replaceFix(at, {
        'test/number.test.js': "import test from 'node:test'\ntest('one is there', () => {})\n",
      }),
    secret: (at) => replaceFix(at, { 'src/word.js': `export const token = '${token}'\n` }),
    'added-file': (at) => addFile(at, 'A line that nobody verified.\n'),
    'without-trailers': (at) => amend(at, (message) => message.replaceAll(/^Verified-.*\n/gm, '')),
    'other-fingerprint': (at) =>
      amend(at, (message) => message.replace(/^Fingerprint: .*$/m, 'Fingerprint: 00')),
    'higher-grade': (at) => amend(at, (message) => message.replace(/^Evidence: E\d$/m, 'Evidence: E3')),
    'other-note': (at) => {
      at.git('fetch', '-q', 'origin', 'refs/notes/fixpoint:refs/notes/fixpoint')
      const note = at.git('notes', '--ref=fixpoint', 'show', 'HEAD')
      at.git('commit', '-q', '--amend', '--no-edit', '--date=2001-01-01')
      at.git('notes', '--ref=fixpoint', 'add', '-m', note, 'HEAD')
    },
    'other-base': (at) => putOnOtherBase(at),
    'other-base-added-file': (at) => {
      putOnOtherBase(at)
      addFile(at, 'more\n')
    },
  } satisfies Record<string, (at: FixtureRepository) => void>

  const amend = ({ git }: FixtureRepository, edit: (message: string) => string): void =>
    void git('commit', '-q', '--amend', '-m', edit(git('log', '-1', '--format=%B')))
  const addFile = ({ git, write }: FixtureRepository, text: string): void => {
    write({ 'CHANGELOG.md': text })
    git('add', '-A')
    git('commit', '-q', '--amend', '--no-edit')
  }
  const putOnOtherBase = ({ git, write }: FixtureRepository): void => {
    git('reset', '-q', '--hard', 'origin/main')
    write({ 'src/news.js': 'export const news = 1\n' })
    git('add', '-A')
    git('commit', '-qm', 'other work')
    git('cherry-pick', `origin/main..origin/${branch}`)
  }

  const revisions = [...Object.keys(forgeries), 'other-base~1']
  let exitCode: number | null
  let verdictOf: (revision: keyof typeof forgeries | 'other-base~1') => Verdict
  beforeAll(() => {
    const plain = clone()
    for (const [name, forge] of Object.entries(forgeries)) {
      plain.repository.git('checkout', '-q', '-B', name, `origin/${branch}`)
      forge(plain.repository)
    }
    plain.repository.git('checkout', '-q', branch)
    const ran = plain.fixpoint('verify', ...revisions, '--yes', '--json')
    const { verifications } = ran.json<{ verifications: Verdict[] }>()
    exitCode = ran.exitCode
    verdictOf = (revision) => {
      const verdict = verifications.find(
        (each) => each.commit === plain.repository.git('rev-parse', revision),
      )
      if (!verdict) throw new Error(`there is no verdict of ${revision}`)
      return verdict
    }
  }, 120_000)
  const failedChecks = ({ checks }: Verdict) => checks.filter(({ status }) => status === 'failed')

  test('judges each, and ends as the worst of them asks for', () => {
    for (const revision of Object.keys(forgeries) as (keyof typeof forgeries)[])
      expect(verdictOf(revision).checks.length).toBeGreaterThan(5)
    expect(exitCode).toBe(3)
  })

  test.each([
    ['a weakened test', 'weakened-test', 'tamper'],
    ['an added secret', 'secret', 'secrets'],
  ] as const)('refutes %s, also where the commands are green', (_what, revision, gate) => {
    const verdict = verdictOf(revision)
    expect(verdict).toMatchObject({ confirmed: null, status: 'refuted' })
    expect([statusOf(verdict, 'verification'), statusOf(verdict, gate)]).toEqual(['passed', 'failed'])
  })

  test('notices a file that was added to a fix, in a plain clone without notes', () => {
    expect(failedChecks(verdictOf('added-file'))).toMatchObject([
      { name: 'tree', reason: expect.stringContaining('added or changed since') },
    ])
  })

  test('follows a train onto another base, and notices what was added on the way', () => {
    for (const revision of ['other-base', 'other-base~1'] as const) {
      expect(verdictOf(revision)).toMatchObject({ claimed: 'E2', confirmed: 'E2', status: 'confirmed' })
      expect(verdictOf(revision).checks).toContainEqual({
        name: 'tree',
        status: 'passed',
        reason: expect.stringContaining('put on another base since'),
      })
    }
    expect(statusOf(verdictOf('other-base-added-file'), 'tree')).toBe('failed')
  })

  test('names no id of the database, and without the trailers of what was verified confirms nothing', () => {
    const message = repository.git('log', '-1', '--format=%B', branch)
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
    expect(verdictOf('without-trailers')).toMatchObject({
      claimed: 'E2',
      confirmed: 'E2',
      status: 'not_evaluated',
    })
  })

  test('could not evaluate a claim that nothing here can show', () => {
    expect(verdictOf('other-fingerprint')).toMatchObject({
      claimed: 'E2',
      confirmed: 'E1',
      status: 'not_evaluated',
    })
  })

  test('refutes a note of another commit', () => {
    expect(statusOf(verdictOf('other-note'), 'note')).toBe('failed')
  })

  test('refutes a grade that no test proves', () => {
    expect(verdictOf('higher-grade')).toMatchObject({ claimed: 'E3', status: 'refuted' })
    expect(statusOf(verdictOf('higher-grade'), 'proof')).toBe('failed')
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

test('confirms a fix that a test proves', () => {
  const proven = places.open(sample(true))
  expect(proven.fixpoint('review', '--yes').exitCode).toBe(0)
  const { branch_name: made } = proven.fixpoint('fix', '--all', '--json').json<{ branch_name: string }>()
  const commits = proven.repository.git('rev-list', `main..${made}`, '--', 'src/number.js')
  const ran = proven.fixpoint('verify', commits, '--json')
  expect(ran.json()).toMatchObject({ claimed: 'E3', confirmed: 'E3', status: 'confirmed' })
  expect(statusOf(ran.json<Verdict>(), 'proof')).toBe('passed')
}, 120_000)
