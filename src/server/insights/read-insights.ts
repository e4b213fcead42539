import type { IssueReader, SessionHeadQuery } from '../../loop/ports.ts'
import type { Insights } from '../../model/api/system.ts'
import { Fault } from '../../model/fault.ts'
import { IssueId, type RepositoryId } from '../../model/id.ts'
import { attemptsBehind, insightBars, insightsOf, type InsightParts, type SessionEnds } from './insights.ts'
import { openByDay } from './open-by-day.ts'

const sessionsCounted = 5_000

export interface InsightQuery {
  readonly repositoryId: RepositoryId
  /** The first and the last day that count. */
  readonly first: string
  readonly last: string
  /** A figure and one of its values, such as `outcomes:refused`. */
  readonly behind?: string | undefined
}

/** Where the figures are read from. */
export interface InsightSources {
  readonly issues: Pick<IssueReader, 'get' | 'histories'>
  /** Sessions as far as figures need them, the newest first. */
  readonly digests: {
    list(query: SessionHeadQuery): Promise<readonly { readonly ends: SessionEnds }[]>
  }
}

/** What the sessions between two days came to, and how many issues stood open then. */
export async function readInsights(
  { issues, digests }: InsightSources,
  { repositoryId, first, last, behind }: InsightQuery,
): Promise<Insights> {
  const all = (await digests.list({ repositoryId, limit: sessionsCounted })).map(({ ends }) => ends)
  const isMeant = ({ day }: { readonly day: string }): boolean => day >= first && day <= last
  const sessions = all.filter(isMeant)
  const ids = new Set(sessions.flatMap(({ ends }) => ends).map(({ issueId }) => IssueId.parse(issueId)))
  const parts = { sessions, issues: await issues.get([...ids]) }
  return {
    ...insightsOf(parts),
    open_by_day: openByDay(await issues.histories(repositoryId), all).filter(isMeant),
    ...(behind !== undefined && { behind: behindOf(parts, behind) }),
  }
}

function behindOf(parts: InsightParts, asked: string): NonNullable<Insights['behind']> {
  const at = asked.indexOf(':')
  const bar = insightBars.find((name) => name === asked.slice(0, at))
  if (bar) return attemptsBehind(parts, bar, asked.slice(at + 1))
  throw new Fault('usage', `"${asked}" names no figure`, {
    hint: `Give one of ${insightBars.join(', ')} and a value, such as outcomes:refused.`,
  })
}
