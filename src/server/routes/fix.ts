import { answerQuestions, clarifyIssues } from '../../app/prepare/clarify-issues.ts'
import { resolveBase } from '../../app/resolve-base.ts'
import { isFixable } from '../../app/fix/choose-issues.ts'
import type { FixRequest } from '../../app/fix/fix-issues.ts'
import { overridesOf } from '../serving/asked-settings.ts'
import type { App } from '../../app/open-app.ts'
import { draftPrompts, planApproach, planIssues } from '../../app/prepare/plan-issues.ts'
import { requireTrusted } from '../../app/fix/require-trusted.ts'
import type { Serving } from '../serving/serving.ts'
import {
  ClarifyOutcome,
  ClarifyRequest,
  PlanOutcome,
  PlanRequest,
  StartOutcome,
  StartRequest,
} from '../../model/api/fix.ts'
import { Fault, type FaultCode } from '../../model/fault.ts'
import type { IssueId } from '../../model/id.ts'
import type { Issue } from '../../model/issue/issue.ts'
import { FixEvent } from '../../model/session/event.ts'
import { describeAsking } from '../../model/issue/questions.ts'
import { addEndpoint, type ServerApp } from '../http/endpoint.ts'
import { streamOf } from '../http/endpoint-definition.ts'
import { wantsJson, type SendStream } from './send-stream.ts'

/** The faults of every request that asks agents. */
export const fixFaults = [
  'not_found',
  'not_trusted',
  'config_invalid',
  'agent_unavailable',
  'sandbox_unavailable',
  'repository_unsupported',
  'ref_unknown',
  'not_evaluated',
] as const satisfies readonly FaultCode[]

export function addFixRoutes(app: ServerApp, serving: Serving, sendStream: SendStream): void {
  addEndpoint(
    app,
    {
      access: { role: 'operator', reach: 'named' },
      method: 'post',
      path: '/api/fix/clarify',
      summary: 'Let the fixer ask before it fixes',
      body: ClarifyRequest,
      answers: ClarifyOutcome,
      faults: fixFaults,
    },
    async ({ body, context }) => {
      const opened = await serving.openRepository(body.repository_id, [])
      try {
        await requireTrusted(opened)
        return await clarify(opened, body, context.req.raw.signal)
      } finally {
        await opened.close()
      }
    },
  )
  addEndpoint(
    app,
    {
      access: { role: 'operator', reach: 'named' },
      method: 'post',
      path: '/api/fix/plan',
      summary: 'The steps in which issues would be fixed; on request how each would be, and the prompts',
      body: PlanRequest,
      answers: PlanOutcome,
      faults: fixFaults,
    },
    async ({ body, context }) => {
      const opened = await serving.openRepository(body.repository_id, overridesOf(body))
      try {
        return await planOf(opened, body, context.req.raw.signal)
      } finally {
        await opened.close()
      }
    },
  )
  addStartRoute(app, serving, sendStream)
}

async function clarify(app: App, body: ClarifyRequest, signal: AbortSignal): Promise<ClarifyOutcome> {
  await answerQuestions(app, answersOf(body.answers))
  const issues = await chosenIssues(app, body.issue_ids)
  const base = await resolveBase(app)
  const id = body.session_id ?? null
  const asked = await clarifyIssues(app, { issues, base, notes: null, mode: 'ask', id, signal })
  const { questions, ready } = asked
  return {
    has_questions: questions.length > 0,
    questions,
    message: describeAsking(asked),
    session_id: asked.id,
    ready_to_fix: ready,
  }
}

const answersOf = (answers: ClarifyRequest['answers']): ReadonlyMap<string, string> =>
  Array.isArray(answers)
    ? new Map(answers.map(({ question_id, answer }) => [question_id, answer]))
    : new Map(Object.entries(answers ?? {}))

function addStartRoute(app: ServerApp, serving: Serving, sendStream: SendStream): void {
  addEndpoint(
    app,
    {
      access: { role: 'operator', reach: 'named' },
      method: 'post',
      path: '/api/fix/start',
      summary: 'Start a session: a stream of its events, or its id with Accept: application/json',
      body: StartRequest,
      status: 202,
      answers: StartOutcome,
      others: [
        { status: 200, when: 'the session that the same request began before', schema: StartOutcome },
        streamOf(FixEvent),
      ],
      faults: [...fixFaults, 'already_running', 'transition_refused', 'branch_refused'],
    },
    async ({ body, context }) => {
      const opened = await serving.openRepository(body.repository_id, overridesOf(body))
      const request = await requestOf(opened, body, context.req.header('idempotency-key')).catch(
        async (error: unknown) => {
          await opened.close()
          throw error
        },
      )
      const { stored, isNew } = await serving.runner.start(opened, request)
      const { id, status } = stored.session
      if (!wantsJson(context)) return sendStream(context, { sessionId: id, after: 0 })
      const outcome: StartOutcome = { schema: 'fixpoint.start.v1', session_id: id, status, earlier: !isNew }
      return context.json(outcome, isNew ? 202 : 200, { location: `/api/sessions/${id}` })
    },
  )
}

async function requestOf(
  app: App,
  body: StartRequest,
  idempotencyKey: string | undefined,
): Promise<FixRequest> {
  return {
    issues: await chosenIssues(app, body.issue_ids),
    attended: true,
    force: body.force ?? false,
    useExistingBranch: body.use_existing_branch ?? false,
    ...(body.base != null && { base: body.base }),
    ...(body.branch != null && { branch: body.branch }),
    ...(body.user_notes != null && { notes: body.user_notes }),
    ...(body.task_id != null && { taskId: body.task_id }),
    ...(body.clarify_session_id != null && { clarifySessionId: body.clarify_session_id }),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  }
}

/** Every issue that is asked for, once; one of another repository is not known here. */
export async function chosenIssues(
  { store, repository }: App,
  ids: readonly IssueId[],
): Promise<readonly Issue[]> {
  const wanted = [...new Set(ids)]
  const found = (await store.issues.get(wanted)).filter(
    ({ repository_id }) => repository_id === repository.id,
  )
  const missing = wanted.filter((id) => !found.some((issue) => issue.id === id))
  if (missing.length === 0) return found
  throw new Fault('not_found', `there is no issue ${missing.join(', ')} in this repository`)
}

async function planOf(app: App, body: PlanRequest, signal: AbortSignal): Promise<PlanOutcome> {
  const chosen = (await chosenIssues(app, body.issue_ids)).filter(isFixable)
  const base = await resolveBase(app)
  const notes = body.user_notes ?? null
  if (body.planner) await requireTrusted(app)
  const issues = body.planner
    ? await planApproach(app, {
        issues: chosen,
        base,
        notes,
        clarifySessionId: body.clarify_session_id ?? null,
        signal,
      })
    : chosen
  const { plan, batches, estimatedCostUsd } = await planIssues(app, issues)
  return {
    schema: 'fixpoint.plan.v1',
    ...plan,
    batches,
    approaches: Object.fromEntries(issues.flatMap(({ code, plan: own }) => (own ? [[code, own]] : []))),
    prompts: body.prompts ? [...(await draftPrompts(app, { issues, base, notes }))] : [],
    estimated_cost_usd: estimatedCostUsd,
  }
}
