import { sql } from 'kysely'
import type { IssueCensus, IssueFacetCounts, IssueSelection, IssueGroup } from '../../../loop/ports.ts'
import { issueFacets, type IssueFacet, type IssueGrouping } from '../../../model/issue/issue-order.ts'
import { Severity } from '../../../model/issue/severity.ts'
import type { Database } from '../tables/tables.ts'
import { allOf, conditionsOf } from './issue-filter.ts'

/** Issues that are alike in everything that is counted. */
interface Alike {
  readonly status: string
  readonly severity: string
  readonly code: string
  readonly rule: string | null
  readonly tools: string
  readonly source: string | null
  readonly folder: string | null
  readonly hour: string
  readonly count: number
}

/** Reads the index once for all properties; the choice of a property is left out only for the property's own counts. */
export async function countFacets(db: Database, filter: IssueSelection): Promise<IssueFacetCounts> {
  const { repositoryId, path, taskId, text } = filter
  const narrowed = conditionsOf({
    ...(path !== undefined && { path }),
    ...(taskId !== undefined && { taskId }),
    ...(text !== undefined && { text }),
  })
  const { rows } = await sql<Alike>`
    select status, severity, substr(code, 1, instr(code, '-') - 1) as code, rule, tools, source, folder,
      substr(created_at, 1, 13) as hour, count(*) as count
    from issue where repository_id = ${repositoryId} and ${allOf(narrowed)}
    group by 1, 2, 3, 4, 5, 6, 7, 8`.execute(db.query)
  const counted = new Map(issueFacets.map((facet) => [facet, new Map<string, number>()]))
  const isChosen = choiceOf(filter)
  for (const row of rows) {
    const missed = issueFacets.filter((facet) => !isChosen(facet, row))
    if (missed.length > 1) continue
    for (const facet of missed.length === 1 ? missed : issueFacets) {
      const counts = counted.get(facet) ?? new Map<string, number>()
      for (const value of valuesOf(facet, row, db.now()))
        counts.set(value, (counts.get(value) ?? 0) + Number(row.count))
    }
  }
  return Object.fromEntries(
    [...counted].map(([facet, counts]) => [
      facet,
      [...counts]
        .map(([value, count]) => ({ value, count }))
        .toSorted((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1)),
    ]),
  ) as unknown as IssueFacetCounts
}

const dayMs = 24 * 60 * 60_000
/** In the words in which a list is asked for what is no older. */
const ages = [1, 7, 30, 90] as const

function valuesOf(facet: IssueFacet, row: Alike, nowMs: number): readonly string[] {
  switch (facet) {
    case 'class':
      return [row.code]
    case 'tool':
      return row.tools.split('\n').filter(Boolean)
    case 'age':
      return ages.filter((days) => row.hour >= hourOf(nowMs - days * dayMs)).map((days) => `${days}d`)
    case 'status':
    case 'severity':
      return [row[facet]]
    case 'rule':
    case 'source':
    case 'folder':
      return [row[facet] ?? '']
  }
}

const hourOf = (ms: number): string => new Date(ms).toISOString().slice(0, 13)

/** Whether a row has what is chosen of a property; nothing chosen lets everything through. */
function choiceOf(filter: IssueSelection): (facet: IssueFacet, row: Alike) => boolean {
  const chosen: Readonly<Partial<Record<IssueFacet, ReadonlySet<string>>>> = {
    ...(filter.status && { status: new Set<string>(filter.status) }),
    ...(filter.severity && { severity: new Set<string>(filter.severity) }),
    ...(filter.class && { class: new Set<string>(filter.class) }),
    ...(filter.rule && { rule: new Set(filter.rule) }),
    ...(filter.tool && { tool: new Set(filter.tool) }),
    ...(filter.source && { source: new Set(filter.source) }),
  }
  const since = filter.since?.slice(0, 13)
  return (facet, row) => {
    if (facet === 'age') return since === undefined || row.hour >= since
    const wanted = chosen[facet]
    return wanted === undefined || valuesOf(facet, row, 0).some((value) => wanted.has(value))
  }
}

export async function takeCensus(db: Database, since: string): Promise<readonly IssueCensus[]> {
  const { rows } = await sql<IssueCensus>`
    select repository_id as "repositoryId", status,
      case when created_at >= ${since} then substr(created_at, 1, 10) end as day, count(*) as count
    from issue group by 1, 2, 3`.execute(db.query)
  return rows.map((row) => ({ ...row, count: Number(row.count) }))
}

const mostGroups = 1_000

export async function groupIssues(
  db: Database,
  { repositoryId, status, severity, ...filter }: IssueSelection,
  by: IssueGrouping,
): Promise<readonly IssueGroup[]> {
  const order = sql.join(
    Severity.options.map((word, index) => sql`when ${sql.lit(word)} then ${sql.lit(index)}`),
    sql` `,
  )
  const rows = await db.query
    .selectFrom('issue')
    .select(({ fn }) => [
      sql<string>`coalesce(${sql.ref(by)}, '')`.as('value'),
      fn.countAll().as('count'),
      sql<number>`min(case severity ${order} end)`.as('worst'),
    ])
    .where('repository_id', '=', repositoryId)
    .$if(status !== undefined, (issue) => issue.where('status', 'in', status ?? []))
    .$if(severity !== undefined, (issue) => issue.where('severity', 'in', severity ?? []))
    .where(allOf(conditionsOf(filter)))
    .groupBy('value')
    .orderBy('count', 'desc')
    .orderBy('value')
    .limit(mostGroups)
    .execute()
  return rows.map(({ value, count, worst }) => ({
    value,
    count: Number(count),
    severity: Severity.options[Number(worst)] ?? 'info',
  }))
}
