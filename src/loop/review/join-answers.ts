import type { WrittenFinding } from '../../model/issue/finding.ts'
import type { PartAnswer, Review, ReviewerResult } from '../../model/issue/review.ts'
import { addSpent, nothingSpent } from '../../model/attempt/spending.ts'

export interface JoinedAnswers {
  readonly result: ReviewerResult
  readonly findings: readonly WrittenFinding[]
}

/** Where nobody read anything, finding nothing means nothing. */
export function reviewStateOf(
  results: readonly ReviewerResult[],
  { isUnread }: { readonly isUnread: boolean },
): Review['state'] {
  if (results.every(({ state }) => state === 'failed')) return 'failed'
  if (isUnread) return 'partial'
  return results.every(({ state }) => state === 'complete') ? 'complete' : 'partial'
}

const namedFiles = 3

/** Some of the files; all of them stand in the coverage. */
const nameSome = (files: readonly string[]): string =>
  files.length <= namedFiles
    ? files.join(', ')
    : `${files.slice(0, namedFiles).join(', ')} and ${files.length - namedFiles} more`

/** Puts together what one reviewer said of its parts of the code. */
export function joinAnswers(agent: string, answers: readonly PartAnswer[]): JoinedAnswers {
  const failed = answers.flatMap((answer) => ('failed' in answer ? [answer] : []))
  const read = answers.flatMap((answer) => ('failed' in answer ? [] : [answer]))
  const coverages = read.flatMap(({ coverage }) => coverage ?? [])
  const skipped = [
    ...coverages.flatMap((coverage) => coverage.skipped),
    ...failed.flatMap(({ files, failed: why }) => files.map((file) => ({ file, why }))),
  ]
  const spent = answers.map((answer) => answer.spent).reduce(addSpent, nothingSpent)
  const partly = coverages.flatMap((coverage) => coverage.partly)
  const aside = coverages.flatMap((coverage) => coverage.aside ?? [])
  const suppressed = coverages.reduce((sum, coverage) => sum + (coverage.suppressed ?? 0), 0)
  const findings = read.flatMap((answer) => answer.findings)
  const reasons = [...new Set(failed.map(({ failed: why }) => why))]
  const left = Map.groupBy([...skipped, ...partly], ({ why }) => why)
  const told = [...left].map(([why, files]) => `${nameSome(files.map(({ file }) => file))} (${why})`)
  const notRead = told.length > 0 ? [`not read in full: ${told.join(', ')}`] : []
  const state = read.length === 0 ? 'failed' : reasons.length + notRead.length > 0 ? 'partial' : 'complete'
  return {
    result: {
      agent,
      state,
      reason: state === 'complete' ? null : (reasons.length > 0 ? reasons : notRead).join('; '),
      findings: findings.length,
      coverage:
        coverages.length === 0 && skipped.length === 0
          ? null
          : {
              reviewed: coverages.flatMap((coverage) => coverage.reviewed),
              partly,
              skipped,
              ...(aside.length > 0 && { aside }),
              ...(suppressed > 0 && { suppressed }),
            },
      ...(failed.length > 0 && { unanswered: failed.length }),
      tokens: spent.tokens,
      cost_usd: spent.usd,
    },
    findings,
  }
}
