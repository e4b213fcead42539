import { resumeSession } from '../../app/fix/resume-session.ts'
import type { FixOutcome } from '../../app/fix/stored-session.ts'
import type { App } from '../../app/open-app.ts'
import type { CommandContext } from '../command.ts'
import { describeResult } from '../describe.ts'
import type { Eyes, Work } from './display.ts'
import { listenForInterrupts, type Interrupts } from '../interrupts.ts'
import { openEyes } from './open-display.ts'

export interface DriveOptions {
  /** False with `--no-tui`. */
  readonly tui?: boolean
}

/** Runs a session under the person's eyes: progress, questions, Ctrl-C, the result, the exit code. */
export async function driveSession(
  app: App,
  context: CommandContext,
  work: Work,
  { tui }: DriveOptions,
): Promise<number> {
  const { output } = context
  const eyes = openEyes(app, context, tui)
  const interrupts = listenForInterrupts(eyes.say)
  try {
    const outcome = await driveWith(app, eyes, interrupts, work)
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
  eyes: Eyes,
  interrupts: Interrupts,
  work: Work,
): Promise<FixOutcome> {
  try {
    let outcome = await eyes.follow(work, interrupts)
    while (needsAnswer(outcome) && interrupts.exitCode() === null) {
      const id = outcome.result.session_id
      if (!(await eyes.ask(outcome, interrupts))) break
      outcome = await eyes.follow((signals) => resumeSession(app, id, signals), interrupts)
    }
    return outcome
  } finally {
    await eyes.close()
  }
}

const needsAnswer = ({ result }: FixOutcome): boolean =>
  result.status === 'awaiting_clarification' || result.results.some((issue) => issue.outcome === 'held')
