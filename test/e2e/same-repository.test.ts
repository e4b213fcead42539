import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, describe, expect, it } from 'vitest'
import {
  commandLineOf,
  configOf,
  createPlaces,
  envOf,
  fixpointIn,
  sources,
} from '../fixtures/command-line.ts'
import { makeProject, type Project } from '../fixtures/project.ts'
import { startFixpoint } from '../fixtures/recovery/started.ts'
import { useRepository, type FixtureRepository } from '../fixtures/repositories.ts'

const places = createPlaces()
let project: Project | null = null
afterEach(async () => {
  places.disposeAll()
  await project?.close()
  project = null
})

const codesIn = (cwd: string, repository: FixtureRepository): readonly string[] =>
  fixpointIn(cwd, envOf(repository), ['issues', 'list', '--json'])
    .json<{ issues: readonly { code: string }[] }>()
    .issues.map(({ code }) => code)

function reviewed() {
  const place = places.open({ ...sources, 'fixpoint.yaml': configOf() })
  expect(place.fixpoint('review', '--yes').exitCode).toBe(0)
  const codes = codesIn(place.repository.root, place.repository)
  expect(codes.length).toBeGreaterThan(0)
  return { ...place, codes }
}

const at = (repository: FixtureRepository, name: string): FixtureRepository =>
  useRepository({ ...repository, root: join(repository.folder, name) })

describe('a repository', () => {
  it('is found again when its folder was moved', () => {
    const { repository, codes } = reviewed()
    const moved = join(repository.folder, 'elsewhere')
    renameSync(repository.root, moved)
    expect(codesIn(moved, repository)).toEqual(codes)
  })

  it('hands nothing down to another one that comes to lie at its path', () => {
    const { repository } = reviewed()
    rmSync(repository.root, { recursive: true })
    mkdirSync(repository.root)
    repository.git('init', '--quiet', '--initial-branch=main')
    repository.git('config', 'user.name', 'Eve')
    repository.git('config', 'user.email', 'eve@example.com')
    repository.write({ 'other.md': 'other\n' })
    repository.commitAll('another beginning')
    expect(codesIn(repository.root, repository)).toEqual([])
  })

  it('stays the same when a remote is added or renamed, and so does a clone of that remote; a fork is another one', () => {
    const { repository, codes } = reviewed()
    const { git, folder, root } = repository
    for (const name of ['upstream.git', 'fork.git'])
      git('clone', '--quiet', '--bare', root, join(folder, name))
    git('remote', 'add', 'origin', join(folder, 'upstream.git'))
    expect(codesIn(root, repository)).toEqual(codes)
    git('clone', '--quiet', join(folder, 'upstream.git'), join(folder, 'clone'))
    expect(codesIn(join(folder, 'clone'), repository)).toEqual(codes)
    git('clone', '--quiet', join(folder, 'fork.git'), join(folder, 'fork'))
    expect(codesIn(join(folder, 'fork'), repository)).toEqual([])
    git('remote', 'rename', 'origin', 'old')
    git('remote', 'set-url', 'old', 'https://example.com/ada/moved.git')
    expect(codesIn(root, repository)).toEqual(codes)
  })

  it('is known by its remote where a shallow clone has not the beginning of its history', () => {
    const { repository, codes } = reviewed()
    const { git, folder, root } = repository
    repository.write({ 'more.md': 'more\n' })
    repository.commitAll('second')
    git('clone', '--quiet', '--bare', root, join(folder, 'upstream.git'))
    git('remote', 'add', 'origin', `file://${join(folder, 'upstream.git')}`)
    expect(codesIn(root, repository)).toEqual(codes)
    git('clone', '--quiet', '--depth=1', `file://${join(folder, 'upstream.git')}`, join(folder, 'shallow'))
    expect(codesIn(join(folder, 'shallow'), repository)).toEqual(codes)
    expect(codesIn(root, repository)).toEqual(codes)
  })

  it('does not take a fix for discarded in a clone that never had its branch', async () => {
    const p = (project = await makeProject({
      files: { 'a.mjs': 'export const a = 1\n' },
      verify: 'true',
      fixer: "edit(issue.file, '= 1', '= 2'); return {}",
      config: 'challenge: { enabled: false }',
    }))
    p.git('clone', '--quiet', '--bare', p.root, join(p.folder, 'upstream.git'))
    p.git('remote', 'add', 'origin', join(p.folder, 'upstream.git'))
    // From now on the remote is known.
    commandLineOf(p)('issues', 'list')
    await p.import([{ file: 'a.mjs', line: 1, title: 'a is one', rule: 'a' }])
    expect((await p.fix()).result.issues_fixed).toBe(1)
    p.git('clone', '--quiet', join(p.folder, 'upstream.git'), join(p.folder, 'clone'))
    const report = join(p.folder, 'findings.json')
    const statusIn = (root: string): unknown => {
      const fixpoint = commandLineOf(at(p, root))
      expect(fixpoint('import', report).exitCode).toBe(0)
      return fixpoint('issues', 'show', 'BE-001', '--json').json<{ issue: { status: string } }>().issue.status
    }
    expect(statusIn('clone')).toBe('resolved')
    p.git('branch', '--quiet', '-D', 'fix/a-is-one')
    expect(statusIn('repository')).toBe('open')
  })

  it(
    'that is moved while a killed session waits goes on with it where it is now',
    { timeout: 600_000 },
    async () => {
      const p = (project = await makeProject({
        files: { 'a.mjs': 'export const a = 1\n', 'b.mjs': 'export const b = 1\n' },
        verify: 'true',
        fixer: `if (issue.file === 'b.mjs') while (!fs.existsSync(import.meta.dirname + '/go')) await new Promise((done) => setTimeout(done, 20))
edit(issue.file, '= 1', '= 2'); return {}`,
        fixerTimeout: '60s',
        config: 'challenge: { enabled: false }',
      }))
      await p.import(
        ['a', 'b'].map((name) => ({ file: `${name}.mjs`, line: 1, title: `${name} is one`, rule: name })),
      )
      const { child, ended } = startFixpoint(p, 'fix', '--all', '--yes', '--json')
      const landed = () => p.git('branch', '--list', 'fix/*') !== ''
      await expect.poll(landed, { timeout: 200_000 }).toBe(true)
      child.kill('SIGKILL')
      await ended
      writeFileSync(join(p.folder, 'go'), '')
      renameSync(p.root, join(p.folder, 'elsewhere'))
      const resumed = commandLineOf(at(p, 'elsewhere'))('resume', '--yes', '--json')
      renameSync(join(p.folder, 'elsewhere'), p.root)
      expect(resumed.json()).toMatchObject({ status: 'completed', issues_fixed: 2 })
    },
  )
})

it('a report that is imported again adds no finding, and the newest review that told it is remembered', async () => {
  const p = (project = await makeProject({ files: { 'a.mjs': 'export const a = 1\nexport const b = 1\n' } }))
  const findings = [1, 2].flatMap((line) =>
    ['one', 'two'].map((tool) => ({
      file: 'a.mjs',
      line,
      title: 'this is wrong',
      rule: 'same',
      severity: 'major',
      source: tool,
    })),
  )
  const countOf = (): unknown => {
    const database = new DatabaseSync(join(p.home, 'fixpoint.db'), { readOnly: true })
    try {
      return database
        .prepare('select (select count(lead) from issue) + (select count(*) from finding) as count')
        .get()?.['count']
    } finally {
      database.close()
    }
  }
  await p.import(findings)
  const first = countOf()
  await p.import(findings)
  await p.import(findings)
  expect([first, countOf()]).toEqual([4, 4])
  const [newest] = await p.app.store.reviews.list(p.app.repository.id, 1)
  const { issues } = await p.app.store.issues.list({ repositoryId: p.app.repository.id, limit: 10 })
  for (const { id } of issues)
    for (const finding of await p.app.store.reviews.findingsOf(id)) expect(finding.review_id).toBe(newest?.id)
})
