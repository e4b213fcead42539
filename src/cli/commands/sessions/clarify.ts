import { clarifyIssues, type ClarifiedIssues } from '../../../app/prepare/clarify-issues.ts'
import { chooseIssues } from '../../../app/fix/choose-issues.ts'
import { resolveBase } from '../../../app/resolve-base.ts'
import type { App } from '../../../app/open-app.ts'
import { Fault } from '../../../model/fault.ts'
import type { Issue } from '../../../model/issue/issue.ts'
import { describeAsking } from '../../../model/issue/questions.ts'
import { askQuestions, questionsText } from '../../session/ask-questions.ts'
import { choiceOf, type ChooseOptions } from '../../command/choice.ts'
import { withApp, type CommandContext, type RunCommand } from '../../command/context.ts'
import { listenForInterrupts } from '../../command/interrupts.ts'
import { requireTrust } from '../../command/trust.ts'

interface Options extends ChooseOptions {
  readonly clarify?: string
  readonly notes?: string
  readonly yes?: boolean
}

/** Lets the fixer ask about issues, round after round, until it has nothing left to ask. */
export const runClarify: RunCommand<Options> = (context, options) =>
  withApp(context, {}, async (app) => {
    const issues = await chooseIssues(app, choiceOf(options))
    await requireTrust(app, context, { yes: options.yes })
    using interrupts = listenForInterrupts(context.output.say)
    const outcome = await askUntilReady(app, context, { issues, options, signal: interrupts.endNow })
    printClarified(context, outcome)
    return interrupts.exitCode() ?? (outcome.ready ? 0 : 5)
  })

interface Asking {
  readonly issues: readonly Issue[]
  readonly options: Options
  readonly signal: AbortSignal
}

async function askUntilReady(
  app: App,
  { output }: CommandContext,
  { issues, options, signal }: Asking,
): Promise<ClarifiedIssues> {
  const mode = modeOf(options.clarify)
  const base = await resolveBase(app, options.base)
  const notes = options.notes ?? null
  let id: string | null = null
  for (;;) {
    const outcome: ClarifiedIssues = await clarifyIssues(app, { issues, base, notes, mode, id, signal })
    id = outcome.id
    if (outcome.ready || outcome.questions.length === 0 || !output.isInteractive) return outcome
    if (!(await askQuestions(app, outcome.questions))) return outcome
  }
}

function modeOf(text = 'ask'): 'ask' | 'assume' {
  if (text === 'ask' || text === 'assume') return text
  throw new Fault('usage', `--clarify ${text}: ask or assume is expected`)
}

function printClarified({ output }: CommandContext, outcome: ClarifiedIssues): void {
  const { id, ready, questions } = outcome
  output.print(
    ready
      ? describeAsking(outcome)
      : `${questionsText(questions)}\n\nAnswer with: fixpoint answer ${questions[0]?.id ?? '<question>'} "…", then run this again.`,
  )
  output.result({
    schema: 'fixpoint.clarify.v1',
    session_id: id,
    has_questions: questions.length > 0,
    questions,
    message: describeAsking(outcome),
    ready_to_fix: ready,
  })
}
