import type { Challenge, QualityScores } from '../../../src/model/proof/challenge.ts'
import { StatusBadge } from '../ui/badge.tsx'
import { formatScore } from '../ui/format.ts'

const axes: readonly (readonly [keyof QualityScores, string])[] = [
  ['correctness', 'Correctness'],
  ['safety', 'Safety'],
  ['minimality', 'Minimality'],
  ['style_consistency', 'Style'],
]

/** Three bands: at the threshold or above, within ten below, and lower. */
const bandOf = (score: number, threshold: number): { bar: string; said: string } => {
  if (score >= threshold) return { bar: 'bg-ok-fill', said: 'passes' }
  return score >= threshold - 10
    ? { bar: 'bg-warn-fill', said: 'close' }
    : { bar: 'bg-bad-fill', said: 'low' }
}

function Bar({
  name,
  score,
  threshold,
}: {
  readonly name: string
  readonly score: number
  readonly threshold: number
}) {
  const { bar, said } = bandOf(score, threshold)
  return (
    <div className="grid grid-cols-[6rem_1fr_4.5rem] items-center gap-3">
      <span className="text-muted">{name}</span>
      <span className="relative h-2 rounded-full bg-sunken">
        <span className={`absolute inset-y-0 left-0 rounded-full ${bar}`} style={{ width: `${score}%` }} />
        <span
          aria-hidden
          title={`Threshold ${threshold}`}
          className="absolute -inset-y-0.5 w-px bg-fg"
          style={{ left: `${threshold}%` }}
        />
      </span>
      <span className="text-right">
        <span className="font-medium">{formatScore(score)}</span>{' '}
        <span className="text-xs text-muted">{said}</span>
      </span>
    </div>
  )
}

/** A challenger's verdict: the score, its axes, and the changes that it wants. */
export function ScoreBars({
  challenge,
  threshold,
}: {
  readonly challenge: Challenge
  readonly threshold: number
}) {
  const { score, quality_scores: scores, feedback, improvements_needed: wanted, agent, status } = challenge
  return (
    <div className="flex flex-col gap-2">
      <p className="flex flex-wrap items-center gap-x-3">
        <StatusBadge status={status} />
        <span className="text-muted">
          by {agent}, threshold {threshold}
        </span>
      </p>
      {score !== null && <Bar name="Score" score={score} threshold={threshold} />}
      {axes.map(([axis, name]) => {
        const value = scores?.[axis]
        return value === undefined ? null : <Bar key={axis} name={name} score={value} threshold={threshold} />
      })}
      {feedback !== '' && <p className="whitespace-pre-wrap">{feedback}</p>}
      {wanted.length > 0 && (
        <ul className="list-disc pl-5">
          {wanted.map((one) => (
            <li key={one}>{one}</li>
          ))}
        </ul>
      )}
    </div>
  )
}
