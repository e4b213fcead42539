/**
 * The HTTP API as functions, for the web page and the terminal alike. Nothing here knows of Node or of a browser:
 * whoever creates a client gives it `fetch` and a way to wait.
 *
 * ```ts
 * const client = createClient({ baseUrl: '', fetch: (url, init) => fetch(url, init), wait })
 * const { issues, next_cursor } = await client.issues(repositoryId, { status: ['open'], q: 'null' })
 * const { session_id } = await client.start({ repository_id: repositoryId, issue_ids: [issues[0].id] })
 * let view = emptyView
 * await client.follow({ sessionId: session_id, signal, onEvent: (event) => (view = reduceSession(view, event)) })
 * ```
 *
 * Requests and answers are typed by the schemas in `src/model/api`, which the server and its OpenAPI document use too.
 * Refusals are thrown as `ApiError` with the server's `Problem` (`code`, `detail`, `hint`, and `allowed` or `session_id`
 * where they help). `follow` gives every durable event once and in order over any number of lost connections, and live
 * text in between; `reduceSession` folds them into lanes. Log in a page with `client.login(token)`, where the token
 * comes from the fragment of the printed address; other programs pass `token` to `createClient`.
 */
import { createApi, type Api } from './api.ts'
import {
  followEvents,
  followOverview,
  followReview,
  type FollowOverview,
  type FollowRequest,
  type FollowReview,
} from './follow.ts'
import { createSend, type ClientOptions } from './transport.ts'

export type Client = Api & {
  /** Follows a session until it is over; see `FollowRequest`. */
  readonly follow: (request: FollowRequest) => Promise<void>
  /** Follows what runs and waits everywhere, until its signal. */
  readonly followOverview: (request: FollowOverview) => Promise<void>
  /** Follows a review until it is over. */
  readonly followReview: (request: FollowReview) => Promise<void>
}

export function createClient(options: ClientOptions): Client {
  const send = createSend(options)
  return {
    ...createApi(send),
    follow: (request) => followEvents(send, options, request),
    followOverview: (request) => followOverview({ send, ...options }, request),
    followReview: (request) => followReview({ send, ...options }, request),
  }
}

export type { Api, InsightRange, IssueFilter } from './api.ts'
export type { FollowRequest, FollowState } from './follow.ts'
export { ApiError, type ClientOptions } from './transport.ts'
export { standingOf } from './standing.ts'
export { stepNames, type Step, type StepName, type StepState } from './lane-stages.ts'
export { laneSummary } from './lane-summary.ts'
export {
  commonWork,
  emptyView,
  reduceSession,
  type Lane,
  type LaneStage,
  type SessionView,
} from './session-view.ts'
export { withoutReport, type ReportDepth } from './without-report.ts'
