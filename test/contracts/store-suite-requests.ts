import { describe, expect, it } from 'vitest'
import type { RequestKey } from '../../src/loop/ports.ts'
import { AttemptId } from '../../src/model/id.ts'
import type { Worker } from '../../src/model/worker.ts'
import { advanceSession, type Session } from '../../src/model/session/session.ts'
import { repositoryId, sampleEvent, sampleSession } from '../fixtures/store/samples.ts'
import { recordedAt, setScene, type Scene, type TestDatabase } from './store-scene.ts'

const hour = 3_600_000
const keyOf = (key: string, given: Partial<RequestKey> = {}): RequestKey => ({
  key,
  lifetimeMs: hour,
  force: false,
  ...given,
})

async function begin(scene: Scene, id: string, key: RequestKey): Promise<Session> {
  const session = sampleSession(id, [(await scene.issue()).id])
  await scene.store.sessions.create({ session, attempts: [], events: [sampleEvent(id)], key })
  return session
}
const end = (scene: Scene, session: Session, status: 'completed' | 'failed') =>
  scene.store.sessions.record({
    sessionId: session.id,
    owner: 'one',
    session: advanceSession(session, { type: 'ended', status, reason: null, at: recordedAt }),
    issues: session.issue_ids.map((issueId) => ({
      id: issueId,
      edit: (issue) => ({ ...issue, status: status === 'completed' ? 'resolved' : 'failed' }),
    })),
    events: [],
  })

export function describeRequests(makeDatabase: () => Promise<TestDatabase>): void {
  describe('the same request', () => {
    const scene = setScene(makeDatabase)

    it('is refused with the session that is made for it, until that is over', async () => {
      const session = await begin(scene, 'ses_same1', keyOf('same'))
      expect(await scene.store.sessions.findRequest(keyOf('same'))).toBe(session.id)
      await expect(begin(scene, 'ses_same2', keyOf('same'))).rejects.toMatchObject({
        code: 'already_running',
        details: { session_id: session.id },
      })
      expect(await scene.store.sessions.load(sampleSession('ses_same2', []).id)).toBeNull()
      await end(scene, session, 'failed')
      const next = await begin(scene, 'ses_same3', keyOf('same'))
      expect(await scene.store.sessions.findRequest(keyOf('same'))).toBe(next.id)
    })

    it('counts for its lifetime only, and not when it is forced', async () => {
      await begin(scene, 'ses_old1', keyOf('old'))
      expect(await scene.store.sessions.findRequest(keyOf('old', { lifetimeMs: 0 }))).toBeNull()
      const forced = await begin(scene, 'ses_old2', keyOf('old', { force: true }))
      expect(await scene.store.sessions.findRequest(keyOf('old'))).toBe(forced.id)
    })

    it('is another one under another key, or under none', async () => {
      await begin(scene, 'ses_key1', keyOf('one'))
      await begin(scene, 'ses_key2', keyOf('two'))
      expect(await scene.store.sessions.findRequest(keyOf('three'))).toBeNull()
    })
  })

  describe('what people want of a session that another process drives', () => {
    const scene = setScene(makeDatabase)

    it('is given to whoever asks first, once, in the order in which it was left', async () => {
      const { id } = await begin(scene, 'ses_noted', keyOf('noted'))
      const answer = {
        kind: 'answer',
        attempt_id: AttemptId.parse('att_1'),
        round: 2,
        answer: { reject: 'no' },
        by: 'Ada',
      } as const
      const { sessions } = scene.store
      await sessions.leaveNote(id, { kind: 'stop' })
      await sessions.leaveNote(id, answer)
      const taken = await Promise.all([sessions.takeNotes(id), sessions.takeNotes(id)])
      expect(taken.flat()).toEqual([{ kind: 'stop' }, answer])
      expect(await sessions.takeNotes(id)).toEqual([])
    })
  })

  describe('a worker', () => {
    const scene = setScene(makeDatabase)

    it('is on the list with what it said last, until it leaves', async () => {
      const worker: Worker = {
        id: 'wrk_1',
        host: 'one',
        pid: 1,
        version: '1.0.0',
        concurrency: 4,
        sessions: [],
        started_at: recordedAt,
        draining: false,
      }
      const { workers } = scene.store
      await workers.put({ ...worker, id: 'wrk_2' })
      await workers.put(worker)
      await workers.put({ ...worker, draining: true })
      await workers.remove('wrk_2')
      expect(await workers.list()).toEqual([{ worker: { ...worker, draining: true }, silentMs: 0 }])
    })
  })

  describe('figures', () => {
    const scene = setScene(makeDatabase)

    it('count issues by status and severity, of all or of some', async () => {
      await scene.issues([
        { severity: 'major', title: 'first' },
        { severity: 'info', title: 'second' },
      ])
      await scene.issues([{ severity: 'major', title: 'third' }], { status: 'ignored' })
      const counts = await scene.store.issues.count({ repositoryId })
      expect(counts).toHaveLength(3)
      expect(counts).toEqual(
        expect.arrayContaining([
          { status: 'open', severity: 'major', count: 1 },
          { status: 'open', severity: 'info', count: 1 },
          { status: 'ignored', severity: 'major', count: 1 },
        ]),
      )
      expect(await scene.store.issues.count({ repositoryId, text: 'SECOND' })).toEqual([
        { status: 'open', severity: 'info', count: 1 },
      ])
    })

    it('tell how far the events of a session go, and give them in parts', async () => {
      const { id } = await begin(scene, 'ses_part', keyOf('part'))
      await scene.store.sessions.record({
        sessionId: id,
        owner: 'one',
        events: [sampleEvent(id), sampleEvent(id)],
      })
      expect(await scene.store.sessions.lastSeq(id)).toBe(3)
      const seqs = async (after: number, limit: number) =>
        (await scene.store.sessions.events(id, after, limit)).map(({ seq }) => seq)
      expect([await seqs(0, 2), await seqs(2, 2), await seqs(3, 2)]).toEqual([[1, 2], [3], []])
      expect(await scene.store.sessions.lastSeq(sampleSession('ses_none', []).id)).toBe(0)
    })
  })
}
