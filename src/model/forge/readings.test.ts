import { describe, expect, it } from 'vitest'
import { patchFile } from '../../../test/fixtures/attempt-samples.ts'
import { CommitId } from '../id.ts'
import { commitFlaw, missingCommits, refsFlaw } from './bundle.ts'
import type { Delivery } from './delivery.ts'
import { findingOfAlert, findingOfThread, threadOfReference } from './forge-findings.ts'
import { isSamePlace, readVote, votedFinding } from './vote.ts'
import { placeOfCall, readHook } from './webhook.ts'
import { writtenFinding } from '../issue/finding.ts'

const repository = { full_name: 'Ada/sample' }

describe('a delivery of the forge', () => {
  it('says only where to look', () => {
    const pull = { action: 'closed', repository, pull_request: { number: 3, title: 'x' } }
    const call = readHook('pull_request', pull)
    expect(call).toEqual({ kind: 'pull', repository: 'Ada/sample', number: 3 })
    expect(call && placeOfCall(call)).toBe('ada/sample#3')
    const said = {
      action: 'created',
      repository,
      sender: { type: 'User' },
      issue: { number: 3, pull_request: {} },
      comment: { id: 9, body: '/fixpoint fix' },
    }
    expect(readHook('issue_comment', said)).toEqual({
      kind: 'comment',
      repository: 'Ada/sample',
      number: 3,
      comment: 9,
    })
    for (const other of [
      ['push', pull],
      ['pull_request', { ...pull, action: 'opened' }],
      ['pull_request', null],
      ['issue_comment', { ...said, sender: { type: 'Bot' } }],
      ['issue_comment', { ...said, action: 'edited' }],
      ['issue_comment', { ...said, issue: { number: 3 } }],
      ['issue_comment', { ...said, comment: { id: 9, body: 'hello' } }],
      ['issue_comment', { ...said, repository: { full_name: '../../etc' } }],
    ] as const)
      expect(readHook(other[0], other[1])).toBeNull()
  })
})

describe('what the forge knows becomes a finding', () => {
  const comment = {
    author: 'bob',
    body: '**Major:** this leaks <!-- fixpoint:x -->\n```suggestion\nclose()\n```',
    url: 'https://x/1',
  }
  it('a thread, with everything that was said and its suggestion', () => {
    const found = findingOfThread({
      path: 'src/a.js',
      line: 4,
      startLine: 2,
      comments: [comment, { author: 'ada', body: 'yes', url: '' }],
    })
    expect(found).toMatchObject({
      source: { kind: 'person', name: 'bob' },
      severity: 'major',
      file: 'src/a.js',
      line: 2,
      end_line: 4,
      suggested_fix: 'close()',
      references: ['https://x/1'],
    })
    expect(found?.description).toContain('ada: yes')
    expect(found?.description).not.toContain('fixpoint:x')
    expect(findingOfThread({ path: 'a', line: 1, startLine: null, comments: [] })).toBeNull()
    const outside = findingOfThread({
      path: '../a',
      line: 1,
      startLine: null,
      comments: [{ ...comment, body: '```suggestion\nx\n```' }],
    })
    expect(outside).toMatchObject({ file: null, title: 'a review comment' })
  })
  it('an alert of a scanner', () => {
    const alert = {
      tool: 'CodeQL',
      rule: 'js/xss',
      title: 'XSS',
      message: '',
      severity: 'high',
      path: 'a.js',
      line: 0,
      endLine: null,
      url: 'https://x/2',
    }
    expect(findingOfAlert(alert)).toMatchObject({
      rule: 'js/xss',
      description: 'XSS',
      severity: 'major',
      file: 'a.js',
      line: null,
      end_line: null,
    })
    expect(findingOfAlert({ ...alert, line: 5, endLine: 3, message: 'm' })).toMatchObject({
      line: 5,
      end_line: 5,
    })
  })
  it('and its address leads back to the thread, on this repository only', () => {
    const url = 'https://github.com/ada/sample'
    expect(threadOfReference(`${url}/pull/3#discussion_r9`, url)).toEqual({ pull: 3, comment: 9 })
    expect(threadOfReference(`${url}/pull/3/files#discussion_r9`, url)).toEqual({ pull: 3, comment: 9 })
    expect(threadOfReference(`${url}/pull/3`, url)).toBeNull()
    expect(threadOfReference('https://github.com/eve/sample/pull/3#discussion_r9', url)).toBeNull()
  })
})

describe('a vote', () => {
  const context = { source: { kind: 'agent', name: 'a' } as const, root: '/w' }
  const read = (vote: unknown) => readVote(JSON.stringify(vote), context)
  it('is read with its findings, small replacements kept', () => {
    const item = {
      file: 'a.js',
      line: '2',
      title: 't',
      issue: 'i',
      severity: 'minor',
      category: 'c',
      suggested_fix: 'x',
    }
    const vote = read({
      score: 81.5,
      summary: ' fine ',
      groups: [{ findings: [item] }],
      findings: [{ ...item, title: 'u', suggested_fix: 'y\n'.repeat(20) }],
    })
    expect(vote).toMatchObject({
      score: 81.5,
      summary: 'fine',
      findings: [
        { title: 't', replacement: 'x' },
        { title: 'u', replacement: null },
      ],
    })
  })
  it.each([
    [{ summary: 'x' }],
    [{ score: '90', summary: 'x' }],
    [{ score: 101, summary: 'x' }],
    [{ score: -1, summary: 'x' }],
    [{ score: 90 }],
    [{ score: 90, summary: ' ' }],
  ])('%j is none', (vote) => {
    expect(read(vote)).toHaveProperty('unreadable')
  })
  it('is about the same place within a few lines of one file', () => {
    const at = (file: string | null, line: number | null) =>
      votedFinding(writtenFinding({ source: context.source, title: 't', severity: 'minor', file, line }))
    expect(isSamePlace(at('a', 1), at('a', 6))).toBe(true)
    expect(isSamePlace(at('a', 1), at('a', 9))).toBe(false)
    expect(isSamePlace(at('a', 1), at('b', 1))).toBe(false)
    expect(isSamePlace(at('a', null), at('a', 1))).toBe(false)
    expect(isSamePlace(at('a', 1), at('a', null))).toBe(false)
    expect(isSamePlace(at(null, 1), at(null, 1))).toBe(false)
  })
})

describe('what a bundle says', () => {
  const commit = CommitId.parse('c'.repeat(40))
  const delivery = {
    branch: 'fix/a',
    issues: [{ code: 'BE-001', fingerprint: 'f', commit_sha: commit }],
  } as unknown as Delivery
  const message = 'fix\n\nIssue: BE-001\nFingerprint: f\n'
  it('is one branch below fix/, and nothing else', () => {
    const own = ['refs/heads/fix/a', 'refs/notes/fixpoint', 'refs/fixpoint/delivery']
    expect(refsFlaw(own, delivery)).toBeNull()
    expect(refsFlaw([...own, 'refs/tags/v1'], delivery)).toContain('refs/tags/v1')
    expect(refsFlaw(own.slice(1), delivery)).toContain('does not bring')
    expect(refsFlaw(['refs/heads/main'], { branch: 'main' })).toContain('below fix/')
  })
  it.each([
    [{}, null],
    [{ commit: CommitId.parse('d'.repeat(40)) }, /belongs to none/],
    [{ message: 'fix\n\nIssue: BE-001\n' }, /does not say/],
    [{ message: `${message}\nskip-checks: true\n` }, /keeps the checks/],
    [{ message: `[NO CI] ${message}` }, /keeps the checks/],
    [{ files: Array.from({ length: 3_001 }, (_, index) => patchFile(`f${index}`)) }, /3001 files/],
    [{ files: [patchFile('.github')] }, /changes \.github/],
    [{ files: [patchFile('a', { old_path: '.github/a' })] }, /changes \.github\/a/],
    [{ files: [patchFile('a', { mode: '120000' })] }, /a link/],
    [{ files: [patchFile('a', { mode: '160000' })] }, /a submodule/],
    [{ files: [patchFile('b/.gitmodules')] }, /a submodule/],
  ])('of a commit with %j', (given, flaw) => {
    const found = commitFlaw({ commit, message, files: [patchFile('src/a.js')], ...given }, delivery)
    if (flaw === null) expect(found).toBeNull()
    else expect(found).toMatch(flaw)
  })
  it('names commits that its branch has', () => {
    expect(missingCommits(delivery, [])).toEqual([commit])
    expect(missingCommits(delivery, [{ commit, message, files: [] }])).toEqual([])
  })
})
