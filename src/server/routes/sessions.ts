import { isDriven } from '../../adapters/process/run-mark.ts'
import { z } from 'zod'
import { redactor } from '../../app/redact/redact-exits.ts'
import { formatSessionHtml } from '../../adapters/exports/session-html.ts'
import { formatSessionReport } from '../../adapters/exports/session-report.ts'
import { sessionDetail } from '../serving/session-views.ts'
import type { Serving } from '../serving/serving.ts'
import type { SessionDigests } from '../serving/session-digests.ts'
import {
  AttemptList,
  EventList,
  SessionDetail,
  SessionList,
  SessionReport,
  SessionTiming,
} from '../../model/api/sessions.ts'
import { Fault } from '../../model/fault.ts'
import { RepositoryId, SessionId } from '../../model/id.ts'
import { FixEvent } from '../../model/session/event.ts'
import { SessionStatus } from '../../model/session/session.ts'
import { readTiming } from '../../model/session/timing.ts'
import { sessionResult } from '../../model/session/session-result.ts'
import { addEndpoint, type ServerApp } from '../http/endpoint.ts'
import { nothingMore, streamOf } from '../http/endpoint-definition.ts'
import { findSeen, ofEach } from '../http/seen.ts'
import { lastEventId, wantsJson, type SendStream } from './send-stream.ts'

export const ofSession = z.object({ id: SessionId })
const path = '/api/sessions'
const diffBytes = 5_000_000

export async function readDetail(serving: Serving, id: string): Promise<SessionDetail> {
  const stored = await serving.findSession(id)
  const issues = await serving.store.issues.get(stored.session.issue_ids)
  const { store } = serving
  return sessionDetail(stored, { store, issues, lastSeq: await store.sessions.lastSeq(stored.session.id) })
}

export function addSessionRoutes(
  app: ServerApp,
  serving: Serving,
  { digests, sendStream }: { readonly digests: SessionDigests; readonly sendStream: SendStream },
): void {
  addEndpoint(
    app,
    {
      access: { role: 'viewer', reach: 'filtered' },
      method: 'get',
      path,
      summary: 'Sessions, newest first',
      query: z.object({
        repository_id: RepositoryId.optional(),
        status: SessionStatus.optional(),
        limit: z.coerce.number().int().min(1).max(500).default(100),
        /** `next_cursor` of the page before. */
        cursor: SessionId.optional(),
      }),
      answers: SessionList,
      faults: ['not_found'],
    },
    async ({ query: { repository_id: repositoryId, status, limit, cursor }, caller }) => {
      if (repositoryId) await findSeen(serving, caller, repositoryId)
      const list = (of: RepositoryId | null) =>
        digests.list({
          limit: limit + 1,
          ...(of && { repositoryId: of }),
          ...(status && { status: [status] }),
          ...(cursor && { before: cursor }),
        })
      const digested = (await ofEach(repositoryId ? [repositoryId] : caller.repositories, list)).toSorted(
        (one, other) => (one.row.session_id < other.row.session_id ? 1 : -1),
      )
      const sessions = digested.slice(0, limit).map(({ row }) => row)
      const next = digested.length > limit ? (sessions.at(-1)?.session_id ?? null) : null
      return { schema: 'fixpoint.sessions.v1', sessions, next_cursor: next }
    },
  )
  addOneSession(app, serving)
  addEvents(app, serving, sendStream)
  addSessionReadings(app, serving)
}

function addOneSession(app: ServerApp, serving: Serving): void {
  addEndpoint(
    app,
    {
      access: { role: 'viewer', reach: 'named' },
      method: 'get',
      path: `${path}/{id}`,
      summary: 'One session: where every issue of it stands',
      params: ofSession,
      answers: SessionDetail,
    },
    ({ params: { id } }) => readDetail(serving, id),
  )
}

function addEvents(app: ServerApp, serving: Serving, sendStream: SendStream): void {
  addEndpoint(
    app,
    {
      access: { role: 'viewer', reach: 'named' },
      method: 'get',
      path: `${path}/{id}/events`,
      summary:
        'The events of a session: a stream that goes on after Last-Event-ID, or a list with Accept: application/json',
      params: ofSession,
      query: z.object({ after: z.coerce.number().int().min(0).default(0) }),
      answers: EventList,
      others: [streamOf(FixEvent), nothingMore],
    },
    async ({ params: { id }, query: { after }, context }) => {
      if (!wantsJson(context))
        return sendStream(context, {
          sessionId: id,
          after: lastEventId(context.req.header('last-event-id')) ?? after,
        })
      await serving.findSession(id)
      return {
        schema: 'fixpoint.events.v1',
        session_id: id,
        events: await serving.store.sessions.events(id, after),
        live: serving.feeds.recent(id),
      }
    },
  )
}

function addSessionReadings(app: ServerApp, serving: Serving): void {
  addEndpoint(
    app,
    {
      access: { role: 'viewer', reach: 'named' },
      method: 'get',
      path: `${path}/{id}/report`,
      summary:
        'The whole session with every round; for people with Accept: text/markdown or text/html (one file that needs nothing else)',
      params: ofSession,
      answers: SessionReport,
      others: ['text/markdown', 'text/html'].map((type) => ({
        status: 200,
        when: 'the report for people',
        type,
        schema: z.string(),
      })),
    },
    async ({ params: { id }, context }) => {
      const { session, attempts } = await serving.findSession(id)
      const issues = await serving.store.issues.get(session.issue_ids)
      const type = reportTypeOf(context.req.header('accept') ?? '')
      return type
        ? textResponse(reportFor[type](session, attempts, issues), type)
        : sessionResult(session, attempts, issues)
    },
  )
  addEndpoint(
    app,
    {
      access: { role: 'viewer', reach: 'named' },
      method: 'get',
      path: `${path}/{id}/attempts`,
      summary: 'Every attempt with its rounds, diffs, gates and verdicts',
      params: ofSession,
      answers: AttemptList,
    },
    async ({ params: { id } }) => ({
      schema: 'fixpoint.attempts.v1',
      session_id: id,
      attempts: (await serving.findSession(id)).attempts,
    }),
  )
  addTiming(app, serving)
  addDiff(app, serving)
}

function addTiming(app: ServerApp, serving: Serving): void {
  addEndpoint(
    app,
    {
      access: { role: 'viewer', reach: 'named' },
      method: 'get',
      path: `${path}/{id}/timing`,
      summary: 'Where the time of a session went',
      params: ofSession,
      answers: SessionTiming,
    },
    async ({ params: { id } }) => {
      const { session } = await serving.findSession(id)
      const untilMs = isDriven(serving.store, session) ? Date.now() : undefined
      const timing = readTiming(await serving.store.sessions.events(id, 0), untilMs)
      return { schema: 'fixpoint.timing.v1', session_id: id, ...timing }
    },
  )
}

function addDiff(app: ServerApp, serving: Serving): void {
  addEndpoint(
    app,
    {
      access: { role: 'viewer', reach: 'named' },
      method: 'get',
      path: `${path}/{id}/diff`,
      summary: 'What landed, or what the newest round of one issue changed',
      params: ofSession,
      query: z.object({ issue_code: z.string().optional() }),
      answers: { text: ['text/x-diff'] },
    },
    async ({ params: { id }, query: { issue_code: code } }) =>
      textResponse(
        code === undefined ? await landedDiff(serving, id) : await issueDiff(serving, id, code),
        'text/x-diff',
      ),
  )
}

/** The report in the words of a type. */
const reportFor = { 'text/markdown': formatSessionReport, 'text/html': formatSessionHtml }

/** What a client that did not ask for JSON wants to read. */
function reportTypeOf(accepted: string): keyof typeof reportFor | null {
  if (/\btext\/markdown\b/.test(accepted)) return 'text/markdown'
  return /\btext\/html\b/.test(accepted) && !/\bapplication\/json\b/.test(accepted) ? 'text/html' : null
}

async function landedDiff(serving: Serving, id: string): Promise<string> {
  const { session } = await serving.findSession(id)
  if (session.base.tree === session.tip.tree) return ''
  return serving.withRepository(session.repository_id, async (opened) =>
    (await opened.ports()).trees.diff(session.base.tree, session.tip.tree, diffBytes),
  )
}

async function issueDiff(serving: Serving, id: string, code: string): Promise<string> {
  const attempt = (await serving.findSession(id)).attempts.find(({ issue_code }) => issue_code === code)
  if (!attempt) throw new Fault('not_found', `${code} is not part of this session`)
  return 'diff' in attempt ? attempt.diff : (attempt.rounds.at(-1)?.diff ?? '')
}

export const textResponse = (text: string, type: string): Response =>
  new Response(redactor.value(text), { headers: { 'content-type': `${type}; charset=utf-8` } })
