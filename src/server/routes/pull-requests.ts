import { z } from 'zod'
import { requireTrusted } from '../../app/fix/require-trusted.ts'
import { createPullRequest } from '../../app/forge/create-pull-request.ts'
import { nameOnForge, openForge } from '../../app/forge/open-forge.ts'
import { reviewPullRequest } from '../../app/forge/review-pull-request.ts'
import {
  NewPullRequestRequest,
  PublishedPullRequest,
  PullRequestList,
  PullRequestTerms,
  VotesOutcome,
  VotesRequest,
} from '../../model/api/pull-requests.ts'
import type { Forge, PullRequest } from '../../loop/ports.ts'
import type { FaultCode } from '../../model/fault.ts'
import { RepositoryId, type SessionId } from '../../model/id.ts'
import { addEndpoint, type ServerApp } from '../http/endpoint.ts'
import { createVotesUnderWay, type VotesUnderWay } from '../serving/votes-under-way.ts'
import type { Serving } from '../serving/serving.ts'
import { ofSession } from './sessions.ts'

const forgeFaults = [
  'not_found',
  'not_trusted',
  'config_invalid',
  'branch_moved',
  'forge_auth',
  'forge_refused',
  'forge_missing',
  'forge_busy',
] as const satisfies readonly FaultCode[]
const sessionsLookedAt = 200

/** Nothing is pushed by itself: whoever asks here has the server's token. */
export function addPullRequestRoutes(app: ServerApp, serving: Serving, stopping: AbortSignal): void {
  const publish = async (id: SessionId, { base, title, draft }: PullRequestTerms) => {
    const { session } = await serving.findSession(id)
    return serving.withRepository(session.repository_id, async (opened) => {
      await requireTrusted(opened, { for: 'forge' })
      const options = { session: id, base, title, isDraft: draft }
      const { body: _body, title: _title, ...published } = await createPullRequest(opened, options)
      return { schema: 'fixpoint.pull-request.v1' as const, ...published }
    })
  }
  const published = { answers: PublishedPullRequest, faults: forgeFaults, status: 201 } as const
  addEndpoint(
    app,
    {
      ...published,
      access: { role: 'operator', reach: 'named' },
      method: 'post',
      path: '/api/sessions/{id}/pull-request',
      summary: 'Publish what a session landed as a pull request, or update the one that there is',
      params: ofSession,
      body: PullRequestTerms,
    },
    ({ params: { id }, body }) => publish(id, body),
  )
  addEndpoint(
    app,
    {
      ...published,
      access: { role: 'operator', reach: 'named' },
      method: 'post',
      path: '/api/prs',
      summary: 'The same, with the session named in the body',
      body: NewPullRequestRequest,
    },
    ({ body }) => publish(body.session_id, body),
  )
  const votes = createVotesUnderWay()
  addPullRequestList(app, serving, votes)
  addVotes(app, serving, { votes, stopping })
}

function addPullRequestList(app: ServerApp, serving: Serving, votes: VotesUnderWay): void {
  addEndpoint(
    app,
    {
      access: { role: 'viewer', reach: 'named' },
      method: 'get',
      path: '/api/prs',
      summary: 'The open pull requests of a repository; with details also what waits on each',
      query: z.object({
        repository_id: RepositoryId,
        details: z.stringbool().prefault('false'),
      }),
      answers: PullRequestList,
      faults: forgeFaults,
    },
    ({ query: { repository_id: id, details } }) =>
      serving.withRepository(id, async (opened) => {
        const { repository } = await nameOnForge(opened)
        if (repository === null) return { schema: 'fixpoint.pull-requests.v1', repository, pull_requests: [] }
        await requireTrusted(opened, { for: 'forge' })
        const { forge } = await openForge(opened)
        const sessions = await opened.store.sessions.list(opened.repository.id, sessionsLookedAt)
        const pulls = await forge.pulls.list(null)
        const kept = await opened.store.pullVotes.ofRepository(id)
        const threads = details ? await countThreads(forge, pulls) : null
        return {
          schema: 'fixpoint.pull-requests.v1',
          repository,
          pull_requests: pulls.map(({ number, url, title, author, branch, base, headSha, isDraft }) => ({
            number,
            url,
            title,
            author,
            branch,
            base,
            head_sha: headSha,
            draft: isDraft,
            session_id: sessions.find((one) => one.branch_made && one.branch === branch)?.id ?? null,
            voting: votes.has({ id, pull: number }),
            votes: kept.get(number) ?? null,
            ...(threads && { open_threads: threads.get(number) ?? null }),
          })),
        }
      }),
  )
}

/** So many pull requests are asked about, so many at a time: each is a request to the forge. */
const [mostAsked, askedAtOnce] = [60, 6]

/** The conversations of each pull request that are not resolved; one that cannot be read is left out. */
async function countThreads(
  { threads }: Pick<Forge, 'threads'>,
  pulls: readonly PullRequest[],
): Promise<ReadonlyMap<number, number>> {
  const counts = new Map<number, number>()
  const left = pulls.slice(0, mostAsked).map(({ number }) => number)
  const work = async (): Promise<void> => {
    for (let number = left.shift(); number !== undefined; number = left.shift()) {
      const found = await threads.list(number).catch(() => null)
      if (found) counts.set(number, found.filter(({ isResolved }) => !isResolved).length)
    }
  }
  await Promise.all(Array.from({ length: askedAtOnce }, work))
  return counts
}

interface VoteParts {
  readonly votes: VotesUnderWay
  readonly stopping: AbortSignal
}

function addVotes(app: ServerApp, serving: Serving, { votes, stopping }: VoteParts): void {
  addEndpoint(
    app,
    {
      access: { role: 'operator', reach: 'named' },
      method: 'post',
      path: '/api/prs/review',
      summary: 'Let agents vote on a pull request, none knowing of the others; answers when they have',
      body: VotesRequest,
      answers: VotesOutcome,
      faults: [...forgeFaults, 'agent_unavailable', 'sandbox_unavailable'],
    },
    ({ body }) =>
      serving.withRepository(body.repository_id, async (opened) => {
        await requireTrusted(opened, { for: 'forge' })
        const review = await votes.during({ id: body.repository_id, pull: body.pull_request }, () =>
          reviewPullRequest(opened, {
            pull: body.pull_request,
            isPosted: body.post,
            requireTrust: (voting, base) => requireTrusted(voting, { revisions: [base] }),
            signal: stopping,
            say: () => undefined,
          }),
        )
        return { schema: 'fixpoint.pr-review.v1', ...review }
      }),
  )
}
