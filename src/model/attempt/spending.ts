import type { AgentRun } from '../agent/agent.ts'
import type { Attempt } from './attempt.ts'
import type { Round } from './round.ts'

export interface Spent {
  readonly usd: number
  readonly tokens: number
}

export const nothingSpent: Spent = { usd: 0, tokens: 0 }

export const addSpent = (a: Spent, b: Spent): Spent => ({ usd: a.usd + b.usd, tokens: a.tokens + b.tokens })

export const spentBy = ({ cost_usd, tokens }: Pick<AgentRun, 'cost_usd' | 'tokens'>): Spent => ({
  usd: cost_usd,
  tokens,
})

/** The run with the usage of the earlier tries that it replaces. */
export const withSpent = (run: AgentRun, { usd, tokens }: Spent): AgentRun => ({
  ...run,
  tokens: run.tokens + tokens,
  cost_usd: run.cost_usd + usd,
})

interface Bound {
  readonly usd: number | null
  readonly tokens: number | null
}

/** What a session and each of its issues may use; null where there is no bound. */
export interface Budget {
  readonly session: Bound
  readonly issue: Bound
}

/** What the agents of one round have used: the fixer and the challengers. */
export const spentInRound = ({ run, challenge }: Pick<Round, 'run' | 'challenge'>): Spent => ({
  usd: run.cost_usd + (challenge?.cost_usd ?? 0),
  tokens: run.tokens + (challenge?.tokens ?? 0),
})

/** What an attempt has used so far, with the round that is still open. */
export function spentOn(attempt: Attempt): Spent {
  const challenge = 'challenge' in attempt ? attempt.challenge : null
  const open = 'run' in attempt ? [{ run: attempt.run, challenge }] : []
  const { reproduction } = attempt
  const before = reproduction?.run ? [{ run: reproduction.run, challenge: null }] : []
  return [...before, ...attempt.rounds, ...open].map(spentInRound).reduce(addSpent, nothingSpent)
}
