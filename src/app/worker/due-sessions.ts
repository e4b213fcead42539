import type { Queue } from '../../loop/ports.ts'
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

/** Sends a job for each session that a process should go on with: rows alone decide, so that no job can be missed. */
export async function sendDue({ store, queue }: DueParts): Promise<void> {
  const open = await store.sessions.heads({ status: ['pending', 'running', 'parked'], limit: mostSessions })
  // The oldest first, as they would have been sent.
  for (const { id, status, owner } of open.toReversed()) {
    if (status === 'running' && owner !== null && isDriven(store, { owner })) continue
    const stored = await store.sessions.load(id)
    if (stored && shouldGoOn(stored.session, { store, nowMs: clock.now() }))
      await sendSession({ store, queue }, stored.session)
  }
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
