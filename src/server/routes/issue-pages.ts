import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { hash } from 'node:crypto'
import type { Store } from '../../adapters/store/index.ts'
import type { IssueFacetCounts, IssueQuery } from '../../loop/ports.ts'
import type { IssueList, PropertyCounts } from '../../model/api/issues.ts'
import { cutFolders } from '../../model/issue/cut-folders.ts'
import type { IssueGrouping } from '../../model/issue/issue-order.ts'
import { NewestMap } from '../../model/newest-map.ts'
import type { ServerContext } from '../http/endpoint.ts'
import type { Serving } from '../serving/serving.ts'

/** Gives the answer that is kept for a question, or reads it anew when anybody has written anything since. */
export type KeptAnswers<Answer> = (question: unknown, read: () => Promise<Answer>) => Promise<Answer>

const mostKept = 500

export function createKeptAnswers<Answer>(store: Pick<Store, 'version'>): KeptAnswers<Answer> {
  const kept = new NewestMap<string, { readonly version: string; readonly answer: Answer }>(mostKept)
  return async (question, read) => {
    const key = JSON.stringify(question)
    const version = store.version()
    const known = kept.get(key)
    if (known?.version === version) return known.answer
    const answer = await read()
    kept.set(key, { version, answer })
    return answer
  }
}

export interface IssuePages {
  /** One page of issues. A page that did not change is not read again, nor sent to a client that has it. */
  answer(context: ServerContext, query: PageQuery): Promise<Response>
}

/** A page, and what is counted beside it. */
export interface PageQuery extends IssueQuery {
  readonly group?: IssueGrouping
  readonly facets: boolean
}

interface Page {
  readonly body: Buffer
  readonly etag: string
}

/** Pages of issues as text, kept for as long as nobody writes anything: lists are asked for much more often than changed. */
export function createIssuePages({
  store,
  findRepository,
}: Pick<Serving, 'store' | 'findRepository'>): IssuePages {
  const pages = createKeptAnswers<Page>(store)
  return {
    async answer(context, query) {
      const page = await pages(query, async () => {
        await findRepository(query.repositoryId)
        return readPage(store, query)
      })
      return send(context, page)
    },
  }
}

/** Written on the raw response: these pages are asked for most often, and bytes need no further work. */
function send({ req, env: { outgoing } }: ServerContext, { body, etag }: Page): Response {
  const isKnown = req.header('if-none-match') === etag
  outgoing.writeHead(isKnown ? 304 : 200, {
    'content-type': 'application/json',
    'cache-control': 'no-cache',
    etag,
    ...(!isKnown && { 'content-length': body.length }),
  })
  outgoing.end(isKnown ? undefined : body)
  return RESPONSE_ALREADY_SENT
}

const mostValues = 500

async function readPage(store: Store, { group, facets, ...query }: PageQuery): Promise<Page> {
  const { issues, nextCursor } = await store.issues.list(query)
  const list: IssueList = {
    schema: 'fixpoint.issues.v1',
    issues,
    next_cursor: nextCursor,
    ...(facets && { facets: mapValues(await store.issues.facets(query), query.path) }),
    ...(group && { groups: await store.issues.groups(query, group) }),
  }
  const body = Buffer.from(JSON.stringify(list))
  return { body, etag: `"${hash('sha256', body).slice(0, 32)}"` }
}

/** The most frequent values of each property: nobody reads thousands of them. */
const mapValues = (counts: IssueFacetCounts, path: string | undefined): PropertyCounts =>
  Object.fromEntries(
    Object.entries({ ...counts, folder: cutFolders(counts.folder, mostValues, path) }).map(
      ([facet, values]) => [facet, values.slice(0, mostValues)],
    ),
  ) as unknown as PropertyCounts
