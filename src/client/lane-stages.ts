import type { Challenge } from '../model/proof/challenge.ts'
import type { Gate } from '../model/proof/gate.ts'
import type { Verification } from '../model/proof/verification.ts'
import { isUnopposed } from '../model/proof/judge-verification.ts'
import type { FixEvent } from '../model/session/event.ts'

export const stepNames = ['fix', 'verify', 'challenge', 'land'] as const
export type StepName = (typeof stepNames)[number]

/** `skipped`: the way ended before it. `stopped`: it was at work when the session ended. */
export type StepState = 'waiting' | 'running' | 'passed' | 'refused' | 'held' | 'stopped' | 'skipped'

/** What one stage of an issue's way came to, and how long it took over all rounds. */
export interface Step {
  readonly state: StepState
  /** Why it was refused or waits for a person. */
  readonly reason: string | null
  /** Milliseconds of the clock; null while it does not run. */
  readonly startedMs: number | null
  readonly tookMs: number
}

export type Steps = Readonly<Record<StepName, Step>>

const idle: Step = { state: 'waiting', reason: null, startedMs: null, tookMs: 0 }
export const noSteps: Steps = { fix: idle, verify: idle, challenge: idle, land: idle }

/** Pure: the stages after one more durable event of their issue. */
export function reduceSteps(steps: Steps, event: FixEvent): Steps {
  const atMs = Date.parse(event.timestamp)
  const begin = (name: StepName, from: Steps = steps): Steps => ({
    ...from,
    [name]: { ...from[name], state: 'running', reason: null, startedMs: atMs },
  })
  const end = (name: StepName, state: StepState, reason: string | null = null): Steps => ({
    ...steps,
    [name]: closed(steps[name], atMs, { state, reason }),
  })
  switch (event.type) {
    case 'fix_cycle_started':
      return begin('fix', renewed(steps))
    case 'fix_gate_result':
      return judgedBy(steps, event, atMs)
    case 'fix_verification_started':
      return begin('verify', end('fix', 'passed'))
    case 'fix_verification_result': {
      const verification = event.details['verification'] as Verification | undefined
      const isPassed = verification !== undefined && isUnopposed(verification)
      return end(
        'verify',
        isPassed ? 'passed' : 'refused',
        isPassed ? null : (verification?.reason ?? event.message),
      )
    }
    case 'fix_challenger_evaluating':
      return begin('challenge', withPast(steps, 'challenge', atMs))
    case 'fix_challenger_result': {
      const challenge = event.details['challenge'] as Challenge | undefined
      const isPassed = challenge?.status === 'accepted'
      return end('challenge', isPassed ? 'passed' : 'refused', isPassed ? null : refusalOf(challenge, event))
    }
    case 'fix_approval_needed':
      return end(steps.verify.state === 'waiting' ? 'fix' : 'verify', 'held', event.message)
    case 'fix_cycle_completed':
      return isRefusal(event)
        ? ended(steps, atMs, { state: 'refused', reason: afterColon(event.message) })
        : steps
    case 'fix_issue_committed':
      return landed(steps, atMs)
    case 'fix_issue_completed':
      return withOutcome(steps, event, atMs)
    default:
      return steps
  }
}

/** Pure: the stages of an issue whose patch the checks judge together with others. */
export const withTrain = (steps: Steps, { timestamp }: FixEvent): Steps => ({
  ...steps,
  land: { ...steps.land, state: 'running', startedMs: Date.parse(timestamp) },
})

const closed = (step: Step, atMs: number, to: Pick<Step, 'state' | 'reason'>): Step => ({
  ...to,
  startedMs: null,
  tookMs: step.tookMs + (step.startedMs === null ? 0 : Math.max(0, atMs - step.startedMs)),
})

const landed = (steps: Steps, atMs: number): Steps =>
  withPast({ ...steps, land: closed(steps.land, atMs, { state: 'passed', reason: null }) }, 'land', atMs)

/** In another round everything is judged anew, and time adds up. */
const renewed = (steps: Steps): Steps => mapSteps(steps, ({ tookMs }) => ({ ...idle, tookMs }))

const mapSteps = (steps: Steps, change: (step: Step, name: StepName) => Step): Steps => ({
  fix: change(steps.fix, 'fix'),
  verify: change(steps.verify, 'verify'),
  challenge: change(steps.challenge, 'challenge'),
  land: change(steps.land, 'land'),
})

/** Every stage before the current one is over: a stage that ran has passed, a stage that never began was not asked. */
const withPast = (steps: Steps, until: StepName, atMs: number): Steps =>
  mapSteps(steps, (step, name) => {
    if (stepNames.indexOf(name) >= stepNames.indexOf(until) || step.state === 'passed') return step
    const state = step.state === 'waiting' || step.state === 'skipped' ? 'skipped' : 'passed'
    return closed(step, atMs, { state, reason: null })
  })

/** A gate belongs to the stage that it judges: the patch as it is, or the results of its checks. */
function judgedBy(steps: Steps, event: FixEvent, atMs: number): Steps {
  const gate = event.details['gate'] as Gate | undefined
  const name = steps.verify.state === 'waiting' ? 'fix' : 'verify'
  const blocks = gate && !gate.is_waived && (gate.status === 'failed' || gate.status === 'not_evaluated')
  if (!blocks) return steps
  return { ...steps, [name]: closed(steps[name], atMs, { state: 'refused', reason: gate.reason }) }
}

const refusalOf = (challenge: Partial<Challenge> | undefined, { message }: FixEvent): string =>
  challenge?.improvements_needed?.[0] ?? (challenge?.feedback || message)

const isRefusal = ({ message }: FixEvent): boolean => /^round \d+ refused/.test(message)

const afterColon = (message: string): string => message.replace(/^[^:]*: /, '')

/** The stage at work ends so, unless one has said already why it goes no further. */
function ended(steps: Steps, atMs: number, to: Pick<Step, 'state' | 'reason'>): Steps {
  if (stepNames.some((name) => steps[name].state === 'refused')) return steps
  const at = stepNames.findLast((name) => ['running', 'held'].includes(steps[name].state))
  return at ? { ...steps, [at]: closed(steps[at], atMs, to) } : steps
}

const refusals = new Set(['refused', 'failed', 'blocked', 'not_evaluated', 'over_budget', 'disputed'])

/** The way is over: what never began was skipped. */
function withOutcome(steps: Steps, event: FixEvent, atMs: number): Steps {
  const outcome = event.details['outcome'] as string | undefined
  if (outcome === 'fixed') return landed(steps, atMs)
  const reason = (event.details['reason'] as string | undefined) ?? afterColon(event.message)
  const hasBegun = stepNames.some((name) => steps[name].state !== 'waiting')
  const after = hasBegun
    ? ended(steps, atMs, { state: refusals.has(outcome ?? '') ? 'refused' : 'stopped', reason })
    : steps
  const isAccepted = after.challenge.state === 'passed' && refusals.has(outcome ?? '')
  const atLanding: Steps = isAccepted
    ? { ...after, land: { ...after.land, state: 'refused', reason } }
    : after
  return mapSteps(atLanding, (step) => {
    if (step.state === 'waiting') return { ...step, state: 'skipped' }
    // A person who cancels refuses nothing.
    const isGivenUp = outcome === 'cancelled' && step.state === 'refused' && step.reason === reason
    return isGivenUp ? { ...step, state: 'stopped' } : step
  })
}
