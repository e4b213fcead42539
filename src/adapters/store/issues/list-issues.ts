import { sql } from 'kysely'
import type { IssueCount, IssuePage, IssueQuery } from '../../../loop/ports.ts'
import { IssueStatus } from '../../../model/issue/issue.ts'
import { Severity } from '../../../model/issue/severity.ts'
import type { Database } from '../tables/tables.ts'
import { readIssues, searchable } from './issue-rows.ts'
import { z } from 'zod'
import { Fault } from '../../../model/fault.ts'
import { IssueId } from '../../../model/id.ts'

/**
 * One page, highest priority first. Each pair of status and severity is a range of one index, already in order;
 * reading the head of every range that is asked for and merging them costs the same for a thousand issues and a million.
 */
export async function readIssuePage(db: Database, query: IssueQuery): Promise<IssuePage> {
  const after = query.cursor === undefined ? null : parseCursor(query.cursor)
  const [first, ...rest] = ranges(query).map((range) => headOf(db, query, { ...range, after }))
  if (!first) return { issues: [], nextCursor: null }
  const places = await rest
    .reduce((all, head) => all.unionAll(head), first)
    .orderBy('rank')
    .orderBy('id')
    .limit(query.limit + 1)
    .execute()
  const page = places.slice(0, query.limit)
  const last = page.at(-1)
  const unreadable: string[] = []
  const issues = await readIssues(
    db.query,
    page.map((place) => place.id),
    (fault) => unreadable.push(fault.message),
  )
  const nextCursor = last && places.length > page.length ? formatCursor(last as Cursor) : null
  return { issues, nextCursor, ...(unreadable.length > 0 && { unreadable }) }
}

export async function countListed(
  db: Database,
  query: Pick<IssueQuery, 'repositoryId' | 'class' | 'taskId' | 'text'>,
): Promise<readonly IssueCount[]> {
  const rows = await db.query
    .selectFrom('issue')
    .select(({ fn }) => ['status', 'severity', fn.countAll().as('count')])
    .where('repository_id', '=', query.repositoryId)
    .$if(query.taskId !== undefined, (issue) => issue.where('task_id', '=', query.taskId ?? null))
    .$if(query.class !== undefined, (issue) => issue.where(isOfClass(query.class ?? [])))
    .$if(Boolean(query.text), (issue) => issue.where(contains(query.text ?? '')))
    .groupBy(['status', 'severity'])
    .execute()
  return rows.map(({ status, severity, count }) => ({ status, severity, count: Number(count) }))
}

interface Range {
  readonly status: IssueStatus
  readonly severity: Severity
}

function ranges(query: IssueQuery): readonly Range[] {
  const statuses = new Set(query.status ?? IssueStatus.options)
  const severities = [...new Set(query.severity ?? Severity.options)]
  return [...statuses].flatMap((status) => severities.map((severity) => ({ status, severity })))
}

/** The places of a range's first issues behind the cursor. */
function headOf(
  db: Database,
  query: IssueQuery,
  { status, severity, after }: Range & { readonly after: Cursor | null },
) {
  const head = db.query
    .selectFrom('issue')
    .select(['rank', 'id'])
    .where('repository_id', '=', query.repositoryId)
    .$if(query.taskId !== undefined, (issue) => issue.where('task_id', '=', query.taskId ?? null))
    .where('status', '=', status)
    .where('severity', '=', severity)
    .$if(query.class !== undefined, (issue) => issue.where(isOfClass(query.class ?? [])))
    .$if(Boolean(query.text), (issue) => issue.where(contains(query.text ?? '')))
    .$if(after !== null, (issue) =>
      issue.where((is) => is(is.refTuple('rank', 'id'), '>', is.tuple(after?.rank ?? 0, after?.id ?? ''))),
    )
    .orderBy('rank')
    .orderBy('id')
    .limit(query.limit + 1)
  // A limit inside a union has to stand in a query of its own.
  return db.query.selectFrom(head.as('head')).select(['rank', 'id'])
}

/** A code begins with its class. */
const isOfClass = (classes: NonNullable<IssueQuery['class']>) =>
  sql<boolean>`(${sql.join(
    classes.map((name) => sql`code like ${`${name}-%`}`),
    sql` or `,
  )})`

const contains = (text: string) => sql<boolean>`instr(search, ${searchable(text)}) > 0`

const Place = z.tuple([z.number(), IssueId])

/** Where a page ended. */
export interface Cursor {
  readonly rank: number
  readonly id: IssueId
}

export const formatCursor = ({ rank, id }: Cursor): string =>
  Buffer.from(JSON.stringify([rank, id])).toString('base64url')

function parseCursor(text: string): Cursor {
  const place = Place.safeParse(jsonOf(Buffer.from(text, 'base64url').toString()))
  if (place.success) return { rank: place.data[0], id: place.data[1] }
  throw new Fault('input_invalid', 'The cursor is not one that a list of issues gave', {
    hint: 'Leave it out to start with the first page.',
  })
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
