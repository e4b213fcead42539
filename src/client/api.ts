import type {
  ClarifyOutcome,
  ClarifyRequest,
  PlanOutcome,
  PlanRequest,
  PreflightOutcome,
  PreflightRequest,
  RetryRequest,
  StartOutcome,
  StartRequest,
} from '../model/api/fix.ts'
import type {
  BulkIssueChange,
  BulkIssueOutcome,
  CodeExcerpt,
  IssueChange,
  IssueFacets,
  IssueLedger,
  IssueList,
  IssueView,
} from '../model/api/issues.ts'
import type { WhoAmI } from '../model/api/people.ts'
import type { Overview } from '../model/api/overview.ts'
import type {
  PublishedPullRequest,
  PullRequestList,
  PullRequestTerms,
  VotesOutcome,
  VotesRequest,
} from '../model/api/pull-requests.ts'
import type {
  AddRepository,
  ImportPreview,
  RepositoryDetail,
  RepositoryList,
  RepositoryView,
  ReviewList,
  ReviewOutcome,
  ReviewView,
  StartReview,
  TrustCommands,
} from '../model/api/repositories.ts'
import type {
  ApprovalAnswer,
  ApprovalList,
  ArtifactList,
  AttemptList,
  EventList,
  ScopeResponse,
  SessionAnswers,
  SessionDetail,
  SessionList,
  SessionReport,
  SessionTiming,
} from '../model/api/sessions.ts'
import type { AgentList, DoctorReport, Insights, SettingList } from '../model/api/system.ts'
import type { WorkerList } from '../model/api/workers.ts'
import type { ApiCall, Send } from './transport.ts'

/** Which issues a list shows; a field that is left out does not narrow it. */
export interface IssueFilter {
  readonly status?: readonly string[]
  readonly severity?: readonly string[]
  /** BE, FE, GEN. */
  readonly class?: readonly string[]
  readonly rule?: readonly string[]
  readonly tool?: readonly string[]
  readonly source?: readonly string[]
  /** A file, a folder, or a pattern with stars. */
  readonly path?: string
  /** A day such as 2030-12-31, or an age such as 7d. */
  readonly since?: string
  readonly task_id?: string
  readonly q?: string
}

export interface IssuePageRequest extends IssueFilter {
  /** Such as `file`, or `-file` for the other way round. */
  readonly sort?: string
  readonly group?: string
  /** Also count how many issues each filter would show. */
  readonly facets?: boolean
  readonly cursor?: string
  readonly limit?: number
}

export interface SessionPageRequest {
  readonly repository_id?: string
  readonly status?: string
  readonly limit?: number
  readonly cursor?: string
}

/** Which sessions count, and the bar whose attempts are wanted too. */
export interface InsightRange {
  readonly since?: string | undefined
  readonly until?: string | undefined
  /** Such as `outcomes:refused`. */
  readonly behind?: string | undefined
}

export type Api = ReturnType<typeof createApi>

/** Every endpoint as a function. Reads take an optional signal that gives up waiting. */
export function createApi(send: Send) {
  const read = async <Value>(path: string, call?: ApiCall): Promise<Value> =>
    (await (await send(path, call)).json()) as Value
  const readText = async (path: string, call?: ApiCall): Promise<string> => (await send(path, call)).text()
  const get = <Value>(path: string, query: ApiCall['query'] = {}, signal?: AbortSignal): Promise<Value> =>
    read(path, { query, ...(signal && { signal }) })
  const post = <Value>(path: string, json?: unknown, headers: ApiCall['headers'] = {}): Promise<Value> =>
    read(path, { method: 'POST', headers, ...(json !== undefined && { json }) })
  return {
    /** Exchanges the token of the printed address for a cookie. */
    login: async (token: string): Promise<void> => {
      await send('/api/login', { method: 'POST', json: { token } })
    },
    /** Forgets the cookie. */
    logout: async (): Promise<void> => {
      await send('/api/logout', { method: 'POST' })
    },
    whoAmI: () => get<WhoAmI>('/api/login'),
    ...repositoryCalls(get, post, read),
    ...issueCalls(get, post, read),
    ...fixCalls(post),
    ...sessionCalls(get, post, readText),
    ...pullCalls(get, post),
    workers: () => get<WorkerList>('/api/workers'),
    overview: () => get<Overview>('/api/overview'),
    agents: (repositoryId: string) => get<AgentList>('/api/agents', { repository_id: repositoryId }),
    config: (repositoryId: string) => get<SettingList>('/api/config', { repository_id: repositoryId }),
    doctor: (repositoryId: string) => get<DoctorReport>('/api/doctor', { repository_id: repositoryId }),
    insights: (repositoryId: string, range: InsightRange = {}) =>
      get<Insights>('/api/insights', { repository_id: repositoryId, ...range }),
  }
}

type Get = <Value>(path: string, query?: ApiCall['query'], signal?: AbortSignal) => Promise<Value>
type Post = <Value>(path: string, json?: unknown, headers?: ApiCall['headers']) => Promise<Value>
type Read = <Value>(path: string, call?: ApiCall) => Promise<Value>

const repositoryCalls = (get: Get, post: Post, read: Read) => ({
  repositories: () => get<RepositoryList>('/api/repositories'),
  repository: (id: string) => get<RepositoryDetail>(`/api/repositories/${id}`),
  addRepository: (body: AddRepository) => post<RepositoryView>('/api/repositories', body),
  trustCommands: (id: string, body: TrustCommands) =>
    post<RepositoryDetail>(`/api/repositories/${id}/trust`, body),
  reviews: (repositoryId: string) => get<ReviewList>('/api/reviews', { repository_id: repositoryId }),
  review: (id: string) => get<ReviewView>(`/api/reviews/${id}`),
  /** Begins a review and gives its id; `followReview` shows what happens in it. */
  startReview: (body: StartReview) => post<ReviewOutcome>('/api/reviews', body, { prefer: 'respond-async' }),
  cancelReview: (id: string) => post<ReviewView>(`/api/reviews/${id}/cancel`),
  /** Sends a report as it is: a `File`, text or bytes. */
  importFindings: (repositoryId: string, report: NonNullable<ApiCall['body']>, name?: string) =>
    read<ReviewOutcome>('/api/findings/import', {
      method: 'POST',
      query: { repository_id: repositoryId, name },
      headers: { 'content-type': 'application/octet-stream' },
      body: report,
    }),
  /** What importing a report would do; nothing is stored. */
  previewImport: (repositoryId: string, report: NonNullable<ApiCall['body']>, name?: string) =>
    read<ImportPreview>('/api/findings/import', {
      method: 'POST',
      query: { repository_id: repositoryId, name, preview: true },
      headers: { 'content-type': 'application/octet-stream' },
      body: report,
    }),
})

const issueCalls = (get: Get, post: Post, read: Read) => ({
  issues: (repositoryId: string, page: IssuePageRequest = {}, signal?: AbortSignal) =>
    get<IssueList>(`/api/fix/issues/${repositoryId}`, { ...page }, signal),
  facets: (
    repositoryId: string,
    filter: Pick<IssueFilter, 'class' | 'task_id' | 'q'> = {},
    signal?: AbortSignal,
  ) => get<IssueFacets>(`/api/fix/issues/${repositoryId}/facets`, { ...filter }, signal),
  issue: (id: string) => get<IssueView>(`/api/fix/issues/${id}`),
  ledger: (id: string) => get<IssueLedger>(`/api/fix/issues/${id}/ledger`),
  code: (id: string) => get<CodeExcerpt>(`/api/fix/issues/${id}/code`),
  changeIssue: (id: string, change: IssueChange) =>
    read<IssueView>(`/api/fix/issues/${id}`, { method: 'PATCH', json: change }),
  changeIssues: (body: BulkIssueChange) => post<BulkIssueOutcome>('/api/fix/issues/bulk', body),
})

const fixCalls = (post: Post) => ({
  clarify: (body: ClarifyRequest) => post<ClarifyOutcome>('/api/fix/clarify', body),
  preflight: (body: PreflightRequest) => post<PreflightOutcome>('/api/fix/preflight', body),
  plan: (body: PlanRequest) => post<PlanOutcome>('/api/fix/plan', body),
  /** Starts a session and gives its id; `follow` shows what happens in it. */
  start: (body: StartRequest, idempotencyKey?: string) =>
    post<StartOutcome>(
      '/api/fix/start',
      body,
      idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey },
    ),
})

const sessionCalls = (get: Get, post: Post, readText: (path: string, call?: ApiCall) => Promise<string>) => ({
  sessions: (query: SessionPageRequest = {}) => get<SessionList>('/api/sessions', { ...query }),
  session: (id: string) => get<SessionDetail>(`/api/sessions/${id}`),
  report: (id: string) => get<SessionReport>(`/api/sessions/${id}/report`),
  /** The report for people: `text/markdown`, or `text/html` as one file that needs nothing else. */
  reportText: (id: string, type: 'text/markdown' | 'text/html' = 'text/markdown') =>
    readText(`/api/sessions/${id}/report`, { headers: { accept: type } }),
  timing: (id: string) => get<SessionTiming>(`/api/sessions/${id}/timing`),
  attempts: (id: string) => get<AttemptList>(`/api/sessions/${id}/attempts`),
  /** Everything that landed, or what one issue's last round changed. */
  diff: (id: string, issueCode?: string) =>
    readText(`/api/sessions/${id}/diff`, {
      query: { issue_code: issueCode },
      headers: { accept: 'text/plain' },
    }),
  events: (id: string, after = 0) => get<EventList>(`/api/sessions/${id}/events`, { after }),
  artifacts: (id: string) => get<ArtifactList>(`/api/sessions/${id}/artifacts`),
  artifact: (id: string, name: string) =>
    readText(`/api/sessions/${id}/artifact`, { query: { name }, headers: { accept: 'text/plain' } }),
  cancel: (id: string) => post<SessionDetail>(`/api/sessions/${id}/cancel`),
  /** Lets running steps finish; asked again, stops at once. */
  stop: (id: string) => post<SessionDetail>(`/api/sessions/${id}/stop`),
  retry: (id: string, body: RetryRequest) => post<StartOutcome>(`/api/sessions/${id}/retry`, body),
  resume: (id: string) => post<SessionDetail>(`/api/sessions/${id}/resume`),
  approvals: (repositoryId?: string) => get<ApprovalList>('/api/approvals', { repository_id: repositoryId }),
  answerApproval: (sessionId: string, approvalId: string, body: ApprovalAnswer) =>
    post<SessionDetail>(`/api/sessions/${sessionId}/approvals/${approvalId}`, body),
  answerScope: (sessionId: string, body: ScopeResponse) =>
    post<SessionDetail>(`/api/sessions/${sessionId}/scope-response`, body),
  answerQuestions: (sessionId: string, body: SessionAnswers) =>
    post<SessionDetail>(`/api/sessions/${sessionId}/answers`, body),
})

const pullCalls = (get: Get, post: Post) => ({
  /** The open pull requests; with details also how many conversations wait on each, which takes longer. */
  pullRequests: (repositoryId: string, { details }: { readonly details: boolean }) =>
    get<PullRequestList>('/api/prs', { repository_id: repositoryId, details }),
  /** Pushes what a session landed and opens a pull request, or updates the one that there is. */
  createPullRequest: (sessionId: string, terms: PullRequestTerms = {}) =>
    post<PublishedPullRequest>(`/api/sessions/${sessionId}/pull-request`, terms),
  /** Lets agents vote; answers when they have. */
  votePullRequest: (body: VotesRequest) => post<VotesOutcome>('/api/prs/review', body),
})
