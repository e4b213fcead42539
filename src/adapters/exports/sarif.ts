import { gzipSync } from 'node:zlib'
import type { Log, ReportingDescriptor, Run } from 'sarif'
import type { Issue } from '../../model/issue/issue.ts'
import { stillThere, type ExportWriter } from './export-format.ts'
import { pageOf } from './issue-text.ts'
import { levels, sortingOf, toResult, type SarifOptions } from './sarif-result.ts'

/** What GitHub's code scanning takes of one run. */
const maxResults = 25_000
/** What it takes of one upload. */
const maxUploadBytes = 10_000_000
const maxRuns = 20
/** This many issues always compress to less than that, whatever they say. */
const certainlyFits = 50_000
const maxRuleText = 1_000

export const sarif: ExportWriter = {
  suits: stillThere,
  write: async (issues, { version, newestReview, readFixes }) =>
    toSarif(issues, { version, newestReview: await newestReview(), fixes: await readFixes(issues) }),
  warningsOf(issues, document) {
    const isTooMany = Math.ceil(issues.length / maxResults) > maxRuns
    const isTooLarge =
      issues.length > certainlyFits && gzipSync(JSON.stringify(document)).length > maxUploadBytes
    return isTooMany || isTooLarge
      ? ['this is more than GitHub code scanning takes in one upload; choose fewer with --status']
      : []
  },
}

/** Issues as SARIF 2.1.0, which `fixpoint import` and code hosts can read; more than one run only where there are too many. */
export function toSarif(issues: readonly Issue[], options: SarifOptions): Log {
  const parts = Math.max(1, Math.ceil(issues.length / maxResults))
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: Array.from({ length: parts }, (_, part) =>
      toRun(issues.slice(part * maxResults, (part + 1) * maxResults), part, options),
    ),
  }
}

function toRun(issues: readonly Issue[], part: number, options: SarifOptions): Run {
  const rules = rulesOf(issues)
  const ruleIndex = new Map(rules.map((rule, index) => [rule.id, index]))
  const occurrences = new Map<string, number>()
  return {
    tool: { driver: { name: 'fixpoint', semanticVersion: options.version, rules } },
    // Code hosts tell runs of one tool apart by this name.
    automationDetails: { id: part === 0 ? 'fixpoint/' : `fixpoint-${part + 1}/` },
    columnKind: 'utf16CodeUnits',
    results: issues.map((issue) => {
      const occurrence = (occurrences.get(issue.fingerprint) ?? 0) + 1
      occurrences.set(issue.fingerprint, occurrence)
      return toResult(issue, { ...options, ruleIndex, occurrence })
    }),
  }
}

/** Each rule once, as the first of its issues has it. */
function rulesOf(issues: readonly Issue[]): ReportingDescriptor[] {
  const rules = new Map<string, ReportingDescriptor>()
  for (const issue of issues) {
    if (issue.rule === null || rules.has(issue.rule)) continue
    const page = pageOf(issue)
    rules.set(issue.rule, {
      id: issue.rule,
      shortDescription: { text: issue.title.slice(0, maxRuleText) },
      ...(page !== undefined && URL.canParse(page) && { helpUri: page }),
      defaultConfiguration: { level: levels[issue.severity] },
      properties: sortingOf(issue),
    })
  }
  return [...rules.values()]
}
