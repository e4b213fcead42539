import { isSettled, type Attempt } from './attempt.ts'

/** What the runs of a session have cost on average, by what they were for; null where there was none yet. */
export interface KnownCosts {
  readonly reproduce: number | null
  readonly fix: number | null
  readonly challenge: number | null
}

export function knownCosts(attempts: readonly Attempt[]): KnownCosts {
  const rounds = attempts.flatMap((attempt) => attempt.rounds)
  const open = attempts.flatMap((attempt) => ('run' in attempt ? [attempt.run] : []))
  const challenges = [
    ...rounds.map(({ challenge }) => challenge),
    ...attempts.map((attempt) => ('challenge' in attempt ? attempt.challenge : null)),
  ]
  return {
    reproduce: mean(attempts.flatMap(({ reproduction }) => reproduction?.run?.cost_usd ?? [])),
    fix: mean([...rounds.map(({ run }) => run.cost_usd), ...open.map(({ cost_usd }) => cost_usd)]),
    challenge: mean(challenges.flatMap((challenge) => (challenge ? [challenge.cost_usd ?? 0] : []))),
  }
}

const mean = (costs: readonly number[]): number | null =>
  costs.length === 0 ? null : costs.reduce((sum, usd) => sum + usd, 0) / costs.length

/** The estimate for a first fix and its challenge, before any cost is known. */
export const unknownFixUsd = 2.5
/** The part of a fix that a challenge is estimated to cost, until the cost of one is known. */
const challengeShare = 0.5

/** What an attempt will still cost to its landing, if its next round is its last. */
export function expectedRest(attempt: Attempt, known: KnownCosts): number {
  const fix = known.fix ?? unknownFixUsd / (1 + challengeShare)
  const challenge = attempt.policy.challenge ? (known.challenge ?? fix * challengeShare) : 0
  switch (attempt.stage) {
    case 'queued':
      return (known.reproduce ?? 0) + fix + challenge
    case 'fixing':
      return fix + challenge
    case 'inspecting':
    case 'verifying':
    case 'doubting':
    case 'challenging':
      return challenge
    case 'held':
    case 'bundled':
    case 'accepted':
    case 'settled':
      return 0
  }
}

/** What the attempts that have begun will still cost together. */
export const expectedRests = (attempts: readonly Attempt[], known: KnownCosts): number =>
  attempts
    .filter((attempt) => !isSettled(attempt))
    .reduce((sum, attempt) => sum + expectedRest(attempt, known), 0)
