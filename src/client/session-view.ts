import type { Outcome } from '../model/attempt/attempt.ts'
import type { Challenge } from '../model/proof/challenge.ts'
import { isFinalEvent, type EventType, type FixEvent } from '../model/session/event.ts'
import type { Plan } from '../model/session/plan.ts'
import { detail } from './event-detail.ts'
import { reduceRounds, type LaneRound } from './lane-rounds.ts'
import { noSteps, reduceSteps, withTrain, type Steps } from './lane-stages.ts'
import { printable } from './printable.ts'
import { withoutReport, type ReportDepth } from './without-report.ts'

export type LaneStage = 'waiting' | 'fixing' | 'verifying' | 'challenging' | 'held' | 'landing' | 'done'

/** One issue's way through a session, as every face shows it. */
export interface Lane {
  readonly code: string
  readonly issueId: string | null
  /** Its place in the plan, from 1. */
  readonly position: number
  readonly stage: LaneStage
  /** What each stage of its newest round came to. */
  readonly steps: Steps
  readonly round: number
  readonly message: string
  readonly outcome: Outcome | null
  readonly rounds: readonly LaneRound[]
  /** The newest part of what the agent says; live only, so it is empty after a reload. */
  readonly text: string
  readonly reportDepth: ReportDepth
  /** The newest part of what the checks print, while they judge the patch. */
  readonly output: string
  readonly commitSha: string | null
  /** The change that landed, in the words of its commit; null while nothing has. */
  readonly landedAs: string | null
  /** What a person is asked about it; null once the lane goes on. */
  readonly question: {
    readonly gate: string
    readonly reason: string
    readonly files: readonly string[]
  } | null
  /** What its agent waits for, while it does. */
  readonly waiting: {
    readonly agent: string
    readonly reason: string
    /** Milliseconds of the clock. */
    readonly untilMs: number
  } | null
  readonly costUsd: number
  readonly tokens: number
}

/** What a lane says at this moment: who waits for how long, else what happened last. */
export function laneMessage({ message, waiting }: Lane, nowMs: number): string {
  if (!waiting) return message
  const seconds = Math.ceil((waiting.untilMs - nowMs) / 1000)
  const what = seconds > 0 ? `waits ${seconds} s more` : 'asks again, after'
  return `${waiting.agent} ${what}: ${waiting.reason}`
}

export interface SessionView {
  readonly lanes: ReadonlyMap<string, Lane>
  readonly plan: Plan | null
  /** The landing steps, oldest first. */
  readonly landings: readonly FixEvent[]
  /** The newest part of what the checks print that judge all accepted patches together, until these land. */
  readonly landingOutput: string
  /** What is done for several issues at once now, such as checking a train; null when nothing is. */
  readonly activity: string | null
  /** What agents and checks wait for before they can begin, while they do. */
  readonly setup: string | null
  /** Why the session rests, while it does: it was stopped, or it waits for a person or a quota. */
  readonly parked: string | null
  readonly isOver: boolean
  /** The last word: how the session ended. */
  readonly ending: string | null
  /** The newest durable event in this view. */
  readonly lastSeq: number
  readonly costUsd: number
  readonly tokens: number
}

export const emptyView: SessionView = {
  lanes: new Map(),
  plan: null,
  landings: [],
  landingOutput: '',
  activity: null,
  setup: null,
  parked: null,
  isOver: false,
  ending: null,
  lastSeq: 0,
  costUsd: 0,
  tokens: 0,
}

const stages: Readonly<Partial<Record<EventType, LaneStage>>> = {
  fix_issue_started: 'waiting',
  fix_cycle_started: 'fixing',
  fix_agent_invoked: 'fixing',
  fix_verification_started: 'verifying',
  fix_challenger_evaluating: 'challenging',
  fix_challenger_result: 'landing',
  fix_approval_needed: 'held',
  fix_issue_committed: 'done',
  fix_issue_completed: 'done',
}

/** Pure: the view after one more event. Live text changes the lane's message and its text only. */
export function reduceSession(view: SessionView, event: FixEvent): SessionView {
  const seen = { ...view, lastSeq: event.seq ?? view.lastSeq }
  if (isFinalEvent(event))
    return {
      ...seen,
      ...nothingUnderWay,
      isOver: true,
      ending: event.message,
      parked: null,
      landingOutput: '',
    }
  if (event.type === 'fix_session_parked') return { ...seen, ...nothingUnderWay, parked: event.message }
  if (detail(event, 'for') === 'setup')
    return { ...seen, setup: detail(event, 'setup_ms') === undefined ? event.message : null }
  if (event.type === 'fix_session_started') return { ...seen, plan: detail<Plan>(event, 'plan') ?? null }
  if (event.type.startsWith('fix_landing_'))
    return { ...seen, landings: [...seen.landings, event], landingOutput: '' }
  if (!event.issue_code)
    return {
      ...seen,
      lanes: checkedTogether(view.lanes, event),
      landingOutput: event.type === 'fix_verification_result' ? '' : withOutput(seen.landingOutput, event),
      activity: activityAfter(view, event),
    }
  const before = view.lanes.get(event.issue_code) ?? emptyLane(event.issue_code)
  const lane = reduceLane(before, event)
  return {
    ...seen,
    // The work before the first issue is over once that issue begins.
    activity: view.lanes.size === 0 ? null : view.activity,
    parked: event.seq === null ? seen.parked : null,
    costUsd: seen.costUsd + lane.costUsd - before.costUsd,
    tokens: seen.tokens + lane.tokens - before.tokens,
    lanes: new Map(view.lanes).set(lane.code, lane),
  }
}

/** The lanes of a train, while the checks judge its patches together. */
function checkedTogether(lanes: SessionView['lanes'], event: FixEvent): SessionView['lanes'] {
  const codes = detail<readonly string[]>(event, 'issues')
  if (event.type !== 'fix_verification_started' || !codes) return lanes
  const message = `the checks judge it${withOthers(codes.length - 1)} before it lands`
  const begun = codes.flatMap((code) => lanes.get(code) ?? [])
  return new Map([
    ...lanes,
    ...begun.map((lane) => [lane.code, { ...lane, message, steps: withTrain(lane.steps, event) }] as const),
  ])
}

const withOthers = (count: number): string =>
  count === 0 ? '' : ` together with ${count === 1 ? 'another' : `${count} others`}`

const nothingUnderWay = { activity: null, setup: null } as const

/** What is done or waited for now for several issues at once. */
export const commonWork = ({ activity, setup }: SessionView): string | null => setup ?? activity

function activityAfter({ activity }: SessionView, { type, message }: FixEvent): string | null {
  if (type === 'fix_verification_started') return message
  // Nothing runs while the fixer's questions wait for a person.
  return type === 'fix_verification_result' || type === 'fix_clarification_needed' ? null : activity
}

/** A lane that nothing has happened in yet. */
export const emptyLane = (code: string): Lane => ({
  code,
  issueId: null,
  position: 0,
  stage: 'waiting',
  steps: noSteps,
  round: 0,
  message: '',
  outcome: null,
  rounds: [],
  text: '',
  reportDepth: 0,
  output: '',
  commitSha: null,
  landedAs: null,
  question: null,
  waiting: null,
  costUsd: 0,
  tokens: 0,
})

/** How much of an agent's text is kept. */
const textLength = 16_000

/** The output of the checks with what an event adds to it; each command's name stands above what it prints. */
function withOutput(before: string, event: FixEvent): string {
  const signal = detail<{ readonly type: string; readonly name?: string }>(event, 'signal')
  if (event.type !== 'fix_issue_streaming' || signal?.type !== 'check') return before
  const head = `▸ ${signal.name ?? ''}\n`
  const last = before.slice(before.lastIndexOf('▸ '))
  const isSame = last.startsWith(head)
  return `${before}${isSame ? '' : head}${printable(event.message)}\n`.slice(-textLength)
}

function reduceLane(before: Lane, event: FixEvent): Lane {
  if (detail<{ type: string }>(event, 'signal')?.type === 'check')
    return areChecksAtWork(before) ? { ...before, output: withOutput(before.output, event) } : before
  const lane: Lane = {
    ...before,
    issueId: event.issue_id ?? before.issueId,
    position: event.issue_index ?? before.position,
    // Who comes later hears the agent last, when the lane may be further already.
    message:
      event.type === 'fix_issue_streaming' && !isAgentAtWork(before)
        ? before.message
        : printable(event.message),
    waiting: waitOf(event),
  }
  // The spending so far is a message, not something that the agent said.
  if (detail<{ type: string }>(event, 'signal')?.type === 'usage') return lane
  if (event.type === 'fix_issue_streaming') {
    const { text, depth } = withoutReport(event.message, before.reportDepth)
    if (text.trim() === '') return { ...lane, message: before.message, reportDepth: depth }
    const said = `${before.text}${text}\n`.slice(-textLength)
    return { ...lane, ...(isAgentAtWork(before) && { message: text }), text: said, reportDepth: depth }
  }
  const steps = reduceSteps(before.steps, event)
  return {
    ...lane,
    ...(event.type === 'fix_gate_result' && steps.verify.state === 'passed' && { message: hasPassed }),
    stage: stageAfter(before, event),
    steps,
    round: event.round ?? before.round,
    commitSha: event.commit_sha ?? before.commitSha,
    landedAs: event.type === 'fix_issue_committed' ? changeOf(event.message) : before.landedAs,
    rounds: reduceRounds(before.rounds, event),
    question: questionOf(before, event),
    outcome: (event.type === 'fix_issue_completed' && detail<Outcome>(event, 'outcome')) || before.outcome,
    ...(event.type === 'fix_cycle_started' && { text: '', reportDepth: 0 }),
    // Once they are judged, the whole output is in the round.
    output: areChecksAtWork({ steps }) ? before.output : '',
    costUsd: before.costUsd + (detail<number>(event, 'cost_usd') ?? 0),
    tokens: before.tokens + (detail<number>(event, 'tokens') ?? 0),
  }
}

/** The last gate's word is no news any more; the next is the challenger's, or the landing's. */
export const hasPassed = 'its checks passed, it waits for its turn'

const areChecksAtWork = ({ steps }: Pick<Lane, 'steps'>): boolean => steps.verify.state === 'running'

/** Before the fixer, another agent may write a test. */
const isAgentAtWork = ({ steps }: Pick<Lane, 'steps'>): boolean =>
  ['waiting', 'running'].includes(steps.fix.state) || steps.challenge.state === 'running'

/** What a commit changed: its title without kind, area and issue, which stand beside it. */
const changeOf = (title: string): string =>
  printable(title)
    .replace(/^[a-z]+(?:\([^)]*\))?!?: /, '')
    .replace(/ \[[^\]]*\]$/, '')

/** A refused challenge leads back to the fixer, not to the landing. */
function stageAfter(before: Lane, event: FixEvent): LaneStage {
  const isRefused =
    event.type === 'fix_challenger_result' && detail<Challenge>(event, 'challenge')?.status !== 'accepted'
  return isRefused ? 'challenging' : (stages[event.type] ?? before.stage)
}

/** A wait lasts until anything else happens. */
function waitOf(event: FixEvent): Lane['waiting'] {
  if (event.type !== 'fix_agent_waiting') return null
  const [agent, reason] = [detail<string>(event, 'agent'), detail<string>(event, 'reason')]
  return {
    agent: agent ?? '',
    reason: reason ?? '',
    untilMs: Date.parse(detail<string>(event, 'until') ?? ''),
  }
}

/** A question stands until the attempt takes another step. */
function questionOf(before: Lane, event: FixEvent): Lane['question'] {
  if (event.type !== 'fix_approval_needed') return null
  return {
    gate: detail<string>(event, 'gate') ?? '',
    reason: event.message,
    files: detail<readonly string[]>(event, 'files') ?? before.question?.files ?? [],
  }
}
