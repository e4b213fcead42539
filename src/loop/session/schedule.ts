import { isResting, isSettled, type Attempt, type Revision } from '../../model/attempt/attempt.ts'
import type { AttemptId } from '../../model/id.ts'

/** Which attempts to start now. No barriers: each starts as soon as its predecessors are settled, longest remaining chain first. */
export function nextToStart(
  attempts: readonly Attempt[],
  running: ReadonlySet<AttemptId>,
  { atOnce, isBatched }: { readonly atOnce: number; readonly isBatched: boolean },
): readonly Attempt[] {
  const free = atOnce - running.size
  if (free <= 0) return []
  const settled = new Set(attempts.filter(isSettled).map((attempt) => attempt.id))
  const remaining = chainLengths(attempts)
  return (
    attempts
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
      .slice(0, free)
  )
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
export function nextTrain(
  attempts: readonly Attempt[],
  tip: Pick<Revision, 'tree'>,
  running: ReadonlySet<AttemptId>,
): readonly Accepted[] {
  const train = readyToLand(attempts)
  const members = new Set(train.map(({ id }) => id))
  const others = attempts.filter((attempt) => !isSettled(attempt) && !members.has(attempt.id))
  const isAwaited = others.some(({ after }) => after.some((id) => members.has(id)))
  const canGrow = others.some(({ id }) => running.has(id))
  if (isAwaited || !canGrow || train.length >= fullTrain) return train.slice(0, fullTrain)
  // The one whose own verified tree becomes the tip needs no verification, so nothing is gained by waiting.
  return train.slice(0, 1).filter(({ patch }) => patch.base_tree === tip.tree)
}

type Accepted = Extract<Attempt, { stage: 'accepted' }>

/** In plan order: all earlier ones settled, these accepted. */
function readyToLand(attempts: readonly Attempt[]): readonly Accepted[] {
  const train: Accepted[] = []
  for (const attempt of attempts.toSorted((a, b) => a.position - b.position)) {
    // One that waits for a person must not keep the others from landing; it lands after them.
    if (isSettled(attempt) || attempt.stage === 'held' || attempt.stage === 'bundled') continue
    if (attempt.stage !== 'accepted') break
    train.push(attempt)
  }
  return train
}
