import { describe, expect, it } from 'vitest'
import { sampleIssue } from '../../../test/fixtures/issue.ts'
import { sampleAttempt, sampleSession } from '../../../test/fixtures/store/samples.ts'
import { sampleRound } from '../../../test/fixtures/attempt-samples.ts'
import type { Attempt } from '../attempt/attempt.ts'
import { CommitId } from '../id.ts'
import { checkOfReview, checkOfSession } from './check-text.ts'
import { deliveryOf, deliveredIssue, type DeliveredIssue, type Delivery } from './delivery.ts'
import { issueText, leftoverPart, leftoverText, leftoverTitle } from './leftover-text.ts'
import { mostBody, ownPart, replaceOwnPart } from './own-part.ts'
import { isOwnBody, pullRequestText, pullRequestTitle } from './pull-request-text.ts'
import { commentText, keyOfComment, reviewText, type ReviewFacts } from './review-text.ts'
import { helpText, sessionComment, type SessionStanding } from './session-comment.ts'
import type { Vote, VotedFinding } from './vote.ts'

const commit = CommitId.parse('c'.repeat(40))
const hostile =
  '@ada fixes #12 and GH-7, see https://github.com/a/b/issues/3 <img src=x> [x](y) | `@types` *b*'
const quiet = ['@ada', '#12', 'GH-7', 'issues/3', ' <img', ' [x]']

const issue = sampleIssue({ title: 'add | subtracts', description: hostile })
const session = sampleSession('ses_1', [issue.id], {
  branch: "fix/it's",
  branch_made: true,
  base_branch: 'refs/remotes/origin/main',
})
const attemptAs = (given: object, position = 0): Attempt => ({
  ...sampleAttempt('att_1', session, issue, position),
  ...given,
})
const report = {
  changes_summary: 'adds',
  explanation: 'this is out of scope for now',
} as unknown as NonNullable<ReturnType<typeof sampleRound>['report']>
const settled = (given: object): Attempt =>
  attemptAs({
    stage: 'settled',
    outcome: 'fixed',
    reason: 'landed',
    commit_sha: commit,
    evidence: 'E3',
    rounds: [sampleRound({ report })],
    ...given,
  })
const refused = settled({ outcome: 'blocked', reason: 'x'.repeat(5_000), commit_sha: null, evidence: null })
const held = attemptAs({ stage: 'held', question: { reason: 'weakens a test' }, rounds: [] })

const deliver = (...attempts: Attempt[]): Delivery => {
  const made = deliveryOf(session, attempts, [issue])
  if (!made) throw new Error('nothing is delivered')
  return made
}

describe('a delivery', () => {
  it('is nothing without a branch, and leaves out issues that are gone', () => {
    expect(deliveryOf({ ...session, branch_made: false }, [settled({})], [issue])).toBeNull()
    expect(deliveryOf({ ...session, branch: null }, [settled({})], [issue])).toBeNull()
    expect(deliveryOf(session, [settled({})], [])?.issues).toEqual([])
    expect(deliveryOf({ ...session, base_branch: null }, [], [issue])?.base_branch).toBeNull()
  })
  it('says what became of each issue, flags weak excuses, and cuts what is too long', () => {
    expect(deliver(settled({})).issues[0]).toMatchObject({
      outcome: 'fixed',
      changes: 'adds',
      weak_excuse: null,
    })
    expect(deliver(refused)).toMatchObject({ base_branch: 'main', issues: [{ outcome: 'blocked' }] })
    const [blocked] = deliver(refused).issues
    expect(blocked?.reason).toHaveLength(4_001)
    expect(blocked?.weak_excuse).not.toBeNull()
    expect(deliver(held).issues[0]).toMatchObject({ outcome: 'held', reason: 'weakens a test' })
    expect(deliveredIssue(attemptAs({}), issue)).toMatchObject({ outcome: null, score: null })
  })
})

describe('the text of a pull request', () => {
  it('says what was fixed, what waits, what was refused and how to check it, and calls nobody', () => {
    const text = pullRequestText(deliver(settled({}), refused, held), 'session')
    expect(text).toContain('1 issue fixed in 1 commit, 2 left as they are.')
    expect(text).toContain('### Waits for a person')
    expect(text).toContain('`fixpoint approve BE-001`')
    expect(text).toContain('weak excuse')
    expect(text).toContain(String.raw`'fix/it'\''s'`)
    expect(text).toContain('E3, a test fails without the fix')
    for (const part of quiet) expect(text).not.toContain(part)
    expect(text).toContain('`@types`')
  })
  it('of a bundle says whose word it is, and where the patches are that wait', () => {
    const text = pullRequestText(deliver(settled({}), held), 'bundle')
    expect(text).toContain('Published from a bundle')
    expect(text).toContain('`held/BE-001.patch`')
    expect(text).toContain(', 1 left as it is')
  })
  it('has a title of at most a hundred characters, which closes nothing', () => {
    const [first] = deliver(settled({})).issues
    const titled = (title: string, ...more: DeliveredIssue[]) =>
      pullRequestTitle({
        ...deliver(settled({})),
        issues: [{ ...(first as DeliveredIssue), title }, ...more],
      })
    expect(titled('add\n subtracts #12')).toBe('fix: add subtracts # 12')
    expect(titled('mend it [skip\tci], \u202Efixes GH-4')).toBe(
      'fix: mend it (skip ci), fixes the issue GH-4',
    )
    expect(titled('long '.repeat(50), first as DeliveredIssue)).toHaveLength(100)
    expect(pullRequestTitle(deliver(refused))).toBe('Fixes by Fixpoint')
  })
  it('names places, scores and costs where there are some', () => {
    const [first] = deliver(settled({})).issues
    const text = pullRequestText(
      {
        ...deliver(),
        cost_usd: 1.5,
        issues: [
          {
            ...(first as DeliveredIssue),
            file: null,
            score: 92,
            evidence: null,
            cost_usd: 0.25,
            changes: null,
            explanation: 'y'.repeat(700),
          },
          { ...(first as DeliveredIssue), line: null, outcome: null, reason: null, commit_sha: null },
        ],
      },
      'session',
    )
    expect(text).toContain('| the whole repository | none | 92 | 1 | $0.25 |')
    expect(text).toContain('$1.50 in all')
    expect(text).toContain(`${'y'.repeat(600)}…`)
    expect(text).toContain('| unfinished | nothing was said')
  })
})

describe('our part of a text', () => {
  it('is replaced where it is, added below what people wrote, and found again', () => {
    const first = replaceOwnPart('## Checklist\n', 'a', 'one')
    expect(first).toMatch(/^## Checklist\n\n<!-- fixpoint:begin a -->/)
    const second = replaceOwnPart(`${first}\nbelow`, 'a', 'two')
    expect(second).toContain('two')
    expect(second).not.toContain('one')
    expect(second).toMatch(/below$/)
    expect(isOwnBody(second)).toBe(false)
    expect(isOwnBody(replaceOwnPart('', 'pull-request', 'x'))).toBe(true)
  })
  it('cannot be ended or begun by what it quotes', () => {
    expect(ownPart('a', '<!-- fixpoint:end --> x <!--fixpoint:begin b -->').match(/fixpoint:/g)).toHaveLength(
      2,
    )
  })
  it('is cut openly where the whole would be too long', () => {
    const body = replaceOwnPart('people', 'a', `${'line\n'.repeat(20_000)}`)
    expect(body.length).toBeLessThanOrEqual(mostBody)
    expect(body).toContain('_Cut here')
    expect(replaceOwnPart('', 'a', 'x'.repeat(100_000)).length).toBeLessThanOrEqual(mostBody)
  })
})

describe('a published issue', () => {
  it('says what is known and what was tried, with suspicious justifications', () => {
    const text = leftoverText({
      issue: { ...issue, suggested_fix: 'b\n'.repeat(2_000) },
      tries: [
        deliveredIssue(refused, issue),
        {
          ...deliveredIssue(settled({}), issue),
          outcome: null,
          reason: null,
          explanation: null,
          rounds: 2,
          cost_usd: 1,
        },
      ],
      permalink: 'https://github.com/ada/sample/blob/c/src/a.js#L2',
    })
    expect(text).toContain('Suspicious justification')
    expect(text).toContain('**unfinished** (2 rounds, $1.00): no reason was given')
    expect(text).toContain('[`src/a.js:2`](https://github.com/ada/sample/blob/')
    for (const part of quiet) expect(text).not.toContain(part)
  })
  it('says nothing about what is not known', () => {
    const bare = { ...issue, file: null, rule: null, current_code: null, suggested_fix: null }
    expect(issueText({ issue: bare, tries: [], permalink: null })).not.toMatch(/Where|Rule|What was tried/)
    expect(issueText({ issue: { ...bare, file: 'a.js', line: null }, tries: [], permalink: null })).toContain(
      '`a.js`',
    )
  })
  it('is named by its fingerprint, with a title of at most a hundred characters', () => {
    expect(leftoverPart({ fingerprint: 'a --> b' })).toBe('issue:a-----b')
    expect(leftoverTitle({ severity: 'major', title: 'a\nb' })).toBe('[MAJOR] a b')
    expect(leftoverTitle({ severity: 'info', title: 'a'.repeat(200) })).toHaveLength(100)
  })
})

const finding: VotedFinding = {
  title: 'a leak',
  description: hostile,
  severity: 'major',
  category: 'security',
  file: 'a.ts',
  line: 3,
  end_line: null,
  rule: null,
  replacement: 'close()',
}
const vote = (given: Partial<Vote>): Vote => ({
  agent: 'claude',
  model: null,
  score: 90,
  summary: 'fine',
  findings: [finding],
  missing: null,
  cost_usd: 0,
  ...given,
})
const review: ReviewFacts = {
  average: 90,
  status: 'changes_needed',
  reason: 'a confirmed finding stands against it',
  votes: [vote({ model: 'opus' }), vote({ agent: 'gemini', score: null, missing: 'it timed out' })],
  blocking: [{ ...finding, file: null, raised_by: 'claude', confirmed_by: 'scan' }],
  unasked: ['lint: not there'],
  head_sha: commit,
}

describe('the text of votes', () => {
  it('shows every vote, what stands against it and what was not asked', () => {
    const text = reviewText(review, [{ finding: { ...finding, line: null }, raisedBy: ['claude', 'gemini'] }])
    for (const part of [
      '❌',
      'claude (opus) | 90',
      'gemini | none | it timed out',
      '### What stands against it',
      'in `a.ts`',
      'lint: not there',
    ])
      expect(text).toContain(part)
    for (const part of quiet) expect(text).not.toContain(part)
    const none = reviewText(
      { ...review, status: 'not_evaluated', votes: [vote({ score: null })], blocking: [], unasked: [] },
      [],
    )
    expect(none).toContain('no answer')
    expect(none).not.toContain('###')
    expect(reviewText({ ...review, votes: [] }, [])).not.toContain('Voter')
  })
  it('on a line carries its key and a suggestion that nothing in it can close', () => {
    const text = commentText(
      { finding: { ...finding, replacement: '```\nx' }, raisedBy: ['claude'] },
      '0123456789abcdef',
    )
    expect(keyOfComment(text)).toBe('0123456789abcdef')
    expect(text).toContain('````suggestion')
    expect(
      commentText(
        { finding: { ...finding, description: finding.title, replacement: null }, raisedBy: [] },
        'k',
      ),
    ).not.toContain('suggestion')
    expect(keyOfComment('hello')).toBeNull()
  })
  it('becomes a check run with one annotation per finding', () => {
    expect(checkOfReview(review)).toMatchObject({
      conclusion: 'failure',
      title: 'changes needed',
      annotations: [{ path: 'a.ts', startLine: 3, endLine: 3, level: 'failure' }],
    })
    const nowhere = vote({ findings: [{ ...finding, line: null }] })
    expect(checkOfReview({ ...review, votes: [nowhere], blocking: [] }).annotations).toEqual([])
  })
})

describe('the comment about a session', () => {
  const standing = (status: string, attempts: readonly Attempt[], more: Partial<SessionStanding> = {}) =>
    sessionComment({
      session: { ...session, status, reason: 'out of quota' } as never,
      attempts,
      issues: [issue],
      pullUrl: null,
      patch: null,
      trouble: null,
      ...more,
    })
  it.each([
    ['running', '**At work**: 1 of 3 fixed.'],
    ['awaiting_approval', '**A person is asked**'],
    ['awaiting_clarification', '**It has questions**'],
    ['parked', 'out of quota'],
    ['cancelled', '**Cancelled**'],
    ['completed', '**Done**'],
  ])('of status %s says %s', (status, words) => {
    const text = standing(status, [settled({}), refused, held])
    expect(text).toContain(words)
    expect(text).toContain('/fixpoint approve BE-001')
  })
  it('names the pull request, or what kept it from being opened', () => {
    expect(
      standing('completed', [settled({ commit_sha: null, evidence: null })], { pullUrl: 'https://x/1' }),
    ).toContain('What landed is in https://x/1')
    expect(
      standing('parked', [], {
        trouble: 'no @rights',
        issues: [],
        session: { id: session.id, status: 'parked', reason: null },
      }),
    ).toContain('could not be published')
    expect(standing('completed', [settled({})], { issues: [] })).toContain('fixed in cccccccccccc (E3)')
  })
  it('holds a whole patch behind a fence that it cannot close, or says that it is too long', () => {
    const patch = 'diff --git a/x b/x\n+```\n+</details> @ada\n'
    const text = standing('completed', [settled({})], { patch })
    expect(text).toContain(`\n\`\`\`\`diff\n${patch}\`\`\`\`\n`)
    const long = standing('completed', [settled({})], { patch: 'x'.repeat(60_000) })
    expect(long).toContain('a patch of 60000 characters, too long for a comment')
    expect(long.length).toBeLessThan(2_000)
  })
  it('is a check run too, which is undecided while the session works', () => {
    const check = (status: string, attempts: readonly Attempt[]) =>
      checkOfSession({ session: { status } as never, attempts }, '').conclusion
    expect(check('running', [settled({})])).toBeNull()
    expect(check('awaiting_approval', [held])).toBe('action_required')
    expect(check('completed', [settled({})])).toBe('success')
    expect(check('partial', [refused])).toBe('neutral')
  })
  it('lists every command', () => {
    expect(helpText()).toContain('/fixpoint ignore CODE REASON')
  })
})
