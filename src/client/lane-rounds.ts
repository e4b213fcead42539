import type { Challenge } from '../model/proof/challenge.ts'
import type { Gate } from '../model/proof/gate.ts'
import type { Verification } from '../model/proof/verification.ts'
import type { FixEvent } from '../model/session/event.ts'
import { detail } from './event-detail.ts'

/** What is known of one round of an attempt, as far as it has come. */
export interface LaneRound {
  readonly round: number
  readonly gates: readonly Gate[]
  readonly verification: Verification | null
  readonly challenge: Challenge | null
  /** How the round ended, in words; null while it runs. */
  readonly ended: string | null
}

/** Pure: the rounds after one more durable event of their issue. */
export function reduceRounds(rounds: readonly LaneRound[], event: FixEvent): readonly LaneRound[] {
  if (event.round === null) return rounds
  const number = event.round
  const known = rounds.find(({ round }) => round === number)
  const before = known ?? { round: number, gates: [], verification: null, challenge: null, ended: null }
  const after = reduceRound(before, event)
  return known ? rounds.map((round) => (round === known ? after : round)) : [...rounds, after]
}

function reduceRound(round: LaneRound, event: FixEvent): LaneRound {
  const gate = event.type === 'fix_gate_result' ? detail<Gate>(event, 'gate') : undefined
  return {
    ...round,
    gates: gate ? [...round.gates.filter(({ name }) => name !== gate.name), gate] : round.gates,
    verification: detail<Verification>(event, 'verification') ?? round.verification,
    challenge: detail<Challenge>(event, 'challenge') ?? round.challenge,
    ended: event.type === 'fix_cycle_completed' ? event.message : round.ended,
  }
}
