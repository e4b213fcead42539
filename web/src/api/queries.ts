import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { InsightRange, IssueFilter } from '../../../src/client/index.ts'
import { api } from './client.ts'

/** Every query of the API with its key. Keys begin with the noun, so that a change can invalidate everything about it. */
export const personQuery = queryOptions({
  queryKey: ['person'],
  queryFn: () => api.whoAmI(),
  staleTime: Infinity,
  retry: false,
})

export const repositoriesQuery = queryOptions({
  queryKey: ['repositories'],
  queryFn: () => api.repositories(),
})

export const repositoryQuery = (id: string) =>
  queryOptions({ queryKey: ['repositories', id], queryFn: () => api.repository(id) })

/** The first page is small, so that it is there at once; a person who scrolls gets more rows at a time. */
const [firstPage, nextPages] = [100, 500]

export const issuesQuery = (repositoryId: string, filter: IssueFilter, sort?: string) =>
  infiniteQueryOptions({
    queryKey: ['issues', repositoryId, filter, sort ?? ''],
    queryFn: ({ pageParam, signal }) =>
      api.issues(
        repositoryId,
        {
          ...filter,
          ...(sort !== undefined && { sort }),
          ...(pageParam === '' ? { limit: firstPage } : { limit: nextPages, cursor: pageParam }),
        },
        signal,
      ),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
    placeholderData: keepPreviousData,
    // Thousands of rows may be loaded, so they are read again when something changed, and not at every look at the window.
    refetchOnWindowFocus: false,
    // A comparison of all loaded rows with each new page would take longer than loading them.
    structuralSharing: false,
    staleTime: 30_000,
  })

/** How many issues each filter would show, and on request the groups of the shown issues. */
export const countsQuery = (repositoryId: string, filter: IssueFilter, group?: string) =>
  queryOptions({
    queryKey: ['facets', repositoryId, filter, group ?? ''],
    queryFn: ({ signal }) =>
      api.issues(
        repositoryId,
        { ...filter, limit: 1, facets: true, ...(group !== undefined && { group }) },
        signal,
      ),
    placeholderData: keepPreviousData,
  })

export const issueQuery = (id: string) =>
  queryOptions({ queryKey: ['issue', id], queryFn: () => api.issue(id) })
export const ledgerQuery = (id: string) =>
  queryOptions({ queryKey: ['ledger', id], queryFn: () => api.ledger(id) })
export const codeQuery = (id: string) =>
  queryOptions({ queryKey: ['code', id], queryFn: () => api.code(id), staleTime: 60_000 })

const sessionsPerPage = 100

export const sessionsQuery = (repositoryId: string) =>
  infiniteQueryOptions({
    queryKey: ['sessions', repositoryId],
    queryFn: ({ pageParam }) =>
      api.sessions({
        repository_id: repositoryId,
        limit: sessionsPerPage,
        ...(pageParam !== '' && { cursor: pageParam }),
      }),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
  })
/** The process that drives a session can end without an event, so the session is read again until it is over. */
export const sessionQuery = (id: string) =>
  queryOptions({
    queryKey: ['session', id],
    queryFn: () => api.session(id),
    refetchInterval: ({ state }) => (state.data?.ended_at === null ? 15_000 : false),
  })
export const attemptsQuery = (id: string) =>
  queryOptions({ queryKey: ['session', id, 'attempts'], queryFn: () => api.attempts(id) })
export const reportQuery = (id: string) =>
  queryOptions({ queryKey: ['session', id, 'report'], queryFn: () => api.report(id) })
/** The times of a running session are read again only now and then, because the server goes through all of its events. */
export const timingQuery = (id: string) =>
  queryOptions({
    queryKey: ['timing', id],
    queryFn: () => api.timing(id),
    refetchInterval: ({ state }) => (state.data?.store_ms === null ? 3_000 : false),
  })
export const diffQuery = (id: string, code?: string) =>
  queryOptions({ queryKey: ['session', id, 'diff', code ?? ''], queryFn: () => api.diff(id, code) })

export const approvalsQuery = (repositoryId: string) =>
  queryOptions({
    queryKey: ['approvals', repositoryId],
    queryFn: () => api.approvals(repositoryId),
  })

export const overviewQuery = queryOptions({ queryKey: ['overview'], queryFn: () => api.overview() })

export const workersQuery = queryOptions({
  queryKey: ['workers'],
  queryFn: () => api.workers(),
  staleTime: 60_000,
})

/** Each read asks the forge, so this is read only when somebody looks. */
export const pullsQuery = (repositoryId: string, how: 'plain' | 'detailed' = 'plain') =>
  queryOptions({
    queryKey: ['pulls', repositoryId, ...(how === 'detailed' ? [how] : [])],
    queryFn: () => api.pullRequests(repositoryId, { details: how === 'detailed' }),
    refetchInterval: ({ state }) => (state.data?.pull_requests.some(({ voting }) => voting) ? 10_000 : false),
    refetchOnWindowFocus: false,
  })

/** The names of the kept artifacts of a session; more of them come while it runs. */
export const artifactsQuery = (id: string) =>
  queryOptions({
    queryKey: ['session', id, 'artifacts'],
    queryFn: () => api.artifacts(id),
    // Links into a bucket hold for five minutes, and a page stays open for longer.
    refetchInterval: ({ state }) => (state.data?.links ? 240_000 : false),
  })
export const artifactQuery = (id: string, name: string) =>
  queryOptions({
    queryKey: ['session', id, 'artifact', name],
    queryFn: () => api.artifact(id, name),
    staleTime: Infinity,
  })

export const insightsQuery = (repositoryId: string, range: InsightRange) =>
  queryOptions({
    queryKey: ['insights', repositoryId, range],
    queryFn: () => api.insights(repositoryId, range),
    placeholderData: keepPreviousData,
  })
export const agentsQuery = (repositoryId: string) =>
  queryOptions({ queryKey: ['agents', repositoryId], queryFn: () => api.agents(repositoryId) })
export const configQuery = (repositoryId: string) =>
  queryOptions({ queryKey: ['config', repositoryId], queryFn: () => api.config(repositoryId) })
export const doctorQuery = (repositoryId: string) =>
  queryOptions({
    queryKey: ['doctor', repositoryId],
    queryFn: () => api.doctor(repositoryId),
    staleTime: 60_000,
  })
export const reviewsQuery = (repositoryId: string) =>
  queryOptions({ queryKey: ['reviews', repositoryId], queryFn: () => api.reviews(repositoryId) })
