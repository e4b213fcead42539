import type { ReactNode } from 'react'
import type { IssueReport } from '../../../src/model/agent/report.ts'
import { describeSelfEvaluation } from '../../../src/model/agent/self-evaluation.ts'
import type { Challenge } from '../../../src/model/proof/challenge.ts'
import type { Gate } from '../../../src/model/proof/gate.ts'
import type { Verification } from '../../../src/model/proof/verification.ts'
import { DiffView } from '../diff/diff-view.tsx'
import { formatDuration, formatScore, formatSentence } from '../ui/format.ts'
import { visible } from '../ui/visible.ts'
import { StatusBadge } from '../ui/badge.tsx'
import { Icon } from '../ui/icon.tsx'
import { Output } from '../ui/layout.tsx'
import { ScoreBars } from './score-bars.tsx'

/** Everything that is known of one round. */
export interface ShownRound {
  readonly round: number
  readonly gates: readonly Gate[]
  readonly verification: Verification | null
  readonly challenge: Challenge | null
  readonly diff: string | null
  /** How the round ended, or what it waits for; null while an agent works on it. */
  readonly ended: string | null
  readonly agent: string | null
  /** The fixer's report, once there is one. */
  readonly report: IssueReport | null
}

interface Props {
  readonly round: ShownRound
  readonly threshold: number
  readonly isOpen: boolean
  /** The agent that works on the round now. */
  readonly doing?: string
  /** The kept artifacts of the round. */
  readonly children?: ReactNode
}

export function RoundView({ round, threshold, isOpen, doing = 'at work', children }: Props) {
  const { gates, verification, challenge, diff, ended, agent, report } = round
  const evaluation = report && describeSelfEvaluation(report)
  // The title says which round it is.
  const state = visible((ended ?? doing).replace(/^round \d+ /, ''))
  return (
    <details open={isOpen} className="group/round rounded-md border bg-surface">
      <summary className="flex list-none flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2">
        <Icon
          name="chevron"
          className="size-3.5 text-muted transition-transform group-open/round:rotate-90"
        />
        <span className="font-medium">Round {round.round}</span>
        {challenge?.score != null && <span className="text-muted">score {formatScore(challenge.score)}</span>}
        {agent && <span className="text-xs text-muted">{agent}</span>}
        <span className="min-w-0 flex-1 truncate text-right text-xs text-muted first-letter:uppercase group-open/round:hidden">
          {state}
        </span>
      </summary>
      <div className="flex flex-col gap-4 border-t p-3">
        <p className="whitespace-pre-wrap wrap-anywhere first-letter:uppercase">{state}</p>
        {children}
        {evaluation && (
          <Part name="What the fixer says of its work">
            <p className="text-muted wrap-anywhere">{formatSentence(evaluation)}</p>
          </Part>
        )}
        {gates.length > 0 && (
          <Part name="Gates">
            <GateList gates={gates} />
          </Part>
        )}
        {verification && (
          <Part name="Verification">
            <VerificationView verification={verification} gates={gates} />
          </Part>
        )}
        {challenge && (
          <Part name="Challenge">
            <ScoreBars challenge={challenge} threshold={threshold} />
          </Part>
        )}
        {diff && (
          <Part name="Patch">
            <DiffView diff={diff} />
          </Part>
        )}
      </div>
    </details>
  )
}

const Part = ({ name, children }: { readonly name: string; readonly children: ReactNode }) => (
  <div className="flex flex-col gap-2">
    <h3 className="text-xs font-semibold text-muted">{name}</h3>
    {children}
  </div>
)

const GateList = ({ gates }: { readonly gates: readonly Gate[] }) => (
  <ul className="flex flex-col gap-1">
    {gates.map(({ name, status, reason }) => (
      <li key={name} className="grid grid-cols-[6.5rem_7.5rem_1fr] gap-x-2 max-sm:grid-cols-[6rem_1fr]">
        <span className="font-mono text-xs leading-5">{name}</span>
        <StatusBadge status={status} />
        <span className="min-w-0 text-muted wrap-anywhere max-sm:col-span-2">{reason}</span>
      </li>
    ))}
  </ul>
)

interface VerificationProps extends Pick<ShownRound, 'gates'> {
  readonly verification: Verification
}

/** The result of each command; the verdict on all of them stands among the gates, unless it says more here. */
const VerificationView = ({ verification, gates }: VerificationProps) => (
  <div className="flex flex-col gap-2">
    {gates.every(({ reason }) => reason !== verification.reason) && (
      <p className="flex flex-wrap gap-x-3">
        <StatusBadge status={verification.status} />
        <span className="text-muted wrap-anywhere">{verification.reason}</span>
      </p>
    )}
    {verification.commands.map((command) => (
      <details key={command.name} open={command.status !== 'passed'} className="rounded-md border">
        <summary className="flex list-none flex-wrap gap-x-3 px-3 py-1.5">
          <span className="font-mono text-xs leading-5">{command.name}</span>
          <StatusBadge status={command.status} />
          <span className="text-xs leading-5 text-muted">
            {command.exit_code === null ? '' : `exit ${command.exit_code}, `}
            {formatDuration(command.duration_ms)}
          </span>
        </summary>
        <div className="border-t p-2">
          <Output label={`Output of ${command.name}`}>
            {command.output === '' ? 'no output' : command.output}
          </Output>
        </div>
      </details>
    ))}
  </div>
)
