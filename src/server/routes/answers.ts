import { z } from 'zod'
import { answerQuestions } from '../../app/prepare/clarify-issues.ts'
import { scopeGate } from '../../loop/gates/scope.ts'
import { approvalsOf } from '../serving/approvals.ts'
import type { Serving } from '../serving/serving.ts'
import {
  ApprovalAnswer,
  ApprovalList,
  ScopeResponse,
  SessionAnswers,
  SessionDetail,
  type PendingApproval,
} from '../../model/api/sessions.ts'
import { Fault } from '../../model/fault.ts'
import { RepositoryId, SessionId } from '../../model/id.ts'
import { openQuestions } from '../../model/issue/questions.ts'
import type { Session } from '../../model/session/session.ts'
import { addEndpoint, type ServerApp } from '../http/endpoint.ts'
import { ofSession, readDetail } from './sessions.ts'

const path = '/api/sessions/{id}'
const sessionsLookedAt = 200

/** What a person does to a session: stop it, let it go on, answer what it asks. */
export function addAnswerRoutes(app: ServerApp, serving: Serving): void {
  addWaitingList(app, serving)
  addApprovalAnswers(app, serving)
  addQuestionAnswers(app, serving)
  addSteering(app, serving)
}

function addWaitingList(app: ServerApp, serving: Serving): void {
  addEndpoint(
    app,
    {
      method: 'get',
      path: '/api/approvals',
      summary: 'Everything that waits for a person',
      query: z.object({ repository_id: RepositoryId.optional() }),
      answers: ApprovalList,
    },
    async ({ query }) => {
      const sessions = await sessionsOf(serving, query.repository_id)
      const waiting = sessions.filter(({ status }) => status !== 'completed' && status !== 'cancelled')
      const asking = sessions.filter(({ status }) => status === 'awaiting_clarification')
      return {
        schema: 'fixpoint.approvals.v1',
        approvals: await forEach(waiting, ({ id }) => approvalsIn(serving, id)),
        questions: await forEach(asking, (session) => questionsOf(serving, session)),
      }
    },
  )
}

function addApprovalAnswers(app: ServerApp, serving: Serving): void {
  addEndpoint(
    app,
    {
      method: 'post',
      path: `${path}/approvals/{approval_id}`,
      summary: 'Allow exactly the files that were asked about, or send the patch back',
      params: ofSession.extend({ approval_id: z.string() }),
      body: ApprovalAnswer,
      answers: SessionDetail,
    },
    async ({ params: { id, approval_id }, body }) => {
      const asked = (await approvalsIn(serving, id)).find((approval) => approval.approval_id === approval_id)
      if (!asked) throw new Fault('not_found', `nothing waits for an answer as "${approval_id}"`)
      if (body.decision === 'approve') requireSameFiles(asked, body.files)
      await answerOne(
        serving,
        asked,
        body.decision === 'approve' ? { approve: true } : { reject: body.reason },
      )
      return readDetail(serving, id)
    },
  )
  addEndpoint(
    app,
    {
      method: 'post',
      path: `${path}/scope-response`,
      summary: 'Approve or reject changes outside of what may change',
      params: ofSession,
      body: ScopeResponse,
      answers: SessionDetail,
    },
    async ({ params: { id }, body }) => {
      const asked = (await approvalsIn(serving, id)).filter(
        ({ gate, issue_code: code }) => gate === scopeGate.name && (body.issue_code ?? code) === code,
      )
      if (asked.length === 0)
        throw new Fault('not_found', 'no scope violation of this session waits for an answer')
      const answer = body.approved ? ({ approve: true } as const) : { reject: body.reason ?? 'out of scope' }
      for (const one of asked) await answerOne(serving, one, answer)
      return readDetail(serving, id)
    },
  )
}

function addQuestionAnswers(app: ServerApp, serving: Serving): void {
  addEndpoint(
    app,
    {
      method: 'post',
      path: `${path}/answers`,
      summary: 'Answer the questions of a session',
      params: ofSession,
      body: SessionAnswers,
      answers: SessionDetail,
    },
    async ({ params: { id }, body }) => {
      const { session } = await serving.findSession(id)
      const answers = new Map(body.answers.map(({ question_id, answer }) => [question_id, answer]))
      await serving.withRepository(session.repository_id, (opened) => answerQuestions(opened, answers))
      const isWaiting = session.status === 'awaiting_clarification'
      if (isWaiting && (await questionsOf(serving, session)).length === 0) await serving.runner.resume(id)
      return readDetail(serving, id)
    },
  )
}

const steering = [
  { verb: 'cancel', status: 200, summary: 'End a session now; its issues are open again' },
  { verb: 'resume', status: 202, summary: 'Go on with a session that was stopped' },
] as const

function addSteering(app: ServerApp, serving: Serving): void {
  for (const { verb, status, summary } of steering)
    addEndpoint(
      app,
      {
        method: 'post',
        path: `${path}/${verb}`,
        summary,
        params: ofSession,
        status,
        answers: SessionDetail,
      },
      async ({ params: { id } }) => {
        await serving.findSession(id)
        await serving.runner[verb](id)
        return readDetail(serving, id)
      },
    )
}

async function approvalsIn(serving: Serving, id: string): Promise<readonly PendingApproval[]> {
  const stored = await serving.findSession(id)
  return approvalsOf(stored, await serving.store.issues.get(stored.session.issue_ids))
}

async function questionsOf({ store }: Serving, { id, repository_id, issue_ids }: Session) {
  const questions = openQuestions(await store.issues.get(issue_ids))
  return questions.map((question) => ({ ...question, session_id: id, repository_id }))
}

async function sessionsOf(
  serving: Serving,
  repositoryId: RepositoryId | undefined,
): Promise<readonly Session[]> {
  const { repositories, sessions } = serving.store
  const ids = repositoryId
    ? [(await serving.findRepository(repositoryId)).id]
    : (await repositories.list()).map(({ id }) => id)
  return forEach(ids, (id) => sessions.list(id, sessionsLookedAt))
}

/** Reads one after the other, and gives back all that they hold together. */
async function forEach<Item, Value>(
  items: readonly Item[],
  read: (item: Item) => Promise<readonly Value[]>,
): Promise<readonly Value[]> {
  const all: Value[] = []
  for (const item of items) all.push(...(await read(item)))
  return all
}

/** An approval that names files names exactly those that were asked about. */
function requireSameFiles({ files }: PendingApproval, given: readonly string[] | undefined): void {
  if (given === undefined || new Set(given).symmetricDifference(new Set(files)).size === 0) return
  throw new Fault('transition_refused', 'the approved files are not those that were asked about', {
    hint: 'Look at the question again: all of its files are approved, or none.',
    details: { files },
  })
}

const answerOne = (
  { runner }: Serving,
  { session_id, issue_code, round }: PendingApproval,
  answer: { readonly approve: true } | { readonly reject: string },
): Promise<void> => runner.answer({ sessionId: SessionId.parse(session_id), code: issue_code, round, answer })
