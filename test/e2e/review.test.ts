import { afterEach, describe, expect, it } from 'vitest'
import { reviewRepository } from '../../src/app/review/review-repository.ts'
import type { ReviewScope } from '../../src/app/review/review-scope.ts'
import { commandLineOf } from '../fixtures/command-line.ts'
import { makeProject, type Project } from '../fixtures/project.ts'

let project: Project | null = null
afterEach(async () => {
  await project?.close()
  project = null
})
const never = new AbortController().signal

/** A scripted reviewer: it records its request, and `body` gives its answer. */
async function open(reviewers: readonly string[], files: Record<string, string> = {}): Promise<Project> {
  project = await makeProject({
    files: { 'src/a.mjs': 'export const a = 1\n', 'src/b.mjs': 'export const b = 1\n', ...files },
    reviewers,
  })
  return project
}
const finding = (file: string, title: string, line = 1) => ({
  id: 'F1',
  file,
  line: String(line),
  title,
  issue: title,
  severity: 'major',
  category: 'bug',
})
const says = (findings: readonly unknown[], coverage: unknown): string =>
  `console.log(JSON.stringify(${JSON.stringify({ groups: [{ description: 'g', findings }], coverage })})); return null`
const all = { reviewed: ['src/a.mjs', 'src/b.mjs', 'fixpoint.yaml'], partly: [], skipped: [] }
const review = (p: Project, scope: Partial<ReviewScope> = {}) =>
  reviewRepository(p.app, { paths: [], ...scope }, never)
const titles = async (p: Project) =>
  (await p.app.store.issues.list({ repositoryId: p.app.repository.id, limit: 50 })).issues.map(
    ({ title, flagged_by }) => [title, [...flagged_by].toSorted()],
  )

describe('what is looked at', () => {
  const loud = says([finding('src/a.mjs', 'found')], all)

  it.each([['staged'], ['uncommitted']] as const)('is nothing when nothing is %s', async (pending) => {
    const p = await open([loud])
    const { review: told, findings } = await review(p, { pending })
    expect(told).toMatchObject({ state: 'complete', reviewers: [], coverage: [] })
    expect(findings).toBe(0)
    expect(p.reviewed()).toEqual([])
  })

  it('is nothing when nothing changed since the base', async () => {
    const p = await open([loud])
    expect((await review(p, { base: 'HEAD' })).review.coverage).toEqual([])
    expect(p.reviewed()).toEqual([])
  })

  it('is never less than was asked for: a path that is not there is said', async () => {
    const p = await open([loud])
    await expect(review(p, { paths: ['src', 'srcs'] })).rejects.toMatchObject({
      code: 'input_invalid',
      message: expect.stringContaining('nothing is at srcs') as string,
    })
  })

  it('may not be committed yet; then it is marked, and what is committed does not become stale', async () => {
    const p = await open([says([finding('src/new.mjs', 'found')], all)])
    await p.import([{ file: 'src/a.mjs', line: 1, title: 'known', rule: 'known' }])
    p.write({ 'src/new.mjs': 'export const fresh = 1\n', 'src/a.mjs': 'export const other = 1\n' })
    const { stale } = await review(p, { pending: 'uncommitted' })
    expect(stale).toBe(0)
    const { issues } = await p.app.store.issues.list({ repositoryId: p.app.repository.id, limit: 50 })
    expect(Object.fromEntries(issues.map(({ title, anchor }) => [title, anchor]))).toEqual({
      found: 'uncommitted',
      known: 'exact',
    })
  })
})

describe('reviewers', () => {
  it('that say the same in other words make one issue that names them all', async () => {
    const p = await open([
      says([finding('src/a.mjs', 'The value a is never checked')], all),
      says([finding('./src/a.mjs', 'Value a is never checked', 3)], all),
    ])
    expect((await review(p)).review.state).toBe('complete')
    expect(await titles(p)).toEqual([['The value a is never checked', ['reviewer-1', 'reviewer-2']]])
  })

  it('one of which fails leave the review partial; all of which fail fail it', async () => {
    const p = await open([
      says([finding('src/a.mjs', 'wrong')], all),
      "console.log('looks fine to me'); return null",
    ])
    const { review: partial } = await review(p)
    expect(partial.state).toBe('partial')
    expect(partial.reviewers[1]).toMatchObject({ state: 'failed' })
    await p.close()
    const q = await open(["console.log('looks fine'); return null"])
    await expect(review(q)).rejects.toMatchObject({ code: 'review_failed' })
  })

  it('are asked once more when they cannot be read, with what was wrong', async () => {
    const p = await open([
      `if (!prompt.includes('could not be read')) { console.log('prose'); return null } ${says([], all)}`,
    ])
    expect((await review(p)).review.state).toBe('complete')
  })

  it('that tell neither findings nor what they read have not reviewed', async () => {
    const p = await open([says([], undefined)])
    await expect(review(p)).rejects.toMatchObject({ code: 'review_failed' })
    const { exitCode, stderr } = commandLineOf(p)('review', '--yes')
    expect([exitCode, stderr]).toEqual([3, expect.stringContaining('neither findings nor what it read')])
  })

  it('that read nothing have reviewed nothing', async () => {
    const p = await open([says([], { reviewed: [], partly: [], skipped: [] })])
    expect((await review(p)).review.state).toBe('partial')
    const { exitCode, stderr } = commandLineOf(p)('review', '--yes')
    expect([exitCode, stderr]).toEqual([3, expect.stringContaining('nothing was reviewed')])
  })

  it('that do not know the language have reviewed nothing', async () => {
    project = await makeProject({ files: { 'main.go': 'package main\n' } })
    expect((await review(project)).review).toMatchObject({
      state: 'partial',
      reviewers: [{ agent: 'rules' }],
    })
    // Scanners exit with 1 when they find something, so that && would import nothing.
    expect(commandLineOf(project)('review', '--yes').stderr).toContain(
      'golangci-lint run --output.sarif.path=report.sarif; fixpoint import report.sarif',
    )
  })

  it('say what they read; what they do not mention was not read', async () => {
    const p = await open([
      says([], { reviewed: ['src/a.mjs'], partly: [], skipped: [{ file: 'src/b.mjs', why: 'too long' }] }),
    ])
    const { review: told } = await review(p)
    expect(told.state).toBe('partial')
    expect(told.coverage).toEqual([
      { file: 'fixpoint.yaml', state: 'skipped', why: 'the reviewer did not mention it' },
      { file: 'src/a.mjs', state: 'reviewed', why: null },
      { file: 'src/b.mjs', state: 'skipped', why: 'too long' },
    ])
  })

  it('get large code in parts, each file in exactly one', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 200 }, (_, index) => [`lib/${index % 4}/f${index}.mjs`, 'export const x = 1\n']),
    )
    const p = await open(
      [
        'console.log(JSON.stringify({ findings: [], coverage: { reviewed: task.review.paths, partly: [], skipped: [] } })); return null',
      ],
      many,
    )
    const { review: told } = await review(p)
    expect(told.coverage?.every(({ state }) => state === 'reviewed')).toBe(true)
    const calls = p.reviewed()
    expect(calls.length).toBeGreaterThan(2)
    const given = calls.flatMap((call) => call.review.paths)
    expect(new Set(given).size).toBe(given.length)
  })
})

describe('a review of what changed', () => {
  const silent = [
    'console.log(JSON.stringify({ findings: [], coverage: { reviewed: task.review.paths, partly: [], skipped: [] } })); return null',
  ]

  it.each([
    ['--base', { base: 'start' }, ['src/a.mjs']],
    ['--staged', { pending: 'staged' }, ['src/b.mjs']],
    ['--uncommitted', { pending: 'uncommitted' }, ['src/b.mjs', 'src/new.mjs']],
  ] as const)('%s sees exactly that, and leaves the checkout alone', async (_name, scope, expected) => {
    const p = await open(silent)
    p.git('tag', 'start')
    p.write({ 'src/a.mjs': 'export const a = 2\n' })
    p.git('commit', '-qam', 'change a')
    p.write({ 'src/b.mjs': 'export const b = 2\n' })
    p.git('add', 'src/b.mjs')
    p.write({ 'src/new.mjs': 'export const fresh = 1\n' })
    const before = p.git('status', '--porcelain')
    await review(p, scope)
    expect(p.reviewed()[0]?.review.paths).toEqual(expected)
    expect(p.git('status', '--porcelain')).toBe(before)
  })

  it('holds the code against a specification', async () => {
    const p = await open(silent, { 'specs/login/spec.md': 'SPEC-MARK: passwords have 12 characters\n' })
    await review(p, { spec: 'specs/login' })
    expect(p.reviewed()[0]).toMatchObject({ review: { spec: 'specs/login' } })
    expect(p.reviewed()[0]?.prompt).toMatch(/reviewer_spec[^]*SPEC-MARK/)
    await expect(review(p, { spec: 'specs/none' })).rejects.toThrow(/no specification at "specs\/none"/)
  })
})
