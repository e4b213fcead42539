import { describe, expect, it } from 'vitest'
import { memoryForge, pullOf } from '../../../test/fixtures/forge/memory-forge.ts'
import { sampleIssue } from '../../../test/fixtures/issue.ts'
import { repositoryId, sampleAttempt, sampleSession } from '../../../test/fixtures/store/samples.ts'
import type { Attempt } from '../../model/attempt/attempt.ts'
import type { Delivery } from '../../model/forge/delivery.ts'
import { CommitId } from '../../model/id.ts'
import type { Issue } from '../../model/issue/issue.ts'
import type { Remote, SessionReader } from '../ports.ts'
import { answerThreads } from './answer-threads.ts'
import { isLeftover, publishLeftovers, type LeftoversRequest } from './publish-leftovers.ts'
import { planPublish, plannedResult, publishSession, type PublishRequest } from './publish-session.ts'
import { syncPulls } from './sync-pulls.ts'

const base = CommitId.parse('a'.repeat(40))
const tip = CommitId.parse('b'.repeat(40))
const delivery: Delivery = {
  schema: 'fixpoint.bundle.v1',
  session_id: 'ses_1',
  branch: 'fix/a',
  base_branch: null,
  base_commit: base,
  tip_commit: tip,
  cost_usd: 0,
  issues: [],
}
const request: PublishRequest = {
  delivery,
  notes: [],
  base: null,
  title: null,
  isDraft: true,
  labels: ['fixpoint'],
  template: '## Checklist',
  source: 'session',
}
const remote = (refusal: string | null = null): Remote => ({
  tip: async () => null,
  fetch: async () => null,
  push: async () => ({ pushed: true }),
  pushNotes: async () => refusal,
})
const say = () => undefined

describe('publishing a session', () => {
  it('opens one pull request below the template, and finds it again the next time', async () => {
    const { forge, pulls, writes } = memoryForge()
    const first = await publishSession(request, { forge, remote: remote(), say })
    expect(first).toMatchObject({
      number: 1,
      created: true,
      pushed: true,
      base: 'main',
      labels: ['fixpoint'],
      warnings: [],
    })
    expect(pulls[0]?.body).toMatch(/^## Checklist\n\n<!-- fixpoint:begin pull-request -->/)
    writes.length = 0
    expect(await publishSession(request, { forge, remote: remote('no rights'), say })).toMatchObject({
      created: false,
      warnings: ['the evidence notes stay here: no rights'],
    })
    expect(writes).toEqual([])
  })
  it('changes only what differs: a title that is asked for, and its own part of the text', async () => {
    const { forge, pulls, writes } = memoryForge({
      pulls: [pullOf({ body: 'mine\r\n', labels: ['fixpoint'] })],
    })
    await publishSession({ ...request, title: 'another' }, { forge, remote: remote(), say })
    expect(writes).toEqual(['edit pull title body'])
    expect(pulls[0]).toMatchObject({ title: 'another', body: expect.stringMatching(/^mine/) as string })
  })
  it('writes its text into one that another process opened a moment ago', async () => {
    const { forge, pulls } = memoryForge()
    const raced = {
      ...forge,
      pulls: {
        ...forge.pulls,
        open: async () => (pulls.push(pullOf({ body: 'theirs' })), pullOf({ body: 'theirs' })),
      },
    }
    await publishSession(request, { forge: raced, remote: remote(), say })
    expect(pulls[0]?.body).toMatch(/^theirs\n\n<!-- fixpoint:begin/)
  })
  it('shows the very text in a dry run', async () => {
    const { forge, writes } = memoryForge()
    const shown = plannedResult(await planPublish(request, { forge }), request)
    expect(shown).toMatchObject({ number: null, created: false, pushed: false, title: 'Fixes by Fixpoint' })
    expect(
      plannedResult(await planPublish(request, { forge: memoryForge({ pulls: [pullOf()] }).forge }), request),
    ).toMatchObject({ number: 1, title: 'fix: a' })
    expect(writes).toEqual([])
  })
  it.each([
    ['an archived repository', { about: { isArchived: true } }, request, /is archived/],
    ['a token that may not push', { about: { canPush: false } }, request, /may not push/],
    [
      'the default branch',
      {},
      { ...request, delivery: { ...delivery, branch: 'main' } },
      /nothing is pushed to it/,
    ],
    ['its own base', {}, { ...request, base: 'fix/a' }, /nothing is pushed to it/],
    ['one that was merged', { pulls: [pullOf({ state: 'merged' as const })] }, request, /is merged already/],
    ['one that was closed', { pulls: [pullOf({ state: 'closed' as const })] }, request, /is closed already/],
  ])('is refused for %s', async (_what, given, asked, why) => {
    await expect(planPublish(asked, memoryForge(given))).rejects.toThrow(why)
  })
  it('goes on where an older state of the branch was closed', async () => {
    const { forge } = memoryForge({ pulls: [pullOf({ state: 'closed', headSha: base })] })
    expect((await planPublish(request, { forge })).existing).toBeNull()
  })
})

/** A few issues and what was tried on them. */
function keep(issues: Issue[], attempts: readonly Attempt[] = []) {
  return {
    issues: {
      get: async (ids: readonly string[]) => issues.filter(({ id }) => ids.includes(id)),
      change: async (id: string, _actor: string, edit: (issue: Issue) => Issue) => {
        const at = issues.findIndex((one) => one.id === id)
        const now = edit(issues[at] as Issue)
        issues[at] = now
        return now
      },
    } as never,
    reviews: { ledger: async () => ({ findings: [], attempts, events: [], moves: [] }) } as never,
  }
}

describe('publishing leftovers', () => {
  const failed = sampleIssue({ status: 'failed', severity: 'major' })
  const ask = (all: Issue[]): LeftoversRequest => ({
    all,
    leftovers: all.filter(({ status }) => status === 'failed'),
    labels: ['tech-debt'],
    commit: tip,
  })
  it('publishes each once, updates it, finds it without its label, and closes it when it is done', async () => {
    const { forge, issues, writes } = memoryForge()
    const kept = [failed]
    const ports = { forge, ...keep(kept) }
    expect(await publishLeftovers(ask(kept), ports)).toMatchObject({
      total_findings: 1,
      blocked: 1,
      issues_created: [{ code: 'BE-001', number: 1 }],
    })
    expect(issues[0]).toMatchObject({ title: '[MAJOR] Loose comparison' })
    expect(issues[0]?.body).toContain(`/blob/${tip}/src/a.js#L2-L3`)
    expect(kept[0]?.references).toContain(issues[0]?.url)
    writes.length = 0
    expect(await publishLeftovers(ask(kept), ports)).toMatchObject({
      issues_unchanged: [{ number: 1 }],
      issues_created: [],
    })
    expect(writes).toEqual([])
    const unlisted = { ...ports, forge: { ...forge, issues: { ...forge.issues, list: async () => [] } } }
    kept[0] = { ...(kept[0] as Issue), description: 'worse' }
    expect(await publishLeftovers(ask(kept), unlisted)).toMatchObject({ issues_updated: [{ number: 1 }] })
    for (const [status, evidence] of [
      ['resolved', 'E1'],
      ['merged', 'E1'],
    ] as const) {
      kept[0] = { ...failed, references: kept[0]?.references ?? [], status, evidence }
      const { issues_closed } = await publishLeftovers(ask(kept), ports)
      // A fix that waits in a pull request is not there yet.
      expect(issues_closed).toHaveLength(status === 'merged' ? 1 : 0)
    }
    expect(issues[0]?.state).toBe('closed')
  })
  it('gives up what nobody wants to fix', async () => {
    const { forge, issues } = memoryForge()
    const kept = [failed]
    await publishLeftovers(ask(kept), { forge, ...keep(kept) })
    kept[0] = { ...(kept[0] as Issue), status: 'ignored' }
    await publishLeftovers(ask(kept), { forge, ...keep(kept) })
    expect(issues[0]).toMatchObject({ state: 'closed', reason: 'not_planned' })
  })
  it('links no lines where there are none', async () => {
    const { forge, issues } = memoryForge()
    const kept = [
      { ...failed, line: null, end_line: null, fingerprint: 'a' },
      { ...failed, id: 'iss_2' as Issue['id'], file: null, fingerprint: 'b' },
      { ...failed, id: 'iss_3' as Issue['id'], end_line: 2, fingerprint: 'c' },
    ]
    await publishLeftovers(ask(kept), { forge, ...keep(kept) })
    expect(issues.map(({ body }) => /\/blob\/b+([^)]*)/.exec(body)?.[1] ?? null)).toEqual([
      '/src/a.js',
      null,
      '/src/a.js#L2',
    ])
  })
  it('knows what was tried in vain', async () => {
    const session = sampleSession('ses_1', [failed.id])
    const tried = (given: object) => [{ ...sampleAttempt('att_1', session, failed), ...given }]
    expect(await isLeftover(failed, keep([]))).toBe(true)
    expect(await isLeftover({ ...failed, status: 'merged' }, keep([]))).toBe(false)
    const open = { ...failed, status: 'open' as const }
    expect(await isLeftover(open, keep([]))).toBe(false)
    expect(await isLeftover(open, keep([], tried({})))).toBe(false)
    expect(await isLeftover(open, keep([], tried({ stage: 'settled', outcome: 'blocked' })))).toBe(true)
  })
})

describe('what became of a pull request', () => {
  const fixed = sampleIssue({ status: 'resolved', fix_commit_sha: tip, evidence: 'E1' })
  const session = sampleSession('ses_1', [fixed.id], { branch: 'fix/a', branch_made: true })
  const attempts = [
    {
      ...sampleAttempt('att_1', session, fixed),
      stage: 'settled',
      outcome: 'fixed',
      reason: '',
      commit_sha: tip,
      evidence: 'E1',
    } as unknown as Attempt,
  ]
  const sessions = (given: object = {}) =>
    ({
      list: async () => [{ ...session, ...given }],
      load: async () => ({ session, attempts }),
    }) as unknown as SessionReader
  it('open, closed, reopened and merged are taken over, each once', async () => {
    const { forge, pulls } = memoryForge({ pulls: [pullOf({ headSha: tip })] })
    const kept = [fixed]
    const sync = async (state: 'open' | 'closed' | 'merged') => {
      pulls[0] = pullOf({ state })
      const synced = await syncPulls(repositoryId, { forge, issues: keep(kept).issues, sessions: sessions() })
      return [kept[0]?.status, kept[0]?.resolution_note, synced[0]?.changed.length ?? null]
    }
    expect(await sync('open')).toEqual(['resolved', 'Proposed in PR #1', 1])
    expect(await sync('open')).toEqual(['resolved', 'Proposed in PR #1', 0])
    expect(await sync('closed')).toEqual(['open', 'PR #1 was closed without being merged', 1])
    expect(await sync('closed')).toEqual(['open', 'PR #1 was closed without being merged', 0])
    expect(await sync('open')).toEqual(['resolved', 'Proposed in PR #1', 1])
    expect(await sync('closed')).toEqual(['open', 'PR #1 was closed without being merged', 1])
    expect(await sync('merged')).toEqual(['merged', 'Fixed in PR #1', 2])
    // Nobody has to be asked again.
    expect(await sync('closed')).toEqual(['merged', 'Fixed in PR #1', null])
  })
  it('means nothing for another fix of the issue, and the open one counts before the merged one', async () => {
    const kept = [{ ...fixed, fix_commit_sha: base }]
    const { forge } = memoryForge({
      pulls: [pullOf({ state: 'closed' }), pullOf({ number: 2, state: 'merged' })],
    })
    const [synced] = await syncPulls(repositoryId, { forge, issues: keep(kept).issues, sessions: sessions() })
    expect(synced).toMatchObject({ number: 2, state: 'merged', changed: [] })
  })
  it('is not asked for without a branch or a pull request', async () => {
    const { forge } = memoryForge()
    const ports = { forge, issues: keep([fixed]).issues }
    expect(await syncPulls(repositoryId, { ...ports, sessions: sessions() })).toEqual([])
    expect(await syncPulls(repositoryId, { ...ports, sessions: sessions({ branch_made: false }) })).toEqual(
      [],
    )
    expect(
      await syncPulls(repositoryId, { ...ports, sessions: { ...sessions(), load: async () => null } }),
    ).toEqual([])
  })
})

describe('a thread that an issue came from', () => {
  it('is told the commit once, and resolved when that is asked for', async () => {
    const { forge, threads, writes } = memoryForge()
    await forge.threads.begin(1, tip, { path: 'a', line: 1, startLine: null, body: 'this leaks' })
    const about = await forge.about()
    const reference = threads[0]?.comments[0]?.url ?? ''
    const fixes = [
      {
        code: 'BE-001',
        references: [reference, 'https://example.com', `${about.url}/pull/1#discussion_r99`],
        commit: tip,
        changes: 'closes it, @ada',
      },
    ]
    writes.length = 0
    expect(await answerThreads({ fixes, about, isResolving: false }, forge)).toEqual([reference])
    expect(await answerThreads({ fixes, about, isResolving: true }, forge)).toEqual([])
    expect(
      await answerThreads(
        { fixes: [{ ...fixes[0], changes: null } as never], about, isResolving: true },
        forge,
      ),
    ).toEqual([])
    expect(writes).toEqual(['reply', 'resolve'])
    expect(threads[0]?.comments[1]?.body).not.toContain('@ada')
  })
})
