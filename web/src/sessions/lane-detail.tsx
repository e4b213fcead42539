import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Lane, LaneStage } from '../../../src/client/index.ts'
import type { AttemptSummary, SessionDetail } from '../../../src/model/api/sessions.ts'
import type { Attempt } from '../../../src/model/attempt/attempt.ts'
import { attemptsQuery } from '../api/queries.ts'
import { formatSentence, shortSha } from '../ui/format.ts'
import { LiveText } from '../ui/layout.tsx'
import { visible } from '../ui/visible.ts'
import { Transcript } from '../rounds/transcript.tsx'
import { RoundView, type ShownRound } from '../rounds/round-view.tsx'
import { withoutRounds } from './lane-groups.ts'

interface Props {
  readonly session: SessionDetail
  readonly attempt: AttemptSummary
  readonly lane: Lane | undefined
}

/** The words of one issue's agent, and every round with gates, output, verdict and patch. */
export function LaneDetail({ session, attempt, lane }: Props) {
  const { data } = useQuery(attemptsQuery(session.session_id))
  const rest = attempt.stage === 'held' ? 'waits for your answer' : session.driven ? null : 'not finished'
  const doing = lane ? atWork[lane.stage] : ''
  const stored = data?.attempts.find(({ id }) => id === attempt.attempt_id)
  const rounds = roundsOf(lane, stored).map((round) => ({ ...round, ended: round.ended ?? rest }))
  return (
    <div className="flex flex-col gap-3 border-t bg-bg px-4 py-3">
      <p className="flex flex-wrap gap-x-4 text-xs text-muted">
        <Link
          to="/r/$repositoryId/issues/$issueId"
          params={{ repositoryId: session.repository_id, issueId: attempt.issue_id }}
          className="text-accent hover:underline"
        >
          Show the issue
        </Link>
        {attempt.file !== null && <span className="font-mono">{attempt.file}</span>}
        {lane?.commitSha && <span className="font-mono">commit {shortSha(lane.commitSha)}</span>}
      </p>
      {attempt.reason !== null &&
        !lane?.landedAs &&
        !rounds.at(-1)?.ended?.includes(withoutRounds(attempt.reason)) && (
          <p className="wrap-anywhere">{visible(formatSentence(attempt.reason))}</p>
        )}
      {lane && (lane.outcome ?? attempt.outcome) === null && <Live lane={lane} />}
      {rounds.length === 0 && <p className="text-muted">No round has begun.</p>}
      {rounds.map((round, index) => (
        <RoundView
          key={round.round}
          round={round}
          threshold={session.options.policy.threshold}
          isOpen={index === rounds.length - 1}
          doing={doing}
        >
          <Transcript sessionId={session.session_id} code={attempt.issue_code} round={round.round} />
        </RoundView>
      ))}
    </div>
  )
}

/** The words and output of this moment; those of a round that is over are kept in it. */
const Live = ({ lane: { text, output } }: { readonly lane: Lane }) => (
  <>
    {text !== '' && <LiveText label="What the agent says" isTitled text={text} />}
    {output !== '' && <LiveText label="What the checks print" isTitled text={output} />}
  </>
)

/** The agent that works while a round goes on. */
const atWork: Readonly<Record<LaneStage, string>> = {
  waiting: 'It waits for its turn.',
  fixing: 'The fixer is at work on this round.',
  verifying: 'The checks judge the patch.',
  challenging: 'The challenger looks at the patch.',
  held: 'It waits for your answer.',
  landing: 'The patch is accepted and waits to land.',
  done: 'It is over.',
}

/** Live rounds, completed with the parts that only the stored attempt has: patch and agent. */
function roundsOf(lane: Lane | undefined, stored: Attempt | undefined): readonly ShownRound[] {
  const closed = new Map(stored?.rounds.map((round) => [round.round, round]))
  const current = stored && 'diff' in stored ? stored : null
  return (lane?.rounds ?? []).map((round) => {
    const known = closed.get(round.round)
    const isCurrent = current?.round === round.round
    const diff = known?.diff ?? (isCurrent ? current.diff : null)
    // No event reports what a person has allowed since, so the stored gates count.
    const judged = known?.gates ?? (isCurrent && 'gates' in current ? current.gates : [])
    const gates = round.gates.map((gate) => judged.find(({ name }) => name === gate.name) ?? gate)
    return { ...round, gates, diff, agent: known?.run.agent ?? null, report: known?.report ?? null }
  })
}
