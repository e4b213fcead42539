import { resumeSession } from '../../app/fix/resume-session.ts'
import { type FixOutcome, loadSession } from '../../app/fix/stored-session.ts'
import type { App } from '../../app/open-app.ts'
import type { SessionSignals } from '../../loop/session/run-session.ts'
import type { CommandContext } from '../command/context.ts'
import { describeApproval, describeResult } from '../text/describe.ts'
import { listenForInterrupts, type Interrupts } from '../command/interrupts.ts'
import type { Output } from '../command/output.ts'
import { terminalFor, type DisplayOptions } from '../command/terminal.ts'
import type { SessionDisplay } from './display.ts'
import { screenDisplay } from './screen-display.ts'
import { openQuestions } from '../../model/issue/questions.ts'
import { askQuestions } from './ask-questions.ts'
import { createProgress } from './progress.ts'
import { answerApproval } from '../../app/fix/answer-approval.ts'
import type { AttemptAt } from '../../model/attempt/attempt.ts'
import { printable } from '../../client/printable.ts'

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
  if (isOnlyDisputed(outcome)) output.print(describeApproval(outcome.result.session_id))
  // Nothing can be read under the id of a session that was not stored.
  output.result({ ...outcome.result, ...(outcome.result.issues_requested === 0 && { session_id: null }) })
  return interrupts.exitCode() ?? outcome.exitCode
}

/** A session ends with disputes, while held patches keep it waiting. */
const isOnlyDisputed = ({ result }: FixOutcome): boolean =>
  !result.earlier &&
  result.status !== 'awaiting_approval' &&
  result.results.some(({ outcome }) => outcome === 'disputed')

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

const shownDiffLines = 60

/** Asks the person at the terminal about every held patch. False when nothing was decided. */
async function askApprovals(app: App, sessionId: string): Promise<boolean> {
  const { attempts } = await loadSession(app, sessionId)
  let isDecided = false
  for (const attempt of attempts)
    if (attempt.stage === 'held') isDecided = (await askOne(app, sessionId, attempt)) || isDecided
  return isDecided
}

async function askOne(app: App, sessionId: string, attempt: AttemptAt<'held'>): Promise<boolean> {
  const { isCancel, select, text } = await import('@clack/prompts')
  const output = process.stderr
  const { question, issue_code: code } = attempt
  const files = question.paths ?? []
  output.write(`\n${shortDiff(attempt.diff)}\n`)
  const choice = await select({
    message:
      `${code} needs you (${question.name}): ${printable(question.reason)}\n${question.asks?.question ?? ''}`.trimEnd(),
    options: [
      { value: 'approve', label: `Approve exactly these files: ${printable(files.join(', '))}` },
      { value: 'reject', label: 'Reject: these changes are taken back, the fixer may try again' },
      { value: 'later', label: `Decide later (fixpoint approve | reject ${sessionId} ${code})` },
    ],
    initialValue: 'later',
    output,
  })
  if (isCancel(choice) || choice === 'later') return false
  const request = { sessionId, codes: [code] }
  if (choice === 'approve') {
    await answerApproval(app, { ...request, answer: { approve: true } })
    return true
  }
  const reason = await text({ message: 'Why? The fixer will read this.', output })
  if (isCancel(reason)) return false
  await answerApproval(app, { ...request, answer: { reject: reason || 'not wanted' } })
  return true
}

function shortDiff(diff: string): string {
  const lines = diff.split('\n')
  const more = lines.length > shownDiffLines ? [`… ${lines.length - shownDiffLines} more lines`] : []
  return printable([...lines.slice(0, shownDiffLines), ...more].join('\n'))
}
