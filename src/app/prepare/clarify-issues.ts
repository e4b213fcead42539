import { askClarifier } from '../../loop/prepare/ask-about-issues.ts'
import type { Revision } from '../../model/attempt/attempt.ts'
import { Fault } from '../../model/fault.ts'
import { sharedConversation } from '../../model/issue/conversation.ts'
import type { SessionId } from '../../model/id.ts'
import type { Issue } from '../../model/issue/issue.ts'
import { openQuestions, withAnswer, withQuestions, type Question } from '../../model/issue/questions.ts'
import { Clarified } from '../../model/session/session.ts'
import { addSpent, nothingSpent } from '../../model/attempt/spending.ts'
import { askOutside } from '../agents/ask-outside.ts'
import { sessionOptions } from './session-options.ts'
import type { App } from '../open-app.ts'

export interface ClarifyIssues {
  readonly issues: readonly Issue[]
  readonly base: Revision
  readonly notes: string | null
  readonly mode: 'ask' | 'assume'
  /** The earlier clarification that this one goes on with; null for the first. */
  readonly id: string | null
  readonly signal: AbortSignal
}

export interface ClarifiedIssues {
  readonly id: string
  readonly ready: boolean
  readonly questions: readonly Question[]
}

/** One round of questions before there is a session. They are kept on their issues, so that every later fixer reads them. */
export async function clarifyIssues(app: App, request: ClarifyIssues): Promise<ClarifiedIssues> {
  const ports = await app.ports()
  const id = (request.id ?? ports.ids.next('cla')) as SessionId
  const issues = await app.store.issues.get(request.issues.map((issue) => issue.id))
  const waiting = openQuestions(issues)
  if (waiting.length > 0 && request.mode === 'ask') return { id, ready: false, questions: waiting }
  const before = await readClarified(app, id)
  const { answer, conversation, spent } = await askClarifier(
    {
      id,
      round: before.rounds + 1,
      issues,
      base: request.base,
      options: sessionOptions(app, request.notes),
      conversation: before.conversation ?? sharedConversation(issues),
      isAskedBefore: before.conversation !== null,
      ...askOutside(app, ports.clock),
      signal: request.signal,
    },
    ports,
  )
  if ('unreadable' in answer)
    throw new Fault('not_evaluated', `the clarifier gave no answer that can be read: ${answer.unreadable}`, {
      hint: 'Try again, name another clarifier (agents.clarifier), or fix without asking.',
    })
  const clarified: Clarified = {
    rounds: before.rounds + 1,
    ready: answer.ready,
    conversation,
    spent: addSpent(before.spent ?? nothingSpent, spent),
  }
  await ports.artifacts.write(id, clarifiedRecord, JSON.stringify(clarified))
  const stored = await Promise.all(
    issues.map(async (issue) =>
      conversation || answer.questions.some(({ issue_code }) => issue_code === issue.code)
        ? app.store.issues.change(issue.id, 'person', (now) => ({
            ...withQuestions(now, answer.questions, request.mode),
            ...(conversation && { conversation }),
          }))
        : issue,
    ),
  )
  const questions = openQuestions(stored)
  return { id, ready: answer.ready || (request.mode === 'assume' && questions.length === 0), questions }
}

/** Writes answers onto the issues they belong to; an answer may be changed later. */
export async function answerQuestions(app: App, answers: ReadonlyMap<string, string>): Promise<void> {
  const codes = new Map([...answers.keys()].map((id) => [id, codeOf(id)]))
  const issues = await app.store.issues.byCode(app.repository.id, [...new Set(codes.values())])
  const target = (id: string): Issue => {
    const issue = issues.find(({ code }) => code === codes.get(id))
    if (issue && withAnswer(issue, id, '')) return issue
    throw new Fault('not_found', `there is no question "${id}"`, {
      hint: 'fixpoint answer without arguments shows what is open.',
    })
  }
  const targets = [...answers].map(([id, answer]) => ({ id, answer, issue: target(id) }))
  const silent = targets.find(({ answer }) => answer.trim() === '')
  if (silent)
    throw new Fault('usage', `the answer to "${silent.id}" is empty`, {
      hint: 'Say something, or fix with --clarify assume: then the question is answered with what the fixer assumes.',
    })
  for (const { id, answer, issue } of targets)
    await app.store.issues.change(issue.id, 'person', (now) => withAnswer(now, id, answer) ?? now)
}

const codeOf = (questionId: string): string => questionId.replace(/-q\d+$/, '').toUpperCase()

const clarifiedRecord = 'clarified.json'

/** How far a clarification has come, so that the fixer's conversation can go on from it. */
export async function readClarified(app: App, id: string): Promise<Clarified> {
  const text = await (await app.ports()).artifacts.read(id as SessionId, clarifiedRecord)
  const none: Clarified = { rounds: 0, ready: false, conversation: null }
  return text === null ? none : (Clarified.safeParse(JSON.parse(text)).data ?? none)
}
