import { advance } from '../model/advance-attempt.ts'
import { isResting, type Attempt, type AttemptAt, type AttemptEvent } from '../model/attempt.ts'
import type { Gate } from '../model/gate.ts'
import type { Issue } from '../model/issue.ts'
import { touchedPaths } from '../model/patch.ts'
import type { Session } from '../model/session.ts'
import { challengeAttempt } from './challenge.ts'
import { fixIssue } from './fix.ts'
import { inspectPatch } from './inspect.ts'
import { originGate } from './origin.ts'
import type { Ports } from './ports.ts'
import type { Recorder } from './recorder.ts'
import type { Slots } from './slots.ts'
import type { Verifier } from './verify.ts'

export interface AttemptContext {
  readonly issue: Issue
  /** The session as it is when a step begins: the tip moves while attempts run. */
  readonly session: () => Session
  readonly ports: Ports
  readonly recorder: Recorder
  readonly verifier: Verifier
  readonly slots: Slots
  /** Start nothing new; what runs may finish. */
  readonly stop: AbortSignal
  /** End what runs, now. */
  readonly abort: AbortSignal
}

/** Drives one attempt until it is settled or waits for its landing, step by recorded step. */
export async function runAttempt(attempt: Attempt, context: AttemptContext): Promise<Attempt> {
  let current = attempt
  while (!isResting(current) && !context.stop.aborted) {
    await context.recorder.announceStep(current)
    const event = await takeStep(current, context)
    // What an aborted step returns is about the abort, not about the fix: it will be taken again on resume.
    if (!event || context.abort.aborted) return current
    const next = advance(current, event)
    await context.recorder.recordStep(current, event, next)
    current = next
  }
  return current
}

/** The effects of each stage; every one may be taken twice. Null when a step was stopped before it began. */
async function takeStep(attempt: Attempt, context: AttemptContext): Promise<AttemptEvent | null> {
  switch (attempt.stage) {
    case 'queued':
      return startAttempt(context)
    case 'fixing':
      return runFixer(attempt, context)
    case 'inspecting':
      return inspectPatch(attempt, context.issue, context.session(), context.ports)
    case 'verifying':
      return verifyPatch(attempt, context)
    case 'doubting':
    case 'challenging':
      return {
        type: 'challenged',
        challenge: await challengeAttempt(attempt, context.issue, context.ports, context.abort),
      }
    case 'held':
    case 'accepted':
    case 'settled':
      throw new Error(`${attempt.issue_code}: nothing is left to do at stage ${attempt.stage}`)
  }
}

/** A finding whose file is gone never reaches an agent. */
async function startAttempt({ issue, session, ports }: AttemptContext): Promise<AttemptEvent> {
  const base = session().tip
  if (issue.file && !(await ports.trees.list(base.tree)).has(issue.file))
    return {
      type: 'stopped',
      outcome: 'deleted',
      reason: `blocked before any agent ran: ${issue.file} is not in the tree any more (deleted or moved since the finding)`,
    }
  return { type: 'started', base }
}

async function runFixer(attempt: AttemptAt<'fixing'>, context: AttemptContext): Promise<AttemptEvent | null> {
  const { issue, slots, stop, ports } = context
  const onText = (text: string): void => context.recorder.publishText(attempt, text)
  const session = context.session()
  const fixed = await fixIssue({ attempt, issue, session, slots, stop, signal: context.abort, onText }, ports)
  return fixed && { type: 'agent_ended', ...fixed }
}

async function verifyPatch(attempt: AttemptAt<'verifying'>, context: AttemptContext): Promise<AttemptEvent> {
  const { patch, base } = attempt
  const patched = { commit: base.commit, tree: patch.tree }
  const changed = touchedPaths(patch)
  const verification = await context.verifier.verify(patched, changed, context.abort)
  const gates: Gate[] = [{ name: 'verification', status: verification.status, reason: verification.reason }]
  const isUnverifiedByChoice = verification.commands.length === 0 && attempt.policy.min_evidence === 'E0'
  if (verification.status === 'passed' || isUnverifiedByChoice) {
    const files = context.issue.file ? [...new Set([...changed, context.issue.file])] : changed
    gates.push(await originGate(context.ports.origins, { issue: context.issue, base, patched, files }))
  }
  return { type: 'verified', verification, gates }
}
