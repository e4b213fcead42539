import type { SessionResult } from '../../model/session-result.ts'

const leastLanded = 5

export type IssueResult = SessionResult['results'][number]

/** Whether the sample's own tests stood against the fix. */
export const isRefusedByTests = ({ outcome, rounds }: IssueResult): boolean =>
  outcome === 'refused' && failingOutputOf(rounds) !== ''

/** What the tests printed against a fix; empty when they did not fail. */
export const failingOutputOf = (rounds: IssueResult['rounds']): string =>
  rounds
    .flatMap(({ verification }) => verification?.commands ?? [])
    .filter(({ status }) => status === 'failed')
    .map(({ output }) => output.trim())
    .join('\n')

/** Everything in which the demo went otherwise than intended: what makes it a check of the whole product. */
export function differencesOf(session: SessionResult, log: readonly string[]): readonly string[] {
  const landed = session.results.filter(({ outcome }) => outcome === 'fixed')
  const odd = session.results.filter(
    (issue) => issue.outcome !== 'fixed' && issue.outcome !== 'blocked' && !isRefusedByTests(issue),
  )
  return [
    ...(landed.length < leastLanded ? [`only ${landed.length} fixes landed, ${leastLanded} were expected`] : []),
    ...(landed.length === log.length ? [] : [`${landed.length} fixes landed with ${log.length} commits`]),
    ...(session.results.some(isRefusedByTests) ? [] : ['no fix was refused by the tests of the sample']),
    ...odd.map(({ issue_code, outcome, reason }) => `${issue_code} ended as ${outcome ?? 'not finished'}: ${reason ?? 'no reason'}`),
  ]
}
