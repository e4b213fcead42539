import type { SessionResult } from '../../model/session/session-result.ts'

const leastLanded = 5

type IssueResult = SessionResult['results'][number]

/** What the sample's tests printed against a refused fix; null when they were not what refused it. */
export function testsAgainst({ outcome, rounds }: IssueResult): string | null {
  const failed = rounds
    .flatMap(({ verification }) => verification?.commands ?? [])
    .filter(({ status, output }) => status === 'failed' && output.trim() !== '')
  return outcome === 'refused' ? (failed.at(-1)?.output ?? null) : null
}

/** Every way in which the demo did not go as intended, so that running it checks the whole product. */
export function differencesOf(
  { results }: Pick<SessionResult, 'results'>,
  log: readonly string[],
): readonly string[] {
  const landed = results.filter(({ outcome }) => outcome === 'fixed').length
  const refused = results.filter((issue) => testsAgainst(issue) !== null)
  const isExpected = (issue: IssueResult): boolean =>
    issue.outcome === 'fixed' || issue.outcome === 'needs_agent' || refused.includes(issue)
  return [
    ...(landed < leastLanded ? [`only ${landed} fixes landed, at least ${leastLanded} should have`] : []),
    ...(landed === log.length ? [] : [`${landed} fixes landed, but the branch has ${log.length} commits`]),
    ...(refused.length > 0 ? [] : ['no fix was refused by the tests of the sample']),
    ...results
      .filter((issue) => !isExpected(issue))
      .map(
        ({ issue_code, outcome, reason }) =>
          `${issue_code} ended as ${outcome ?? 'unfinished'}: ${reason ?? 'no reason'}`,
      ),
  ]
}
