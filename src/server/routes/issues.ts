import { z } from 'zod'
import { changeIssue, changeIssues, findIssue } from '../serving/change-issue.ts'
import { readExcerpt } from '../serving/excerpt.ts'
import type { Serving } from '../serving/serving.ts'
import {
  BulkIssueChange,
  BulkIssueOutcome,
  CodeExcerpt,
  IssueChange,
  IssueFacets,
  IssueLedger,
  IssueList,
  IssueView,
} from '../../model/api/issues.ts'
import { IssueId, RepositoryId } from '../../model/id.ts'
import { allowedTransitions, IssueClass, IssueStatus, type Issue } from '../../model/issue/issue.ts'
import { Severity } from '../../model/issue/severity.ts'
import { issueGroupings, issueSorts } from '../../model/issue/issue-order.ts'
import { readSince } from '../../model/duration.ts'
import type { IssueSelection } from '../../loop/ports.ts'
import { addEndpoint, type ServerApp } from '../http/endpoint.ts'
import { createKeptAnswers, type IssuePages } from './issue-pages.ts'

/** Words separated by commas, in any case; none when it is empty. */
const words = <Known extends z.ZodType<string, string>>(known: Known) =>
  z
    .string()
    .transform((text) => text.toLowerCase().split(',').filter(Boolean))
    .pipe(z.array(known))
    .optional()

/** Names separated by commas, as they are. */
const names = z.string().transform((text) => text.split(','))

const filter = {
  status: words(IssueStatus),
  severity: words(Severity),
  class: z
    .string()
    .transform((text) => text.toUpperCase().split(',').filter(Boolean))
    .pipe(z.array(IssueClass))
    .optional(),
  /** Empty for issues without one. */
  rule: names.optional(),
  /** Flagged by any of these. */
  tool: names.optional(),
  source: names.optional(),
  /** A file, a folder, or a pattern with stars. */
  path: z.string().max(1_000).optional(),
  /** A day such as 2030-12-31, or an age such as 7d. */
  since: z.string().max(40).optional(),
  task_id: z.string().optional(),
  q: z.string().max(500).optional(),
}
const pageQuery = z.object({
  ...filter,
  sort: z.enum([...issueSorts, ...issueSorts.map((sort) => `-${sort}` as const)]).optional(),
  group: z.enum(issueGroupings).optional(),
  facets: z.enum(['true', 'false']).optional(),
  cursor: z.string().optional(),
  limit: z.coerce.number().int().min(1).max(500).default(50),
})
const ofIssue = z.object({ id: IssueId })
const path = '/api/fix/issues'

export function addIssueRoutes(app: ServerApp, serving: Serving, pages: IssuePages): void {
  const { store } = serving
  addEndpoint(
    app,
    {
      access: { role: 'operator', reach: 'named' },
      method: 'post',
      path: `${path}/bulk`,
      summary: 'Move several issues; each is changed or refused for itself',
      body: BulkIssueChange,
      answers: BulkIssueOutcome,
    },
    ({ body }) => changeIssues(store.issues, body),
  )
  addEndpoint(
    app,
    {
      access: { role: 'viewer', reach: 'named' },
      method: 'get',
      path: `${path}/{id}`,
      summary:
        'With the id of a repository (rep_…) its issues, most urgent first; with that of an issue (iss_…) that one',
      params: z.object({ id: z.union([RepositoryId, IssueId]) }),
      query: pageQuery,
      answers: z.union([IssueList, IssueView]),
    },
    async ({ params: { id }, query, context }) => {
      if (id.startsWith('iss_')) return viewOf(await findIssue(store.issues, id))
      const repository = RepositoryId.parse(id)
      return pages.answer(context, { repositoryId: repository, ...queryOf(query) })
    },
  )
  addEndpoint(
    app,
    {
      access: { role: 'operator', reach: 'named' },
      method: 'patch',
      path: `${path}/{id}`,
      summary: 'Move one issue: ignore, reopen, resolve by hand, mark as a duplicate',
      params: ofIssue,
      body: IssueChange,
      answers: IssueView,
    },
    async ({ params: { id }, body }) => viewOf(await changeIssue(store.issues, id, body)),
  )
  addFacets(app, serving)
  addIssueReadings(app, serving)
}

function addFacets(app: ServerApp, serving: Serving): void {
  const { store } = serving
  // Counting looks at every issue, so the answers are kept.
  const facets = createKeptAnswers<IssueFacets>(store)
  addEndpoint(
    app,
    {
      access: { role: 'viewer', reach: 'named' },
      method: 'get',
      path: `${path}/{id}/facets`,
      summary: 'How many issues of a repository there are of each status and severity',
      params: z.object({ id: RepositoryId }),
      query: z.object({ class: filter.class, task_id: filter.task_id, q: filter.q }),
      answers: IssueFacets,
    },
    ({ params: { id }, query: { class: classes, task_id: taskId, q: text } }) => {
      const query = {
        repositoryId: id,
        ...(classes && classes.length > 0 && { class: classes }),
        ...(taskId !== undefined && { taskId }),
        ...(text !== undefined && { text }),
      }
      return facets(query, async () => {
        await serving.findRepository(id)
        return facetsOf(await store.issues.count(query))
      })
    },
  )
}

function addIssueReadings(app: ServerApp, serving: Serving): void {
  const { store } = serving
  addEndpoint(
    app,
    {
      access: { role: 'viewer', reach: 'named' },
      method: 'get',
      path: `${path}/{id}/ledger`,
      summary: 'Everything that ever happened to an issue',
      params: ofIssue,
      answers: IssueLedger,
    },
    async ({ params: { id } }) => {
      const issue = await findIssue(store.issues, id)
      const named = [issue.duplicate_of, issue.regression_of, ...issue.depends_on].filter(
        (one) => one !== null,
      )
      const related = (await store.issues.get(named)).map(({ id: of, code, title, status }) => ({
        id: of,
        code,
        title,
        status,
      }))
      const ledger = await store.reviews.ledger(issue.id)
      return { schema: 'fixpoint.ledger.v1', issue_id: issue.id, ...ledger, related }
    },
  )
  addEndpoint(
    app,
    {
      access: { role: 'viewer', reach: 'named' },
      method: 'get',
      path: `${path}/{id}/code`,
      summary: 'The code around an issue, as a session would find it',
      params: ofIssue,
      answers: CodeExcerpt,
    },
    async ({ params: { id } }) => {
      const issue = await findIssue(store.issues, id)
      return serving.withRepository(issue.repository_id, (opened) => readExcerpt(opened, issue))
    },
  )
}

const viewOf = (issue: Issue): IssueView => ({
  ...issue,
  allowed_transitions: allowedTransitions(issue.status, 'person'),
})

function queryOf({ sort, group, facets, cursor, limit, ...rest }: z.output<typeof pageQuery>) {
  return {
    ...filterOf(rest),
    limit,
    ...(sort !== undefined && { sort }),
    ...(cursor !== undefined && { cursor }),
    ...(group !== undefined && { group }),
    facets: facets === 'true',
  }
}

function filterOf(given: Omit<z.output<typeof pageQuery>, 'limit'>): Omit<IssueSelection, 'repositoryId'> {
  const {
    status,
    severity,
    class: classes,
    rule,
    tool,
    source,
    path: where,
    since,
    task_id: taskId,
    q,
  } = given
  return {
    ...(status && status.length > 0 && { status }),
    ...(severity && severity.length > 0 && { severity }),
    ...(classes && classes.length > 0 && { class: classes }),
    ...(rule && { rule }),
    ...(tool && { tool }),
    ...(source && { source }),
    ...(where !== undefined && where !== '' && { path: where }),
    ...(since !== undefined && since !== '' && { since: readSince(since, Date.now()) }),
    ...(taskId !== undefined && { taskId }),
    ...(q !== undefined && q !== '' && { text: q }),
  }
}

function facetsOf(pairs: Awaited<ReturnType<Serving['store']['issues']['count']>>): IssueFacets {
  const sum = (counts: typeof pairs): number => counts.reduce((total, { count }) => total + count, 0)
  const by = <Word extends string>(known: readonly Word[], of: (pair: (typeof pairs)[number]) => Word) =>
    Object.fromEntries(known.map((word) => [word, sum(pairs.filter((pair) => of(pair) === word))])) as Record<
      Word,
      number
    >
  return {
    schema: 'fixpoint.facets.v1',
    total: sum(pairs),
    status: by(IssueStatus.options, ({ status }) => status),
    severity: by(Severity.options, ({ severity }) => severity),
    pairs,
  }
}
