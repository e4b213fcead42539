import type { IssueCount, IssueSelection, IssuePage, IssueQuery } from '../../../loop/ports.ts'
import { IssueStatus } from '../../../model/issue/issue.ts'
import { Severity } from '../../../model/issue/severity.ts'
import type { Database } from '../tables/tables.ts'
import { formatCursor, parseCursor, type Cursor, badCursor, encodePlace, decodePlace } from './cursor.ts'
import { allOf, conditionsOf } from './issue-filter.ts'
import { readIssues } from './issue-rows.ts'
import { sql, type RawBuilder } from 'kysely'
import { z } from 'zod'
import type { IssueSort } from '../../../model/issue/issue-order.ts'
import { IssueId } from '../../../model/id.ts'

/**
 * One page, highest priority first. Each pair of status and severity is a range of one index, already in order;
 * reading the head of every range that is asked for and merging them costs the same for a thousand issues and a million.
 */
export async function readIssuePage(db: Database, query: IssueQuery): Promise<IssuePage> {
  const isRanked = query.sort === undefined || query.sort === 'priority'
  const places = isRanked ? await readRanked(db, query) : await readSortedPlaces(db, query)
  const page = places.slice(0, query.limit)
  const last = page.at(-1)
  const unreadable: string[] = []
  const issues = await readIssues(
    db.query,
    page.map((place) => place.id),
    (fault) => unreadable.push(fault.message),
  )
  const nextCursor = last && places.length > page.length ? last.cursor : null
  return { issues, nextCursor, ...(unreadable.length > 0 && { unreadable }) }
}

/** The places of one page and one more. */
async function readRanked(db: Database, query: IssueQuery) {
  const after = query.cursor === undefined ? null : parseCursor(query.cursor)
  const [first, ...rest] = ranges(query).map((range) => headOf(db, query, { ...range, after }))
  if (!first) return []
  const places = await rest
    .reduce((all, head) => all.unionAll(head), first)
    .orderBy('rank')
    .orderBy('id')
    .limit(query.limit + 1)
    .execute()
  return places.map((place) => ({ id: place.id, cursor: formatCursor(place as Cursor) }))
}

export async function countListed(db: Database, filter: IssueSelection): Promise<readonly IssueCount[]> {
  const { repositoryId, status, severity, ...rest } = filter
  const conditions = conditionsOf(rest)
  if (conditions.length === 0) return readTotals(db, filter)
  const rows = await db.query
    .selectFrom('issue')
    .select(({ fn }) => ['status', 'severity', fn.countAll().as('count')])
    .where('repository_id', '=', repositoryId)
    .$if(status !== undefined, (issue) => issue.where('status', 'in', status ?? []))
    .$if(severity !== undefined, (issue) => issue.where('severity', 'in', severity ?? []))
    .where(allOf(conditions))
    .groupBy(['status', 'severity'])
    .execute()
  return rows.map((row) => ({ status: row.status, severity: row.severity, count: Number(row.count) }))
}

/** Lists that only status and severity narrow are counted in advance, so that a million issues take no longer than one. */
async function readTotals(
  db: Database,
  { repositoryId, status, severity }: IssueSelection,
): Promise<readonly IssueCount[]> {
  const rows = await db.query
    .selectFrom('issue_total')
    .select(['status', 'severity', 'count'])
    .where('repository_id', '=', repositoryId)
    .where('count', '>', 0)
    .$if(status !== undefined, (total) => total.where('status', 'in', status ?? []))
    .$if(severity !== undefined, (total) => total.where('severity', 'in', severity ?? []))
    .execute()
  return rows.map((row) => ({ ...row, count: Number(row.count) }))
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
    .where('status', '=', status)
    .where('severity', '=', severity)
    .where(allOf(conditionsOf(query)))
    .$if(after !== null, (issue) =>
      issue.where((is) => is(is.refTuple('rank', 'id'), '>', is.tuple(after?.rank ?? 0, after?.id ?? ''))),
    )
    .orderBy('rank')
    .orderBy('id')
    .limit(query.limit + 1)
  // A limit inside a union has to stand in a query of its own.
  return db.query.selectFrom(head.as('head')).select(['rank', 'id'])
}

const inOrder = (column: 'status' | 'severity', words: readonly string[]): RawBuilder<number> =>
  sql<number>`case ${sql.ref(column)} ${sql.join(
    words.map((word, index) => sql`when ${sql.lit(word)} then ${sql.lit(index)}`),
    sql` `,
  )} else ${sql.lit(words.length)} end`

/** What each order compares; most urgent first, or in the order of the alphabet. */
const keys: Readonly<Record<Exclude<IssueSort, 'priority'>, RawBuilder<string | number>>> = {
  severity: inOrder('severity', Severity.options),
  status: inOrder('status', IssueStatus.options),
  title: sql<string>`search`,
  code: sql<string>`code`,
  file: sql<string>`coalesce(file, '')`,
  rule: sql<string>`coalesce(rule, '')`,
  created: sql<string>`created_at`,
}

const Place = z.tuple([z.string(), z.union([z.string(), z.number()]), IssueId])

interface SortedPlace {
  readonly id: string
  readonly key: string | number
}

/** The places of one page and one more, in an order that a person asked for. */
async function readSortedPlaces(db: Database, query: IssueQuery) {
  const { repositoryId, status, severity, cursor, limit, sort = 'code', ...filter } = query
  const isReversed = sort.startsWith('-')
  const name = (isReversed ? sort.slice(1) : sort) as IssueSort
  const key = name === 'priority' ? sql<number>`rank` : keys[name]
  const after = cursor === undefined ? null : placeOf(cursor, sort)
  const beyond = isReversed ? sql`<` : sql`>`
  const places = await db.query
    .selectFrom('issue')
    .select(['id', key.as('key')])
    .where('repository_id', '=', repositoryId)
    .$if(status !== undefined, (issue) => issue.where('status', 'in', status ?? []))
    .$if(severity !== undefined, (issue) => issue.where('severity', 'in', severity ?? []))
    .where(allOf(conditionsOf(filter)))
    .$if(after !== null, (issue) =>
      issue.where(sql<boolean>`(${key}, id) ${beyond} (${after?.key ?? ''}, ${after?.id ?? ''})`),
    )
    .orderBy('key', isReversed ? 'desc' : 'asc')
    .orderBy('id', isReversed ? 'desc' : 'asc')
    .limit(limit + 1)
    .execute()
  return places.map((place) => ({ id: place.id, cursor: encodePlace([sort, place.key, place.id]) }))
}

/** A cursor goes on only in the order that gave it. */
function placeOf(cursor: string, sort: string): SortedPlace {
  const place = Place.safeParse(decodePlace(cursor))
  if (!place.success || place.data[0] !== sort) throw badCursor()
  return { key: place.data[1], id: place.data[2] }
}
