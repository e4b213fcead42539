import { gzipSync } from 'node:zlib'
import type { Log, ReportingDescriptor, Run } from 'sarif'
import type { Issue } from '../../model/issue/issue.ts'
import { stillThere, type ExportWriter, type RuleText } from './export-format.ts'
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
  write: async (issues, { version, newestReview, readFixes, readRules }) =>
    toSarif(issues, {
      version,
      newestReview: await newestReview(),
      fixes: await readFixes(issues),
      rules: await readRules(),
    }),
  limitOf(issues, count = issues.length) {
    if (count > maxRuns * maxResults)
      return `${count} issues are more than the ${maxRuns * maxResults} that GitHub code scanning takes in one upload; choose fewer with --status`
    return count > certainlyFits && uploadBytes(issues, count) > maxUploadBytes
      ? 'this is more than GitHub code scanning takes in one upload; choose fewer with --status'
      : null
  },
}

/** How large the upload will be about: as large as some issues from all over, times as many as they stand for. */
function uploadBytes(issues: readonly Issue[], count: number): number {
  const chosen = issues.length > samples * sampleSize ? spread(issues) : issues
  const sample = gzipSync(JSON.stringify(toSarif(chosen, { version: '0.0.0', newestReview: null })))
  return (sample.length * count) / chosen.length
}

const spread = (issues: readonly Issue[]): readonly Issue[] =>
  Array.from({ length: samples }, (_, index) => {
    const from = Math.floor((index * issues.length) / samples)
    return issues.slice(from, from + sampleSize)
  }).flat()

const samples = 20
const sampleSize = 500

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
  const rules = rulesOf(issues, options.rules)
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

/** Each rule once, as it describes itself, or else as the first of its issues has it. */
function rulesOf(
  issues: readonly Issue[],
  known: ReadonlyMap<string, RuleText> = new Map(),
): ReportingDescriptor[] {
  const rules = new Map<string, ReportingDescriptor>()
  for (const issue of issues) {
    if (issue.rule === null || rules.has(issue.rule)) continue
    const text = known.get(issue.rule)
    const page = pageOf(issue) ?? pageOf({ references: [...(text?.references ?? [])] })
    const why = (text?.why ?? issue.description).slice(0, maxRuleText) || issue.title
    const help = [why, text?.advice && `What to do: ${text.advice}.`, page].filter(Boolean).join('\n\n')
    rules.set(issue.rule, {
      id: issue.rule,
      shortDescription: { text: issue.title.slice(0, maxRuleText) },
      fullDescription: { text: why },
      help: { text: help },
      ...(page !== undefined && URL.canParse(page) && { helpUri: page }),
      defaultConfiguration: { level: levels[issue.severity] },
      properties: sortingOf(issue),
    })
  }
  return [...rules.values()]
}
