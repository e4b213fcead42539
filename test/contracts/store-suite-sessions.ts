import { describe, expect, it } from 'vitest'
import { advance } from '../../src/model/attempt/advance-attempt.ts'
import type { Attempt, Outcome } from '../../src/model/attempt/attempt.ts'
import { IssueId, SessionId } from '../../src/model/id.ts'
import { moveIssue, type Issue, type IssueStatus } from '../../src/model/issue/issue.ts'
import { advanceSession, type Session } from '../../src/model/session/session.ts'
import { repositoryId, sampleAttempt, sampleEvent, sampleSession } from '../fixtures/store/samples.ts'
import { recordedAt, setScene, type Scene, type TestDatabase } from './store-scene.ts'

const toStatus = (status: IssueStatus) => (issue: Issue) => ({ ...issue, status })

async function started(
  scene: Scene,
  id: string,
): Promise<{ session: Session; issue: Issue; attempt: Attempt }> {
  const issue = await scene.issue()
  const session = sampleSession(id, [issue.id])
  const attempt = sampleAttempt(`att_${id.slice(4)}`, session, issue)
  await scene.store.sessions.create({ session, attempts: [attempt], events: [sampleEvent(id)] })
  return { session, issue, attempt }
}

export function describeSessions(makeDatabase: () => Promise<TestDatabase>): void {
  describe('starting a session', () => {
    const scene = setScene(makeDatabase)

    it('claims its issues and stores session, attempts and events together', async () => {
      const issues = [await scene.issue(), await scene.issue({ status: 'failed' })]
      const session = sampleSession(
        'ses_start',
        issues.map((issue) => issue.id),
      )
      const attempts = issues.map((issue, index) =>
        sampleAttempt(`att_start${2 - index}`, session, issue, index),
      )
      const events = [sampleEvent('ses_start'), sampleEvent('ses_start', { message: 'second' })]
      const placed = await scene.store.sessions.create({ session, attempts, events })
      expect(placed).toEqual(events.map((event, index) => ({ ...event, seq: index + 1 })))
      expect(await scene.store.sessions.load(session.id)).toEqual({ session, attempts })
      expect(await scene.store.sessions.events(session.id, 0)).toEqual(placed)
      expect(await scene.store.issues.get(session.issue_ids)).toEqual(
        issues.map((issue) => ({
          ...issue,
          status: 'in_progress',
          fix_session_id: session.id,
          updated_at: recordedAt,
        })),
      )
    })

    it('is refused as busy, with the session that holds it, when an issue is being fixed', async () => {
      const { session, issue } = await started(scene, 'ses_holder')
      const free = await scene.issue()
      const second = sampleSession('ses_second', [free.id, issue.id])
      const create = scene.store.sessions.create({
        session: second,
        attempts: [],
        events: [sampleEvent(second.id)],
      })
      await expect(create).rejects.toMatchObject({
        code: 'busy',
        message: expect.stringMatching(new RegExp(`${issue.code}.*${session.id}`)),
      })
      expect(await scene.store.sessions.load(second.id)).toBeNull()
      expect(await scene.store.issues.get([free.id])).toEqual([free])
    })

    it.each<IssueStatus>(['resolved', 'merged', 'ignored', 'duplicate'])(
      'is refused for an issue that is %s',
      async (status) => {
        const issue = await scene.issue({ status })
        const create = scene.store.sessions.create({
          session: sampleSession('ses_illegal', [issue.id]),
          attempts: [],
          events: [],
        })
        await expect(create).rejects.toMatchObject({ code: 'transition_refused' })
      },
    )

    it('is refused for an issue that is not known', async () => {
      const create = scene.store.sessions.create({
        session: sampleSession('ses_unknown', ['iss_unknown']),
        attempts: [],
        events: [],
      })
      await expect(create).rejects.toMatchObject({ code: 'not_found' })
    })

    it('sessions are listed newest first', async () => {
      for (const id of ['ses_x1', 'ses_x2', 'ses_x3'])
        await scene.store.sessions.create({ session: sampleSession(id, []), attempts: [], events: [] })
      const listed = await scene.store.sessions.list(repositoryId, 2)
      expect(listed.map((session) => session.id)).toEqual(['ses_x3', 'ses_x2'])
      const { heads } = scene.store.sessions
      expect((await heads({ repositoryId, limit: 2 })).map(({ id }) => id)).toEqual(['ses_x3', 'ses_x2'])
      expect(await heads({ limit: 1, before: 'ses_x3' })).toEqual([
        { id: 'ses_x2', repositoryId, status: 'running', owner: 'one' },
      ])
      expect(await heads({ limit: 5, status: ['cancelled'] })).toEqual([])
      const halt = { kind: 'quota', reason: 'says "until":"never"', until: null } as const
      for (const [id, until] of [
        ['ses_x4', null],
        ['ses_x5', '2030-01-01T00:00:00.000Z'],
      ] as const) {
        const session = sampleSession(id, [], { status: 'parked', halt: { ...halt, until } })
        await scene.store.sessions.create({ session, attempts: [], events: [] })
      }
      const timed = await heads({ repositoryId, limit: 5, status: ['parked'], isTimed: true })
      expect(timed.map(({ id }) => id)).toEqual(['ses_x5'])
    })

    it('sessions that ask something of a person are found, and only those', async () => {
      const { session, attempt, issue } = await started(scene, 'ses_asks')
      expect(await scene.store.sessions.asking(repositoryId)).toEqual([])
      const settled = (outcome: Outcome) => advance(attempt, { type: 'stopped', outcome, reason: 'why' })
      await scene.store.sessions.record({
        sessionId: session.id,
        owner: 'one',
        attempts: [settled('disputed')],
        issues: [{ id: issue.id, edit: toStatus('open') }],
        events: [],
      })
      const asking = [{ id: session.id, repositoryId, status: 'running', owner: 'one' }]
      expect(await scene.store.sessions.asking()).toEqual(asking)
      await scene.store.sessions.record({
        sessionId: session.id,
        attempts: [settled('refused')],
        session: { ...session, status: 'awaiting_clarification' },
        events: [],
      })
      expect(await scene.store.sessions.asking(repositoryId)).toEqual([
        { ...asking[0], status: 'awaiting_clarification' },
      ])
    })
  })

  describeRecords(makeDatabase)
  describeOwners(makeDatabase)
}

function describeRecords(makeDatabase: () => Promise<TestDatabase>): void {
  describe('recording a step', () => {
    const scene = setScene(makeDatabase)

    it('writes session, attempts, issues and events together', async () => {
      const { session, issue } = await started(scene, 'ses_whole')
      const changed = { ...session, verifications_run: 3 }
      const attempts = [
        { ...sampleAttempt('att_whole', session, issue), deferrals: 2 },
        sampleAttempt('att_extra', session, issue, 1),
      ]
      const placed = await scene.store.sessions.record({
        sessionId: session.id,
        session: changed,
        attempts,
        issues: [
          { id: issue.id, edit: (before) => ({ ...before, fix_explanation: 'first' }) },
          { id: issue.id, edit: (before) => moveIssue(before, 'resolved', 'engine') },
        ],
        events: [sampleEvent(session.id, { issue_id: issue.id }), sampleEvent(session.id)],
      })
      expect(placed.map((event) => event.seq)).toEqual([2, 3])
      expect(await scene.store.sessions.load(session.id)).toEqual({
        session: { ...changed, updated_at: recordedAt },
        attempts,
      })
      expect(await scene.store.issues.get([issue.id])).toMatchObject([
        { status: 'resolved', fix_explanation: 'first', updated_at: recordedAt },
      ])
      expect(await scene.store.sessions.events(session.id, 1)).toEqual(placed)
      expect(await scene.store.reviews.ledger(issue.id)).toEqual({
        findings: await scene.store.reviews.findingsOf(issue.id),
        attempts: attempts.toReversed(),
        events: placed.slice(0, 1),
        moves: [],
      })
    })

    it('writes nothing when a move is illegal', async () => {
      const { session, issue } = await started(scene, 'ses_refused')
      const before = await scene.store.sessions.load(session.id)
      const record = scene.store.sessions.record({
        sessionId: session.id,
        session: { ...session, verifications_run: 9 },
        attempts: [sampleAttempt('att_unwritten', session, issue)],
        issues: [{ id: issue.id, edit: toStatus('merged') }],
        events: [sampleEvent(session.id)],
      })
      await expect(record).rejects.toMatchObject({ code: 'transition_refused' })
      expect(await scene.store.sessions.load(session.id)).toEqual(before)
      expect(await scene.store.sessions.events(session.id, 0)).toHaveLength(1)
      expect(await scene.store.issues.get([issue.id])).toMatchObject([{ status: 'in_progress' }])
    })

    it("never touches another session's issue", async () => {
      const { session } = await started(scene, 'ses_mine')
      const other = await started(scene, 'ses_theirs')
      const record = scene.store.sessions.record({
        sessionId: session.id,
        owner: 'one',
        issues: [{ id: other.issue.id, edit: toStatus('open') }],
        events: [],
      })
      await expect(record).rejects.toMatchObject({
        code: 'busy',
        message: expect.stringContaining('ses_theirs'),
      })
    })

    it.each([
      ['session', { sessionId: SessionId.parse('ses_nowhere'), events: [] }],
      [
        'issue',
        {
          sessionId: SessionId.parse('ses_there'),
          owner: 'one',
          issues: [{ id: IssueId.parse('iss_nowhere'), edit: (issue: Issue) => issue }],
          events: [],
        },
      ],
    ])('says so when there is no such %s', async (_, change) => {
      if (!(await scene.store.sessions.load(SessionId.parse('ses_there')))) await started(scene, 'ses_there')
      await expect(scene.store.sessions.record(change)).rejects.toMatchObject({ code: 'not_found' })
    })
  })
}

function describeOwners(makeDatabase: () => Promise<TestDatabase>): void {
  describe('the owner of a session', () => {
    const scene = setScene(makeDatabase)

    it('may release it and end it, being the owner until then', async () => {
      const { session } = await started(scene, 'ses_ending')
      const ended = advanceSession(session, { type: 'ended', status: 'failed', reason: null, at: recordedAt })
      const change = { sessionId: session.id, session: ended, events: [] }
      await expect(scene.store.sessions.record(change)).rejects.toMatchObject({ code: 'busy' })
      await scene.store.sessions.record({ ...change, owner: 'one' })
      expect((await scene.store.sessions.load(session.id))?.session).toEqual({
        ...ended,
        updated_at: recordedAt,
      })
      const take = scene.store.sessions.take(session.id, { expectedOwner: null, owner: 'two' })
      await expect(take).rejects.toMatchObject({ code: 'transition_refused' })
    })

    it('remembers that somebody wants a session to end, however often they say so', async () => {
      const { session } = await started(scene, 'ses_tocancel')
      expect(await scene.store.sessions.isCancelRequested(session.id)).toBe(false)
      await scene.store.sessions.requestCancel(session.id)
      await scene.store.sessions.requestCancel(session.id)
      expect(await scene.store.sessions.isCancelRequested(session.id)).toBe(true)
    })

    it('writes nothing any more after another process took over', async () => {
      const { session, issue } = await started(scene, 'ses_zombie')
      const taken = await scene.store.sessions.take(session.id, { expectedOwner: 'one', owner: 'two' })
      expect(taken).toEqual(await scene.store.sessions.load(session.id))
      expect(taken.session).toEqual({
        ...session,
        owner: 'two',
        halt: null,
        takeovers: { count: 1, progress: '0 round, 1 queued' },
        updated_at: recordedAt,
      })
      expect(taken.attempts).toHaveLength(1)
      const { sessionId, events } = { sessionId: session.id, events: [sampleEvent(session.id)] }
      for (const change of [
        { sessionId, session, events },
        { sessionId, owner: 'one', events },
        { sessionId, owner: 'one', issues: [{ id: issue.id, edit: toStatus('open') }], events },
        { sessionId, events },
      ])
        await expect(scene.store.sessions.record(change)).rejects.toMatchObject({
          code: 'busy',
          message: `Session ${sessionId} was taken over by another process`,
        })
      expect(await scene.store.sessions.events(sessionId, 0)).toHaveLength(1)
      await scene.store.sessions.record({ sessionId, owner: 'two', events })
    })

    it('is not taken while its repository has enough, and nobody takes the last place twice', async () => {
      const { session } = await started(scene, 'ses_crowd')
      const { session: other } = await started(scene, 'ses_crowded')
      const seen: (readonly string[])[] = []
      const isCrowded = (owners: readonly string[]): boolean => {
        seen.push(owners)
        return owners.includes('last')
      }
      const terms = { expectedOwner: 'one', owner: 'last', isCrowded }
      const ends = await Promise.allSettled(
        [session, other].map(({ id }) => scene.store.sessions.take(id, terms)),
      )
      expect(ends.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
      expect(seen.every((owners) => owners.length > 0)).toBe(true)
    })

    it('is the first of two that take it', async () => {
      const { session } = await started(scene, 'ses_taken')
      await scene.store.sessions.take(session.id, { expectedOwner: 'one', owner: 'two' })
      const late = scene.store.sessions.take(session.id, { expectedOwner: 'one', owner: 'three' })
      await expect(late).rejects.toMatchObject({ code: 'busy' })
      const absent = scene.store.sessions.take(SessionId.parse('ses_absent'), {
        expectedOwner: null,
        owner: 'two',
      })
      await expect(absent).rejects.toMatchObject({ code: 'not_found' })
    })

    it('changes only by being taken', async () => {
      const { session } = await started(scene, 'ses_given')
      const record = scene.store.sessions.record({
        sessionId: session.id,
        owner: 'one',
        session: { ...session, owner: 'two' },
        events: [],
      })
      await expect(record).rejects.toMatchObject({ code: 'internal' })
    })
  })
}
