import { resumeSession } from '../../app/fix/resume-session.ts'
import type { FixOutcome } from '../../app/fix/stored-session.ts'
import type { App } from '../../app/open-app.ts'
import type { SessionSignals } from '../../loop/session/run-session.ts'
import type { CommandContext } from '../command/context.ts'
import { describeResult } from '../text/describe.ts'
import { listenForInterrupts, type Interrupts } from '../command/interrupts.ts'
import type { Output } from '../command/output.ts'
import { terminalFor, type DisplayOptions } from '../command/terminal.ts'
import type { SessionDisplay } from './display.ts'
import { screenDisplay } from './screen-display.ts'
import { openQuestions } from '../../model/issue/questions.ts'
import { askApprovals } from './ask-approvals.ts'
import { askQuestions } from './ask-questions.ts'
import { createProgress } from './progress.ts'

/** The person before a session: what they see, and their Ctrl-C. */
export interface Viewer {
  readonly display: SessionDisplay
  readonly interrupts: Interrupts
}

/** The whole screen where there is one and nobody said otherwise; else lines. */
export function openViewer(app: App, context: CommandContext, options: DisplayOptions): Viewer & Disposable {
  const terminal = terminalFor(context, options)
  const display = terminal ? screenDisplay(app, context.output, terminal) : lineDisplay(app, context.output)
  const interrupts = listenForInterrupts(display.say)
  return { display, interrupts, [Symbol.dispose]: interrupts[Symbol.dispose] }
}

/** One session with its progress shown and its questions asked, until it is over or nobody answers. */
export async function followSession(
  app: App,
  { display, interrupts }: Viewer,
  start: (signals: SessionSignals) => Promise<FixOutcome>,
): Promise<FixOutcome> {
  try {
    for (let go = start; ;) {
      const shown = await display.begin(interrupts)
      let outcome: FixOutcome
      try {
        outcome = await go(shown.signals)
      } finally {
        await shown.end()
      }
      if (!needsAnswer(outcome) || interrupts.exitCode() !== null) return outcome
      if (!(await display.ask(outcome, interrupts))) return outcome
      go = (signals) => resumeSession(app, outcome.result.session_id, signals)
    }
  } finally {
    await display.close()
  }
}

const needsAnswer = ({ result }: FixOutcome): boolean =>
  result.status === 'awaiting_clarification' || result.results.some((issue) => issue.outcome === 'held')

/** Prints what came of a session, and says the command's exit code. */
export function printOutcome(outcome: FixOutcome, { interrupts }: Viewer, output: Output): number {
  output.print(describeResult(outcome.result, output))
  // Nothing can be read under the id of a session that was not stored.
  output.result({ ...outcome.result, ...(outcome.result.issues_requested === 0 && { session_id: null }) })
  return interrupts.exitCode() ?? outcome.exitCode
}

/** A line per issue on a terminal, plain lines or events elsewhere; questions one after the other. */
function lineDisplay(app: App, output: Output): SessionDisplay {
  return {
    say: output.say,
    async begin(interrupts) {
      const progress = createProgress(output, process.stderr)
      const unsubscribe = app.subscribe(progress.onEvent)
      return {
        signals: interrupts,
        async end() {
          unsubscribe()
          progress.end()
        },
      }
    },
    async ask({ result }) {
      if (!output.isInteractive) return false
      if (result.status !== 'awaiting_clarification') return askApprovals(app, result.session_id)
      const issues = await app.store.issues.get(result.results.map(({ issue_id }) => issue_id))
      return askQuestions(app, openQuestions(issues))
    },
    close: async () => undefined,
  }
}
