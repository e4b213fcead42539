import { z } from 'zod'
import { answerQuestions } from '../../app/prepare/clarify-issues.ts'
import { scopeGate } from '../../loop/gates/scope.ts'
import { approvalsOf } from '../serving/approvals.ts'
import { retriable } from '../steering/retriable.ts'
import { overridesOf } from '../serving/asked-settings.ts'
import type { Serving } from '../serving/serving.ts'
import { isFixable } from '../../app/fix/choose-issues.ts'
import type { FixRequest } from '../../app/fix/fix-issues.ts'
import type { App } from '../../app/open-app.ts'
import { RetryRequest, StartOutcome } from '../../model/api/fix.ts'
import {
  ApprovalAnswer,
  ApprovalList,
  ScopeResponse,
  SessionAnswers,
  SessionDetail,
  type PendingApproval,
} from '../../model/api/sessions.ts'
import { Fault } from '../../model/fault.ts'
import { RepositoryId, SessionId, type IssueId } from '../../model/id.ts'
import { openQuestions } from '../../model/issue/questions.ts'
import type { Session } from '../../model/session/session.ts'
import { addEndpoint, type ServerApp } from '../http/endpoint.ts'
import { findSeen, ofEach } from '../http/seen.ts'
import { chosenIssues, fixFaults } from './fix.ts'
import { ofSession, readDetail } from './sessions.ts'

const path = '/api/sessions/{id}'

/** A person's requests to a session: stop it, let it go on, answer what it asks. */
export function addAnswerRoutes(app: ServerApp, serving: Serving): void {
  addWaitingList(app, serving)
  addApprovalAnswers(app, serving)
  addQuestionAnswers(app, serving)
  addSteering(app, serving)
  addRetry(app, serving)
}

function addWaitingList(app: ServerApp, serving: Serving): void {
  addEndpoint(
    app,
    {
      access: { role: 'viewer', reach: 'filtered' },
      method: 'get',
      path: '/api/approvals',
      summary: 'Everything that waits for a person',
      query: z.object({ repository_id: RepositoryId.optional() }),
      answers: ApprovalList,
    },
    async ({ query: { repository_id: repositoryId }, caller }) => {
      if (repositoryId) await findSeen(serving, caller, repositoryId)
      const asking = await ofEach(repositoryId ? [repositoryId] : caller.repositories, (of) =>
        serving.store.sessions.asking(of ?? undefined),
      )
      const unsure = asking.filter(({ status }) => status === 'awaiting_clarification')
      return {
        schema: 'fixpoint.approvals.v1',
        approvals: await forEach(asking, ({ id }) => approvalsIn(serving, id)),
        questions: await forEach(unsure, async ({ id }) =>
          questionsOf(serving, (await serving.findSession(id)).session),
        ),
      }
    },
  )
}

function addApprovalAnswers(app: ServerApp, serving: Serving): void {
  addEndpoint(
    app,
    {
      access: { role: 'operator', reach: 'named' },
      method: 'post',
      path: `${path}/approvals/{approval_id}`,
      summary: 'Allow exactly the files that were asked about, or send the patch back',
      params: ofSession.extend({ approval_id: z.string() }),
      body: ApprovalAnswer,
      answers: SessionDetail,
      faults: ['transition_refused', ...fixFaults],
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
      access: { role: 'operator', reach: 'named' },
      method: 'post',
      path: `${path}/scope-response`,
      summary: 'Approve or reject changes outside of what may change',
      params: ofSession,
      body: ScopeResponse,
      answers: SessionDetail,
      faults: ['transition_refused', ...fixFaults],
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
      access: { role: 'operator', reach: 'named' },
      method: 'post',
      path: `${path}/answers`,
      summary: 'Answer the questions of a session',
      params: ofSession,
      body: SessionAnswers,
      answers: SessionDetail,
      faults: ['transition_refused', ...fixFaults],
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
  {
    verb: 'stop',
    status: 202,
    summary: 'Let running steps finish and stop; asked again, stop at once. It can be resumed',
  },
  { verb: 'resume', status: 202, summary: 'Go on with a session that was stopped' },
] as const

function addSteering(app: ServerApp, serving: Serving): void {
  for (const { verb, status, summary } of steering)
    addEndpoint(
      app,
      {
        access: { role: 'operator', reach: 'named' },
        method: 'post',
        path: `${path}/${verb}`,
        summary,
        params: ofSession,
        status,
        answers: SessionDetail,
        faults: ['transition_refused', ...(verb === 'resume' ? fixFaults : [])],
      },
      async ({ params: { id } }) => {
        await serving.findSession(id)
        await serving.runner[verb](id)
        return readDetail(serving, id)
      },
    )
}

function addRetry(app: ServerApp, serving: Serving): void {
  addEndpoint(
    app,
    {
      access: { role: 'operator', reach: 'named' },
      method: 'post',
      path: `${path}/retry`,
      summary:
        'Start a new session for what did not land, with another agent, more rounds or a note if wanted',
      params: ofSession,
      body: RetryRequest,
      status: 202,
      answers: StartOutcome,
      faults: ['transition_refused', 'already_running', ...fixFaults],
    },
    async ({ params: { id }, body }) => {
      const stored = await serving.findSession(id)
      const issueIds = body.issue_ids ?? retriable(stored)
      if (issueIds.length === 0)
        throw new Fault(
          'transition_refused',
          'everything of this session has landed: there is nothing to retry',
        )
      const opened = await serving.openRepository(stored.session.repository_id, overridesOf(body))
      const request = await retryOf(opened, issueIds, body).catch(async (error: unknown) => {
        await opened.close()
        throw error
      })
      const begun = await serving.runner.start(opened, request)
      const { id: sessionId, status } = begun.stored.session
      return { schema: 'fixpoint.start.v1', session_id: sessionId, status, earlier: !begun.isNew }
    },
  )
}

async function retryOf(opened: App, issueIds: readonly IssueId[], body: RetryRequest): Promise<FixRequest> {
  const issues = (await chosenIssues(opened, issueIds)).filter(isFixable)
  if (issues.length === 0)
    throw new Fault('transition_refused', 'none of these issues can be fixed any more', {
      hint: 'Reopen them first.',
    })
  return {
    issues,
    attended: true,
    force: true,
    ...(body.base != null && { base: body.base }),
    ...(body.user_notes != null && { notes: body.user_notes }),
  }
}

async function approvalsIn(serving: Serving, id: string): Promise<readonly PendingApproval[]> {
  const stored = await serving.findSession(id)
  return approvalsOf(stored, await serving.store.issues.get(stored.session.issue_ids))
}

async function questionsOf({ store }: Serving, { id, repository_id, issue_ids }: Session) {
  const questions = openQuestions(await store.issues.get(issue_ids))
  return questions.map((question) => ({ ...question, session_id: id, repository_id }))
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
