import { z } from 'zod'
import { findJsonObjects } from '../json-text.ts'
import type { Clarification, Issue } from './issue.ts'

/** One question of the fixer's before it begins, with what it would assume if nobody answered. */
export const Question = z.object({
  /** `BE-001-q1`: unique over all issues of a repository. */
  id: z.string(),
  issue_code: z.string(),
  question: z.string(),
  context: z.string().nullable(),
  options: z.array(z.string()).readonly(),
  assumption: z.string().nullable(),
})
export type Question = z.infer<typeof Question>

/** What a clarifier said: its questions, and whether it could begin. */
export interface ClarifierAnswer {
  readonly ready: boolean
  readonly questions: readonly NewQuestion[]
}

/** A question before it is put to an issue, which gives it its id. */
export type NewQuestion = Omit<Question, 'id'>

const WrittenQuestion = z.object({
  issue_code: z.string(),
  question: z.string().min(1),
  context: z.string().nullish(),
  options: z.array(z.string()).nullish(),
  assumption: z.string().nullish(),
})
const Written = z.object({ ready_to_fix: z.boolean(), questions: z.array(WrittenQuestion).optional() })

/** Reads a clarifier's answer. What cannot be read, or asks about something else, is never "ready". */
export function readClarifierAnswer(
  text: string,
  codes: readonly string[],
): ClarifierAnswer | { readonly unreadable: string } {
  const last = findJsonObjects(text).findLast((value) => 'ready_to_fix' in value || 'questions' in value)
  if (!last) return { unreadable: 'the answer holds no JSON object with "ready_to_fix"' }
  const parsed = Written.safeParse(last)
  if (!parsed.success) return { unreadable: 'the answer has not the shape that was asked for' }
  const written = parsed.data.questions ?? []
  const foreign = written.find(({ issue_code }) => !codes.includes(issue_code))
  if (foreign) return { unreadable: `the answer asks about ${foreign.issue_code}, which was not given` }
  const questions = written.map((question) => ({
    issue_code: question.issue_code,
    question: question.question,
    context: question.context ?? null,
    options: question.options ?? [],
    assumption: question.assumption ?? null,
  }))
  return { ready: parsed.data.ready_to_fix && questions.length === 0, questions }
}

/** What a question asks, whatever its punctuation. */
const wordsOf = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

const sameWords = (a: string, b: string): boolean => wordsOf(a) === wordsOf(b)

/** The answer without questions that were answered already. An agent that asks nothing else has nothing to wait for. */
export function withoutAnswered(answer: ClarifierAnswer, issues: readonly Issue[]): ClarifierAnswer {
  const isAnswered = ({ issue_code, question }: NewQuestion): boolean =>
    issues.some(
      ({ code, clarifications }) =>
        code === issue_code &&
        clarifications.some((known) => known.answer !== null && sameWords(known.question, question)),
    )
  const questions = answer.questions.filter((question) => !isAnswered(question))
  const isOver = answer.questions.length > 0 && questions.length === 0
  return { ready: answer.ready || isOver, questions }
}

/** The issue with its new questions; one that was put before is not put again. */
export function withQuestions(
  issue: Issue,
  questions: readonly NewQuestion[],
  mode: 'ask' | 'assume',
): Issue {
  const clarifications: Clarification[] = [...issue.clarifications]
  for (const { issue_code, question, context, options, assumption } of questions) {
    if (issue_code !== issue.code) continue
    if (clarifications.some((known) => sameWords(known.question, question))) continue
    clarifications.push({
      id: `${issue.code}-q${clarifications.length + 1}`,
      question,
      context,
      options,
      assumption,
      answer: mode === 'assume' ? (assumption ?? 'as the fixer thinks best') : null,
      assumed: mode === 'assume',
    })
  }
  return { ...issue, clarifications }
}

/** The issue with an answer, given or changed; null when it has no such question. */
export function withAnswer(issue: Issue, questionId: string, answer: string): Issue | null {
  if (!issue.clarifications.some(({ id }) => id === questionId)) return null
  return {
    ...issue,
    clarifications: issue.clarifications.map((known) =>
      known.id === questionId ? { ...known, answer, assumed: false } : known,
    ),
  }
}

/** What nobody has answered yet. */
export const openQuestions = (issues: readonly Issue[]): readonly Question[] =>
  issues.flatMap(({ code, clarifications }) =>
    clarifications
      .filter(({ answer }) => answer === null)
      .map(({ id, question, context, options, assumption }) => ({
        id,
        issue_code: code,
        question,
        context,
        options: options ?? [],
        assumption: assumption ?? null,
      })),
  )

interface Asked {
  readonly ready: boolean
  readonly questions: readonly Question[]
}

/** What asking has come to, in one sentence. */
export const describeAsking = ({ ready, questions }: Asked): string =>
  ready ? 'Nothing is left to ask: ready to fix.' : describeQuestions(questions)

/** How many questions wait, and what they are. */
export function describeQuestions(questions: readonly Question[]): string {
  const count = questions.length
  const asked = questions.map(({ id, question }) => `${id} "${question}"`).join('; ')
  return `${count} question${count === 1 ? ' waits' : 's wait'} for an answer: ${asked}`
}
