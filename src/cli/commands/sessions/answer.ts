import { answerQuestions } from '../../../app/prepare/clarify-issues.ts'
import { loadSession } from '../../../app/fix/stored-session.ts'
import type { App } from '../../../app/open-app.ts'
import { Fault } from '../../../model/fault.ts'
import { isOver } from '../../../model/session/session.ts'
import { openQuestions, type Question } from '../../../model/issue/questions.ts'
import { askQuestions, questionsText } from '../../session/ask-questions.ts'
import { withApp, type RunCommand } from '../../command/context.ts'
import { describeApproval } from '../../text/describe.ts'

interface Options {
  /** `[session] [question answer]…` */
  readonly words: readonly string[]
}

/** Records answers to the fixer's questions; without any it asks the person, or shows what is open. */
export const runAnswer: RunCommand<Options> = (context, { words }) =>
  withApp(context, {}, async (app) => {
    const { output } = context
    const session = words[0]?.startsWith('ses_') ? words[0] : null
    const pairs = pairsOf(session === null ? words : words.slice(1))
    if (pairs.size > 0) await answerQuestions(app, pairs)
    else if (output.isInteractive) await askQuestions(app, await listOpen(app, session))
    const left = await listOpen(app, session)
    output.print(left.length > 0 ? questionsText(left) : await describeAnswered(app, session))
    output.result({ schema: 'fixpoint.questions.v1', questions: left })
    return left.length > 0 ? 5 : 0
  })

/** Only a session that waits for its questions has something to go on with. */
async function describeAnswered(app: App, id: string | null): Promise<string> {
  const answered = 'All questions are answered.'
  if (id === null) return answered
  const { session } = await loadSession(app, id)
  if (session.status === 'awaiting_approval') return `${answered} ${describeApproval(id)}`
  return isOver(session)
    ? `${answered} The session has ended: fixpoint sessions show ${id}`
    : `${answered} Go on with: fixpoint resume ${id}`
}

function pairsOf(words: readonly string[]): ReadonlyMap<string, string> {
  if (words.length % 2 !== 0)
    throw new Fault('usage', `no answer is given to "${words.at(-1) ?? ''}"`, {
      hint: 'Give each question its answer: fixpoint answer BE-001-q1 "the strict one".',
    })
  const pairs = new Map<string, string>()
  for (let at = 0; at < words.length; at += 2) pairs.set(tidyId(words[at] ?? ''), words[at + 1] ?? '')
  return pairs
}

const tidyId = (id: string): string =>
  id.replace(/^(.*)-[qQ](\d+)$/, (_, code: string, number: string) => `${code.toUpperCase()}-q${number}`)

async function listOpen(app: App, session: string | null): Promise<readonly Question[]> {
  if (session !== null) {
    const { session: stored } = await loadSession(app, session)
    return openQuestions(await app.store.issues.get(stored.issue_ids))
  }
  const page = await app.store.issues.list({
    repositoryId: app.repository.id,
    status: ['open', 'in_progress', 'failed'],
    limit: 500,
  })
  return openQuestions(page.issues)
}
