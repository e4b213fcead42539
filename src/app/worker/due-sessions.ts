import type { Queue, SessionHead } from '../../loop/ports.ts'
import type { RepositoryId } from '../../model/id.ts'
import { passesByItself } from '../../model/session/halt.ts'
import type { Session } from '../../model/session/session.ts'
import type { Store } from '../../adapters/store/index.ts'
import { isDriven, isOwnProcess } from '../../adapters/process/run-mark.ts'
import { clock } from '../machine.ts'
import { artifactsLost, databaseLost, processStopped, type RunningSessions } from './running-sessions.ts'

type AliveStore = Pick<Store, 'isOwnerAlive'>

/** Whether some process should go on with a session: it waits in the queue, its driver is gone, or its quota is back. */
export function shouldGoOn(
  session: Session,
  { store, nowMs }: { readonly store: AliveStore; readonly nowMs: number },
): boolean {
  const { status, owner, reason, halt } = session
  if (status === 'pending') return true
  if (status === 'parked') return !!halt?.until && passesByItself(halt) && Date.parse(halt.until) <= nowMs
  if (status !== 'running') return false
  return owner ? !isDriven(store, session) : goesOnAfter.some((start) => (reason ?? '').startsWith(start))
}

/** The reasons for which a session was put down without anybody asking for it. */
const goesOnAfter = [processStopped, databaseLost, artifactsLost]

/**
 * Whether this process owns a session that it does not drive: its database went away just as it had taken it, so that
 * nobody else knows that somebody has to go on.
 */
export const isLostHere = (
  { id, owner }: Pick<Session, 'id' | 'owner'>,
  { has }: Pick<RunningSessions, 'has'>,
): boolean => owner !== null && isOwnProcess(owner) && !has(id)

interface DueParts {
  readonly store: Pick<Store, 'sessions' | 'isOwnerAlive'>
  readonly queue: Pick<Queue, 'send'>
}

const mostSessions = 10_000

interface AllDueParts extends DueParts {
  readonly queue: Pick<Queue, 'send' | 'waiting'>
  /** How many sessions of one repository run at once. */
  readonly perRepository: number
}

/**
 * Sends a job for each session that a process should go on with: rows alone decide, so that no job can be missed. Thousands
 * may wait, so those are told from their columns, and none is sent that has a job already or no place in its repository.
 */
export async function sendDue({ store, queue, perRepository }: AllDueParts): Promise<void> {
  const { sessions } = store
  const open = await sessions.heads({ status: ['pending', 'running'], limit: mostSessions })
  const timed = await sessions.heads({ status: ['parked'], isTimed: true, limit: mostSessions })
  const waiting = await queue.waiting('sessions')
  const earlier = countPerRepository()
  const atWork = countPerRepository()
  for (const head of open) if (head.status === 'running' && isDriven(store, head)) atWork.add(head)
  // The oldest first, as they would have been sent.
  for (const head of [...open, ...timed].toSorted((one, other) => (one.id < other.id ? -1 : 1))) {
    const { id: sessionId, repositoryId, status } = head
    const turn = earlier.of(head)
    if (status !== 'parked') earlier.add(head)
    // When one of those that run ends, the next ones are told.
    if (status === 'pending' && atWork.of(head) >= perRepository) continue
    if (!waiting.has(sessionId) && !(await isDue(head, store))) continue
    atWork.add(head)
    if (waiting.has(sessionId)) continue
    await queue.send({ sessionId, repositoryId, refusals: 0 }, { turn: Math.min(turn, mostTurns) })
  }
}

function countPerRepository() {
  const counts = new Map<RepositoryId, number>()
  const of = ({ repositoryId }: SessionHead): number => counts.get(repositoryId) ?? 0
  return { of, add: (head: SessionHead): void => void counts.set(head.repositoryId, of(head) + 1) }
}

/** What the columns do not tell is read. */
async function isDue({ id, status, owner }: SessionHead, store: DueParts['store']): Promise<boolean> {
  if (status === 'pending') return true
  if (status === 'running' && owner !== null) return !isDriven(store, { owner })
  const stored = await store.sessions.load(id)
  return stored !== null && shouldGoOn(stored.session, { store, nowMs: clock.now() })
}

/** Sends a job for the sessions whose driver is gone; looks at nothing but columns. */
export async function sendOrphans({ store, queue }: DueParts): Promise<void> {
  const open = await store.sessions.heads({ status: ['running'], limit: mostSessions })
  for (const { id, repositoryId, owner } of open)
    if (owner !== null && !isDriven(store, { owner }))
      await sendSession({ store, queue }, { id, repository_id: repositoryId })
}

/**
 * Also sends a job for the sessions that this process owned without driving them at the last look: taking a session, or
 * a person's answer, takes moments only.
 */
export function createLostSender(
  { store, queue }: DueParts,
  running: Pick<RunningSessions, 'has'>,
): () => Promise<void> {
  let before: ReadonlySet<string> = new Set()
  return async () => {
    const open = await store.sessions.heads({ status: ['running'], limit: mostSessions })
    const lost = open.filter((head) => isLostHere(head, running))
    for (const { id, repositoryId, owner } of lost)
      if (owner !== null && before.has(owner))
        await sendSession({ store, queue }, { id, repository_id: repositoryId })
    before = new Set(lost.map(({ owner }) => owner ?? ''))
  }
}

/** The more sessions of its repository wait or run, the later a session's turn: repositories get equal shares. */
export async function sendSession(
  { store, queue }: DueParts,
  { id, repository_id: repositoryId }: Pick<Session, 'id' | 'repository_id'>,
): Promise<void> {
  const others = await store.sessions.heads({
    repositoryId,
    status: ['pending', 'running'],
    before: id,
    limit: mostTurns,
  })
  await queue.send({ sessionId: id, repositoryId, refusals: 0 }, { turn: others.length })
}

const mostTurns = 1_000
