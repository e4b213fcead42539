import type { IssueChoice } from '../../app/fix/choose-issues.ts'
import { issueSources, type Narrowing } from '../../app/fix/narrowing.ts'
import { Fault } from '../../model/fault.ts'
import { IssueStatus } from '../../model/issue/issue.ts'
import { Severity } from '../../model/issue/severity.ts'

/** The options that choose issues, as plan and fix take them. */
export interface ChooseOptions extends NarrowOptions {
  readonly codes: readonly string[]
  readonly all?: boolean
  readonly severity?: string
  readonly status?: string
  readonly base?: string
  readonly limit?: string
}

/** The options that narrow a list of issues. */
export interface NarrowOptions {
  readonly rule?: string
  readonly tool?: string
  readonly path?: string
  readonly source?: string
  readonly since?: string
}

export const narrowingOf = ({ rule, tool, path, source, since }: NarrowOptions): Narrowing => ({
  ...(rule !== undefined && { rule: splitWords(rule) }),
  ...(tool !== undefined && { tool: splitWords(tool) }),
  ...(path !== undefined && { path }),
  ...(source !== undefined && { source: readWords('--source', source, issueSources) }),
  ...(since !== undefined && { since: readSince(since, Date.now()) }),
})

const splitWords = (text: string): readonly string[] =>
  text
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean)

/** A day, a time, or how long ago: 2030-12-31, 36h, 7d. */
function readSince(text: string, nowMs: number): string {
  const [, count, unit] = /^(\d+)\s*([mhdw])$/i.exec(text.trim()) ?? []
  const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }[unit?.toLowerCase() ?? '']
  const at = unitMs === undefined ? Date.parse(text) : nowMs - Number(count) * unitMs
  if (!Number.isNaN(at)) return new Date(at).toISOString()
  throw new Fault(
    'usage',
    `--since ${text}: a day such as 2030-12-31, or how long ago such as 7d, is expected`,
  )
}

/** A whole number from 1 on; nothing when the flag is not given. */
function readLimit(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const limit = Number(text)
  if (Number.isInteger(limit) && limit > 0) return limit
  throw new Fault('usage', `--limit ${text}: a whole number from 1 on is expected`)
}

export const choiceOf = (options: ChooseOptions): IssueChoice => ({
  narrowing: narrowingOf(options),
  limit: readLimit(options.limit),
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
