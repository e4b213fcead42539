import { sql, type RawBuilder } from 'kysely'
import { z } from 'zod'
import type { IssueQuery } from '../../../loop/ports.ts'
import type { IssueSort } from '../../../model/issue/issue-order.ts'
import { IssueStatus } from '../../../model/issue/issue.ts'
import { Severity } from '../../../model/issue/severity.ts'
import { IssueId } from '../../../model/id.ts'
import type { Database } from '../tables/tables.ts'
import { badCursor, encodePlace, decodePlace } from './cursor.ts'
import { allOf, conditionsOf } from './issue-filter.ts'

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
export async function readSortedPlaces(db: Database, query: IssueQuery) {
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
