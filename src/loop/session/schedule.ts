import {
  isResting,
  isSettled,
  waitingBehind,
  type Attempt,
  type AttemptAt,
  type Revision,
} from '../../model/attempt/attempt.ts'
import type { AttemptId, IssueId } from '../../model/id.ts'
import type { Issue } from '../../model/issue/issue.ts'
import { isPartial } from '../../model/proof/verification.ts'
import type { SessionOptions } from '../../model/session/session.ts'
import { nextBatch } from '../batch/next-batch.ts'

/** Where a session is: all that decides what begins next. */
export interface Moment {
  readonly attempts: readonly Attempt[]
  readonly running: ReadonlySet<AttemptId>
  readonly isLanding: boolean
  readonly tip: Pick<Revision, 'tree'>
  readonly options: SessionOptions
  /** No agent may run. */
  readonly isHalted: boolean
  /** How many more attempts the budget lets begin; without it there is no bound. */
  readonly affordable?: number
  /** How many attempts are begun for each agent that may run at once. */
  readonly attemptsPerAgent?: number
}

export interface Moves {
  /** The issues of one agent call. */
  readonly batch: readonly AttemptAt<'queued'>[]
  readonly start: readonly Attempt[]
  readonly train: readonly Accepted[]
}

/** While some attempts are being captured and verified, others can already prepare for the agent's place they free. */
export const ownAttemptsPerAgent = 1.5

/** The work that begins now. Where nothing runs and nothing begins, every attempt is settled or waits for a person. */
export function nextMoves(moment: Moment, issues: ReadonlyMap<IssueId, Issue>): Moves {
  const { attempts, options, isHalted, isLanding, affordable = Number.POSITIVE_INFINITY } = moment
  const { attemptsPerAgent = ownAttemptsPerAgent } = moment
  const isBatched = options.strategy !== 'isolated'
  // In batches one agent runs at a time; the next begins from what the one before it has landed.
  const isFree = isBatched && !isHalted && moment.running.size === 0 && affordable > 0
  const batch = isFree ? nextBatch(attempts, issues, options) : []
  const running = new Set([...moment.running, ...batch.map(({ id }) => id)])
  const atOnce = isHalted ? 0 : Math.ceil(options.concurrency * attemptsPerAgent)
  const start = nextToStart(attempts, running, { atOnce, isBatched, affordable })
  const busy = new Set([...running, ...start.map(({ id }) => id)])
  return { batch, start, train: isLanding ? [] : nextTrain({ ...moment, running: busy }) }
}

/** Which attempts to start now. No barriers: each starts as soon as its predecessors are settled, longest remaining chain first. */
export function nextToStart(
  attempts: readonly Attempt[],
  running: ReadonlySet<AttemptId>,
  { atOnce, isBatched, affordable = Number.POSITIVE_INFINITY }: Starting,
): readonly Attempt[] {
  const free = atOnce - running.size
  if (free <= 0) return []
  const settled = new Set(attempts.filter(isSettled).map((attempt) => attempt.id))
  const remaining = chainLengths(attempts)
  const ready = attempts
    .filter((attempt) => !isResting(attempt) && !running.has(attempt.id))
    // In batches, an agent's first run is for several issues; only what comes after it is an issue's own.
    .filter((attempt) => !isBatched || attempt.stage !== 'queued')
    .filter((attempt) => attempt.after.every((id) => settled.has(id)))
    .toSorted(
      (a, b) =>
        Number(b.stage !== 'queued') - Number(a.stage !== 'queued') ||
        (remaining.get(b.id) ?? 0) - (remaining.get(a.id) ?? 0) ||
        a.position - b.position,
    )
  // Attempts that have begun come first; of the others only as many begin as can be paid to their end.
  const begun = ready.filter(({ stage }) => stage !== 'queued').length
  return ready.slice(0, Math.min(free, begun + affordable))
}

/** What bounds the attempts that start. */
interface Starting extends Pick<Moment, 'affordable'> {
  readonly atOnce: number
  readonly isBatched: boolean
}

/** For each attempt, how many attempts in a row wait for it, itself included. */
function chainLengths(attempts: readonly Attempt[]): ReadonlyMap<AttemptId, number> {
  const length = new Map<AttemptId, number>()
  for (const attempt of attempts.toSorted((a, b) => b.position - a.position)) {
    const own = (length.get(attempt.id) ?? 0) + 1
    length.set(attempt.id, own)
    for (const before of attempt.after) length.set(before, Math.max(length.get(before) ?? 0, own))
  }
  return length
}

/** Longer trains would save little when they are green, and cost more when they are red. */
const fullTrain = 32

/** The attempts to land now: those that may, once waiting for more of them is worth nothing. */
export function nextTrain({
  attempts,
  running,
  tip,
  options,
}: Pick<Moment, 'attempts' | 'running' | 'tip' | 'options'>): readonly Accepted[] {
  const train = readyToLand(attempts, options)
  const members = new Set(train.map(({ id }) => id))
  const others = attempts.filter((attempt) => !isSettled(attempt) && !members.has(attempt.id))
  const isAwaited = others.some(({ after }) => after.some((id) => members.has(id)))
  const canGrow = others.some(({ id }) => running.has(id))
  if (isAwaited || !canGrow || train.length >= fullTrain) return train.slice(0, fullTrain)
  // The one whose own verified tree becomes the tip needs no verification, so nothing is gained by waiting.
  return train
    .slice(0, 1)
    .filter(({ patch, verification }) => patch.base_tree === tip.tree && !isPartial(verification))
}

type Accepted = AttemptAt<'accepted'>

/**
 * In plan order: all earlier ones settled, these accepted. An attempt that waits for a person, or that belongs to a
 * later batch, must not keep the others from landing; it lands after them.
 */
function readyToLand(
  attempts: readonly Attempt[],
  { strategy }: Pick<SessionOptions, 'strategy'>,
): readonly Accepted[] {
  const waiting = waitingBehind(attempts, strategy === 'isolated' ? ['held'] : ['held', 'queued'])
  const train: Accepted[] = []
  for (const attempt of attempts.toSorted((a, b) => a.position - b.position)) {
    if (isSettled(attempt) || attempt.stage === 'bundled' || waiting.has(attempt.id)) continue
    if (attempt.stage !== 'accepted') break
    train.push(attempt)
  }
  return train
}
