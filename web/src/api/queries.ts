import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { IssueFilter } from '../../../src/client/index.ts'
import { api } from './client.ts'

/** Every query of the API with its key. Keys begin with the noun, so that a change can invalidate all that is about it. */
export const repositoriesQuery = queryOptions({
  queryKey: ['repositories'],
  queryFn: () => api.repositories(),
})

export const repositoryQuery = (id: string) =>
  queryOptions({ queryKey: ['repositories', id], queryFn: () => api.repository(id) })

/** The first page is small, so that it is there at once; whoever scrolls gets more at a time. */
const [firstPage, nextPages] = [100, 500]

export const issuesQuery = (repositoryId: string, filter: IssueFilter) =>
  infiniteQueryOptions({
    queryKey: ['issues', repositoryId, filter],
    queryFn: ({ pageParam, signal }) =>
      api.issues(
        repositoryId,
        pageParam === ''
          ? { ...filter, limit: firstPage }
          : { ...filter, limit: nextPages, cursor: pageParam },
        signal,
      ),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
    placeholderData: keepPreviousData,
    // Thousands of rows may be loaded: they are read again when something changed, not whenever the window is looked at.
    refetchOnWindowFocus: false,
    // Comparing all that is loaded with each new page would take longer than loading it.
    structuralSharing: false,
    staleTime: 30_000,
  })

export const facetsQuery = (repositoryId: string, filter: Pick<IssueFilter, 'class' | 'q'>) =>
  queryOptions({
    queryKey: ['facets', repositoryId, filter],
    queryFn: ({ signal }) => api.facets(repositoryId, filter, signal),
    placeholderData: keepPreviousData,
  })

export const issueQuery = (id: string) =>
  queryOptions({ queryKey: ['issue', id], queryFn: () => api.issue(id) })
export const ledgerQuery = (id: string) =>
  queryOptions({ queryKey: ['ledger', id], queryFn: () => api.ledger(id) })
export const codeQuery = (id: string) =>
  queryOptions({ queryKey: ['code', id], queryFn: () => api.code(id), staleTime: 60_000 })

export const sessionsQuery = (repositoryId: string) =>
  queryOptions({
    queryKey: ['sessions', repositoryId],
    queryFn: () => api.sessions({ repository_id: repositoryId }),
    refetchInterval: 5_000,
  })
/** The process that drives a session can end without an event, so the session is read again until it is over. */
export const sessionQuery = (id: string) =>
  queryOptions({
    queryKey: ['session', id],
    queryFn: () => api.session(id),
    refetchInterval: ({ state }) => (state.data?.ended_at === null ? 5_000 : false),
  })
export const attemptsQuery = (id: string) =>
  queryOptions({ queryKey: ['session', id, 'attempts'], queryFn: () => api.attempts(id) })
export const reportQuery = (id: string) =>
  queryOptions({ queryKey: ['session', id, 'report'], queryFn: () => api.report(id) })
export const diffQuery = (id: string, code?: string) =>
  queryOptions({ queryKey: ['session', id, 'diff', code ?? ''], queryFn: () => api.diff(id, code) })

export const approvalsQuery = (repositoryId: string) =>
  queryOptions({
    queryKey: ['approvals', repositoryId],
    queryFn: () => api.approvals(repositoryId),
    refetchInterval: 5_000,
  })

export const insightsQuery = (repositoryId: string) =>
  queryOptions({ queryKey: ['insights', repositoryId], queryFn: () => api.insights(repositoryId) })
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
