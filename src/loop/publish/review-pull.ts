import { ReviewId } from '../../model/id.ts'
import { judgeVotes, type BlockingFinding, type VoteJudgement, type Vote } from '../../model/forge/vote.ts'
import type { CheckCommand } from '../../model/proof/verification.ts'
import type { Ports } from '../ports.ts'
import { askVoter, type PullChange, type VoterPorts } from './ask-voter.ts'
import { confirmFindings, type Confirmed } from './confirm-findings.ts'

export interface PullReviewRequest {
  readonly change: PullChange
  readonly threshold: number
  readonly conventions: readonly string[]
  readonly commands: readonly CheckCommand[]
  readonly signal: AbortSignal
  readonly say: (progress: string) => void
}

/** All votes on one state of a pull request, and what they come to. */
export interface PullReview extends VoteJudgement, Pick<Confirmed, 'toolFindings' | 'unasked'> {
  readonly number: number
  readonly head_sha: string
  readonly votes: readonly Vote[]
  readonly blocking: readonly BlockingFinding[]
}

type PullReviewPorts = VoterPorts & Pick<Ports, 'agents' | 'checks' | 'scanners' | 'ids'>

/** Asks every voter at the same time, none knowing of the others, and what tools say of the same change. */
export async function reviewPull(request: PullReviewRequest, ports: PullReviewPorts): Promise<PullReview> {
  const { change, conventions, signal, say } = request
  const id = ReviewId.parse(ports.ids.next('rev'))
  const all = ports.agents.forRole('pr_reviewer')
  const voters = all.filter(({ agent }) => !agent.can.readsAll)
  say(`${voters.length} ${voters.length === 1 ? 'agent votes' : 'agents vote'} on #${change.pull.number}`)
  const votes = await Promise.all(
    voters.map(async (voter, index) => {
      const vote = await askVoter({ id, voter, index, change, conventions, signal }, ports)
      say(`${vote.agent}: ${vote.score ?? `no vote (${vote.missing ?? ''})`}`)
      return vote
    }),
  )
  const rules = all.find(({ agent }) => agent.can.readsAll === true) ?? null
  const confirmed = await confirmFindings({ ...request, votes, rules }, ports)
  return {
    number: change.pull.number,
    head_sha: change.pull.headSha,
    votes,
    ...judgeVotes(votes, confirmed.blocking, request.threshold),
    ...confirmed,
  }
}
