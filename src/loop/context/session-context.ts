import type { Attempt } from '../../model/attempt/attempt.ts'
import { Fault } from '../../model/fault.ts'
import type { IssueId } from '../../model/id.ts'
import type { Issue } from '../../model/issue/issue.ts'
import type { Ports } from '../ports.ts'
import type { AgentLimits } from './limits.ts'
import type { ProviderWait } from './provider-waits.ts'
import type { Recorder } from './recorder.ts'
import type { Slots } from './slots.ts'
import { waitingDraft } from './step-events.ts'
import type { Verifier } from './verifier.ts'

/** What every step of a session works with; made once, when the session is taken up. */
export interface SessionContext {
  readonly ports: Ports
  /** The session and its attempts as they are now, and the only way to change them. */
  readonly recorder: Recorder
  readonly issues: ReadonlyMap<IssueId, Issue>
  readonly verifier: Verifier
  readonly slots: Slots
  readonly limits: AgentLimits
  readonly hands: Hands
  /** Start nothing new; what runs may finish. */
  readonly stopStarting: AbortSignal
  /** End what runs, now. */
  readonly endNow: AbortSignal
  /** Whoever goes on with what this process leaves may be on another machine. */
  readonly isHandedOn?: boolean
}

/** Who works on the attempts of a session: this process itself, or whoever takes them. */
export interface Hands {
  /** How many attempts are begun for each agent that may run at once. */
  readonly attemptsPerAgent: number
  /** Ends when the attempt is settled, waits for something, or was put down; the recorder knows what it came to. */
  work(attempt: Attempt, context: SessionContext): Promise<void>
}

/** The issue of an attempt; one that is missing is a defect, not a state. */
export function issueOf({ issues }: Pick<SessionContext, 'issues'>, attempt: Attempt): Issue {
  const issue = issues.get(attempt.issue_id)
  if (!issue)
    throw new Fault('internal', `${attempt.issue_code} is part of the session, but not in the store`)
  return issue
}

/** Records each wait of an agent as an event of the attempt that it works for. */
export const recordWait =
  ({ recorder }: Pick<SessionContext, 'recorder'>, attempt?: Attempt) =>
  (wait: ProviderWait): Promise<void> =>
    recorder.recordEvents([waitingDraft({ ...wait, ...(attempt && { attempt }) })])

/** Aborted as soon as no agent may start any more, for whatever reason. */
export const noMoreAgents = ({
  stopStarting,
  endNow,
  limits,
}: Pick<SessionContext, 'stopStarting' | 'endNow' | 'limits'>): AbortSignal =>
  AbortSignal.any([stopStarting, endNow, limits.haltSignal])
