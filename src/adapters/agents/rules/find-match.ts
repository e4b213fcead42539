import type { AgentTask } from '../../../model/agent/agent.ts'
import type { Match } from './scan.ts'

type Cited = Pick<AgentTask['issues'][number], 'line' | 'current_code'>

/** The match an issue is about: the cited code first, then the nearest line. Earlier fixes may have moved it. */
export function matchFor(matches: readonly Match[], issue: Cited): Match | null {
  const cited = issue.current_code ?? ''
  const distance = (match: Match): number => Math.abs(match.line - (issue.line ?? match.line))
  const ranked = matches.toSorted(
    (a, b) => Number(cited.includes(b.text)) - Number(cited.includes(a.text)) || distance(a) - distance(b),
  )
  return ranked[0] ?? null
}
