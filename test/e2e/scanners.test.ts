import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { chooseIssues } from '../../src/app/fix/choose-issues.ts'
import { fixIssues } from '../../src/app/fix/fix-issues.ts'
import { reviewRepository } from '../../src/app/review/review-repository.ts'
import { createPlaces } from '../fixtures/command-line.ts'
import { makeProject, type Project, type ProjectOptions } from '../fixtures/project.ts'

/** A linter: reports every line with BAD as ESLint does, and exits with 1 when there is one. */
const linter = `import fs from 'node:fs'
import { join, resolve } from 'node:path'
if (process.env.CI !== 'true') throw new Error('not run as a check')
const files = fs.readdirSync('src').map((name) => join('src', name))
const report = files.map((file) => ({
  filePath: resolve(file),
  messages: fs.readFileSync(file, 'utf8').split('\\n').flatMap((text, index) =>
    text.includes('BAD') ? [{ ruleId: 'no-bad', severity: 2, message: 'This is bad.', line: index + 1, endLine: index + 1 }] : []),
  suppressedMessages: [],
}))
console.log(JSON.stringify(report))
process.exitCode = report.some(({ messages }) => messages.length > 0) ? 1 : 0
`
const files = {
  'lint.mjs': linter,
  'src/a.js': 'export const a = 1 // BAD\n',
  'src/b.js': 'export const b = 2 // BAD\n',
}
const scanner = (run: string, more = ''): string =>
  `review: { scanners: [{ name: lint, run: ${JSON.stringify(run)}${more} }] }`
const never = new AbortController().signal

const opened: Project[] = []
const places = createPlaces()
afterEach(async () => {
  for (const project of opened.splice(0)) await project.close()
  places.disposeAll()
})
async function open(options: Partial<ProjectOptions> = {}): Promise<Project> {
  const project = await makeProject({
    files,
    verify: 'node --check src/a.js',
    config: scanner('node lint.mjs'),
    ...options,
  })
  opened.push(project)
  return project
}
const issuesOf = (project: Project) => chooseIssues(project.app, { all: true })

describe('a configured scanner', () => {
  it('runs beside the reviewers on the committed code, and its findings name it', async () => {
    const project = await open()
    project.write({ 'src/a.js': 'nothing here\n' })
    const { review } = await reviewRepository(project.app, { paths: [] }, never)
    expect(review).toMatchObject({
      state: 'complete',
      reviewers: [
        { agent: 'rules', state: 'complete' },
        { agent: 'lint', state: 'complete', findings: 2, reason: null },
      ],
    })
    expect(await issuesOf(project)).toMatchObject([
      { file: 'src/a.js', line: 1, rule: 'no-bad', severity: 'major', flagged_by: ['lint'], anchor: 'exact' },
      { file: 'src/b.js', line: 1, rule: 'no-bad', severity: 'major', flagged_by: ['lint'], anchor: 'exact' },
    ])
  })

  it('keeps to the paths of the review', async () => {
    const project = await open()
    await reviewRepository(project.app, { paths: ['src/b.js'] }, never)
    expect((await issuesOf(project)).map(({ file }) => file)).toEqual(['src/b.js'])
  })

  it('may print JSON of its own kind, by a mapping, and nothing when there is nothing', async () => {
    const own = `grep -nH BAD src/*.js | sed 's/\\(.*\\):\\([0-9]*\\):.*/{"where":{"f":"\\1","l":"\\2"},"text":"Bad one"}/'`
    const project = await open({
      config: scanner(own, ', map: "file=where.f,line=where.l,message=text"'),
    })
    await reviewRepository(project.app, { paths: [] }, never)
    expect(await issuesOf(project)).toMatchObject([
      { file: 'src/a.js', line: 1, title: 'Bad one' },
      { file: 'src/b.js', line: 1, title: 'Bad one' },
    ])
    project.write({ 'src/a.js': 'export const a = 1\n', 'src/b.js': 'export const b = 1\n' })
    project.commitAll('clean')
    const { review } = await reviewRepository(project.app, { paths: [] }, never)
    expect(review.reviewers[1]).toMatchObject({ state: 'complete', findings: 0 })
  })

  it.each([
    ['exit 3', 'it printed no report (exit 3)'],
    ['true', 'it printed no report (exit 0)'],
    ['no-such-linter', 'it could not be started'],
    ['kill -9 $$', 'it was ended by SIGKILL'],
    ['echo "[oops" && exit 1', 'its report cannot be read'],
    [
      'node -e "console.log(JSON.stringify([{filePath:process.cwd()+\'/a.js\',messages:[]}]));process.exit(2)"',
      'it reported nothing, and failed (exit 2)',
    ],
    ['sleep 30', 'it took longer than 1 s'],
    ['yes BAD', 'it printed more than 64 MB'],
  ])('that goes wrong has failed, and never found nothing: %s', async (run, reason) => {
    const timeout = run.startsWith('sleep') ? '1s' : '30s'
    const project = await open({ config: scanner(run, `, timeout: ${timeout}`) })
    const { review } = await reviewRepository(project.app, { paths: [] }, never)
    expect(review.state).toBe('partial')
    expect(review.reviewers[1]).toMatchObject({
      agent: 'lint',
      state: 'failed',
      reason: expect.stringContaining(reason),
      findings: 0,
    })
  })

  it('that goes wrong leaves the review incomplete, and that is said (exit 3)', () => {
    const { fixpoint } = places.open({ ...files, 'fixpoint.yaml': scanner('exit 3') })
    const reviewed = fixpoint('review', '--yes', '--json')
    expect(reviewed).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining('this review is incomplete: lint gave no answer that counts'),
    })
    expect(reviewed.json()).toMatchObject({ state: 'partial' })
  })

  it('does not run before a person trusted its command', () => {
    const { repository, fixpoint } = places.open({
      ...files,
      'fixpoint.yaml': scanner('touch ran; node lint.mjs'),
    })
    const refused = fixpoint('review', '--json')
    expect(refused.exitCode).toBe(2)
    expect(refused.json()).toMatchObject({ code: 'not_trusted' })
    expect(existsSync(join(repository.root, 'ran'))).toBe(false)
    expect(fixpoint('review', '--yes', '--json').json()).toMatchObject({
      state: 'complete',
      issues_created: 2,
    })
    expect(existsSync(join(repository.root, 'ran'))).toBe(false)
  })
})

describe('a fix of what a scanner found', () => {
  it('lands when the scanner is silent about it, with that as evidence; the base is scanned once', async () => {
    const project = await open({
      config: scanner('echo run >> "$HOME/runs"; node lint.mjs'),
      fixer: "edit(issue.file, ' // BAD', '')",
    })
    await reviewRepository(project.app, { paths: [] }, never)
    const { result } = await project.fix()
    expect(result).toMatchObject({ issues_fixed: 2, results: [{ evidence: 'E2' }, { evidence: 'E2' }] })
    const gates = result.results[0]?.rounds[0]?.gates ?? []
    expect(gates.find(({ name }) => name === 'origin')).toMatchObject({ status: 'passed' })
    expect(readFileSync(join(project.env['HOME'] ?? '', 'runs'), 'utf8')).toBe('run\n'.repeat(3))
  })

  it('does not land when the scanner still reports it', async () => {
    const project = await open({ fixer: "edit(issue.file, 'const', 'let')" })
    await reviewRepository(project.app, { paths: [] }, never)
    const { result } = await project.fix()
    expect(result.issues_fixed).toBe(0)
    expect(result.results[0]?.rounds[0]?.gates.find(({ name }) => name === 'origin')).toMatchObject({
      status: 'failed',
      reason: 'no-bad still reports it (1 before, 1 after)',
    })
  })

  it('is fixed too, without an agent, where the fix of another issue of the session has mended it', async () => {
    const project = await open({
      files: { ...files, 'src/a.js': 'export const a = 1 // BAD\n\nexport const other = 2 // BAD\n' },
      fixer: "edit('src/a.js', / \\/\\/ BAD/g, '')",
    })
    await reviewRepository(project.app, { paths: ['src/a.js'] }, never)
    const issues = await issuesOf(project)
    const { result } = await fixIssues(project.app, { issues }, { stopStarting: never, endNow: never })
    const [first, second] = result.results
    expect(result).toMatchObject({ issues_fixed: 2, issues_failed: 0 })
    expect(second).toMatchObject({
      outcome: 'fixed',
      evidence: 'E2',
      commit_sha: first?.commit_sha,
      rounds: [],
    })
    expect(second?.reason).toContain(`the fix of ${first?.issue_code ?? ''} has fixed it too`)
    expect(project.seen().filter(({ role }) => role === 'fixer')).toHaveLength(1)
    const { store, repository } = project.app
    const { issues: stored } = await store.issues.list({ repositoryId: repository.id, limit: 9 })
    expect(stored).toMatchObject(
      issues.map(() => ({ status: 'resolved', fix_commit_sha: first?.commit_sha })),
    )
  })

  it('does not land when another place of the same rule was fixed instead', async () => {
    const project = await open({
      files: { ...files, 'src/a.js': 'export const a = 1 // BAD\n\nexport const other = 2 // BAD\n' },
      fixer: "edit('src/a.js', 'other = 2 // BAD', 'other = 3')",
    })
    await reviewRepository(project.app, { paths: ['src/a.js'] }, never)
    const issues = (await issuesOf(project)).filter(({ line }) => line === 1)
    const { result } = await fixIssues(project.app, { issues }, { stopStarting: never, endNow: never })
    expect(result.issues_fixed).toBe(0)
    expect(result.results[0]?.rounds[0]?.gates.find(({ name }) => name === 'origin')).toMatchObject({
      status: 'failed',
      reason: 'no-bad still reports it (2 before, 1 after)',
    })
  })

  it('does not land when the scanner cannot say', async () => {
    const project = await open({
      config: scanner('test ! -e src/broken || exit 9; node lint.mjs'),
      fixer: "edit(issue.file, ' // BAD', ''); fs.writeFileSync('src/broken', '')",
    })
    await reviewRepository(project.app, { paths: [] }, never)
    const { result } = await project.fix()
    expect(result.issues_fixed).toBe(0)
    const gates = result.results.flatMap(({ rounds }) => rounds.flatMap((round) => round.gates))
    expect(gates.filter(({ name, status }) => name === 'origin' && status === 'not_evaluated')).not.toEqual(
      [],
    )
  })
})
