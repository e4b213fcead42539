import { isResting, isSettled, type Attempt } from '../model/attempt.ts'
import type { AttemptId } from '../model/id.ts'

/** Which attempts to start now. No barriers: each starts as soon as its predecessors are settled, longest remaining chain first. */
export function nextToStart(
  attempts: readonly Attempt[],
  running: ReadonlySet<AttemptId>,
  concurrency: number,
): readonly Attempt[] {
  const free = concurrency - running.size
  if (free <= 0) return []
  const settled = new Set(attempts.filter(isSettled).map((attempt) => attempt.id))
  const remaining = chainLengths(attempts)
  return attempts
    .filter((attempt) => !isResting(attempt) && !running.has(attempt.id))
    .filter((attempt) => attempt.after.every((id) => settled.has(id)))
    .toSorted(
      (a, b) =>
        Number(b.stage !== 'queued') - Number(a.stage !== 'queued') ||
        (remaining.get(b.id) ?? 0) - (remaining.get(a.id) ?? 0) ||
        a.position - b.position,
    )
    .slice(0, free)
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

/** The attempts that may land now: in plan order, all earlier ones settled, these accepted. */
export function nextTrain(attempts: readonly Attempt[]): readonly Extract<Attempt, { stage: 'accepted' }>[] {
  const train: Extract<Attempt, { stage: 'accepted' }>[] = []
  for (const attempt of attempts.toSorted((a, b) => a.position - b.position)) {
    // One that waits for a person must not keep the others from landing; it lands after them.
    if (isSettled(attempt) || attempt.stage === 'held') continue
    if (attempt.stage !== 'accepted') break
    train.push(attempt)
  }
  return train
}
