import type { IssueChoice } from '../../app/fix/choose-issues.ts'
import { Fault } from '../../model/fault.ts'
import { IssueStatus } from '../../model/issue/issue.ts'
import { Severity } from '../../model/issue/severity.ts'

/** The options that choose issues, as plan and fix take them. */
export interface ChooseOptions {
  readonly codes: readonly string[]
  readonly all?: boolean
  readonly severity?: string
  readonly status?: string
  readonly base?: string
}

export const choiceOf = (options: ChooseOptions): IssueChoice => ({
  codes: options.codes,
  all: options.all ?? false,
  severities: readSeverities(options.severity),
  statuses: readStatuses(options.status),
})

export const readSeverities = (text: string | undefined): readonly Severity[] =>
  readWords('--severity', text, Severity.options)

export const readStatuses = (text: string | undefined): readonly IssueStatus[] =>
  readWords('--status', text, IssueStatus.options)

/** A comma-separated list of known words, in any case. */
function readWords<Word extends string>(
  flag: string,
  text: string | undefined,
  known: readonly Word[],
): readonly Word[] {
  const words = (text ?? '').split(',').map((word) => word.trim().toLowerCase())
  return words.filter(Boolean).map((word) => {
    const found = known.find((candidate) => candidate === word)
    if (found) return found
    throw new Fault('usage', `${flag} ${word}: one or more of ${known.join(', ')} are expected`)
  })
}
