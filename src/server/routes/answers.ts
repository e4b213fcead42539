import { z } from 'zod'
import { approvalsOf } from '../../app/serve/approvals.ts'
import type { Serving } from '../../app/serve/serving.ts'
import {
  ApprovalAnswer,
  ApprovalList,
  ScopeResponse,
  SessionAnswers,
  SessionDetail,
  type Approval,
} from '../../model/api/sessions.ts'
import { Fault } from '../../model/fault.ts'
import { RepositoryId, SessionId } from '../../model/id.ts'
import { addEndpoint, type ServerApp } from '../endpoint.ts'
import { ofSession, readDetail } from './sessions.ts'

const path = '/api/sessions/{id}'
const sessionsLookedAt = 200

/** What a person does to a session: stop it, let it go on, answer what it asks. */
export function addAnswerRoutes(app: ServerApp, serving: Serving): void {
  addEndpoint(
    app,
    {
      method: 'get',
      path: '/api/approvals',
      summary: 'Everything that waits for a person',
      query: z.object({ repository_id: RepositoryId.optional() }),
      answers: ApprovalList,
    },
    async ({ query }) => ({
      schema: 'fixpoint.approvals.v1',
      approvals: await openApprovals(serving, query.repository_id),
    }),
  )
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
        ({ gate, issue_code: code }) => gate === 'scope' && (body.issue_code ?? code) === code,
      )
      if (asked.length === 0)
        throw new Fault('not_found', 'no scope violation of this session waits for an answer')
      const answer = body.approved ? ({ approve: true } as const) : { reject: body.reason ?? 'out of scope' }
      for (const one of asked) await answerOne(serving, one, answer)
      return readDetail(serving, id)
    },
  )
  addSteeringRoutes(app, serving)
}

function addSteeringRoutes(app: ServerApp, serving: Serving): void {
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
    async ({ params: { id } }) => {
      await serving.findSession(id)
      throw new Fault('not_available', 'sessions do not ask questions in this version')
    },
  )
  addEndpoint(
    app,
    {
      method: 'post',
      path: `${path}/cancel`,
      summary: 'End a session now; its issues are open again',
      params: ofSession,
      answers: SessionDetail,
    },
    async ({ params: { id } }) => {
      await serving.findSession(id)
      await serving.runner.cancel(id)
      return readDetail(serving, id)
    },
  )
  addEndpoint(
    app,
    {
      method: 'post',
      path: `${path}/resume`,
      summary: 'Go on with a session that was stopped',
      params: ofSession,
      status: 202,
      answers: SessionDetail,
    },
    async ({ params: { id } }) => {
      await serving.findSession(id)
      await serving.runner.resume(id)
      return readDetail(serving, id)
    },
  )
}

async function approvalsIn(serving: Serving, id: string): Promise<readonly Approval[]> {
  const stored = await serving.findSession(id)
  return approvalsOf(stored, await serving.store.issues.get(stored.session.issue_ids))
}

async function openApprovals(
  serving: Serving,
  repositoryId: RepositoryId | undefined,
): Promise<readonly Approval[]> {
  const { repositories, sessions } = serving.store
  const ids = repositoryId
    ? [(await serving.findRepository(repositoryId)).id]
    : (await repositories.list()).map(({ id }) => id)
  const found: Approval[] = []
  for (const id of ids)
    for (const session of await sessions.list(id, sessionsLookedAt))
      if (session.status !== 'completed' && session.status !== 'cancelled')
        found.push(...(await approvalsIn(serving, session.id)))
  return found
}

/** Whoever approves has seen these files and no others. */
function requireSameFiles({ files }: Approval, given: readonly string[] | undefined): void {
  if (given === undefined || new Set(given).symmetricDifference(new Set(files)).size === 0) return
  throw new Fault('transition_refused', 'other files were asked about than those that are approved', {
    hint: 'Look at the question again: all of its files are approved, or none.',
    details: { files },
  })
}

const answerOne = (
  { runner }: Serving,
  { session_id, issue_code, round }: Approval,
  answer: { readonly approve: true } | { readonly reject: string },
): Promise<void> => runner.answer({ sessionId: SessionId.parse(session_id), code: issue_code, round, answer })
