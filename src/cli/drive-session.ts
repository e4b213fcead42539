import { resumeSession, type FixOutcome } from '../app/fix-issues.ts'
import type { App } from '../app/open-app.ts'
import type { SessionSignals } from '../loop/run-session.ts'
import { openQuestions } from '../model/questions.ts'
import { askApprovals } from './ask-approvals.ts'
import { askQuestions } from './ask-questions.ts'
import type { CommandContext } from './command.ts'
import { describeResult } from './describe.ts'
import { listenForInterrupts, type Interrupts } from './interrupts.ts'
import type { Output } from './output.ts'
import { createProgress } from './progress.ts'

/** Runs a session under the person's eyes: progress, questions, Ctrl-C, the result, the exit code. */
export async function driveSession(
  app: App,
  { output }: CommandContext,
  work: (signals: SessionSignals) => Promise<FixOutcome>,
): Promise<number> {
  const interrupts = listenForInterrupts(output.say)
  try {
    const outcome = await driveWith(app, output, interrupts, work)
    output.print(describeResult(outcome.result, output))
    output.result(outcome.result)
    return interrupts.exitCode() ?? outcome.exitCode
  } finally {
    interrupts.end()
  }
}

/** One session with its progress shown and its questions asked. */
export async function driveWith(
  app: App,
  output: Output,
  interrupts: Interrupts,
  work: (signals: SessionSignals) => Promise<FixOutcome>,
): Promise<FixOutcome> {
  let outcome = await underEyes(app, output, () => work(interrupts))
  while (output.isInteractive && needsAnswer(outcome) && interrupts.exitCode() === null) {
    const id = outcome.result.session_id
    if (!(await askPerson(app, outcome))) break
    outcome = await underEyes(app, output, () => resumeSession(app, id, interrupts))
  }
  return outcome
}

const needsAnswer = ({ result }: FixOutcome): boolean =>
  result.status === 'awaiting_clarification' || result.results.some((issue) => issue.outcome === 'held')

async function askPerson(app: App, { result }: FixOutcome): Promise<boolean> {
  if (result.status !== 'awaiting_clarification') return askApprovals(app, result.session_id)
  const issues = await app.store.issues.get(result.results.map(({ issue_id }) => issue_id))
  return askQuestions(app, openQuestions(issues))
}

async function underEyes(app: App, output: Output, work: () => Promise<FixOutcome>): Promise<FixOutcome> {
  const progress = createProgress(output, process.stderr)
  const unsubscribe = app.subscribe(progress.onEvent)
  try {
    return await work()
  } finally {
    unsubscribe()
    progress.end()
  }
}
