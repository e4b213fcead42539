import { parseSeverity } from '../../../../model/issue/severity.ts'
import { readElements, type ElementFormat } from '../../reading/read-elements.ts'
import { tool } from '../../reading/read-problems.ts'
import type { ReportReader } from '../../reading/report-format.ts'

/** PMD counts from 1, the most severe. */
const words: Readonly<Record<string, string>> = {
  1: 'critical',
  2: 'major',
  3: 'minor',
  4: 'info',
  5: 'info',
}

const format: ElementFormat = {
  title: 'a report of PMD',
  root: 'pmd',
  problem: 'violation',
  read: ({ attributes, around, text }) => ({
    source: tool('pmd'),
    message: text,
    rule: attributes['rule'] ?? null,
    severity: parseSeverity(words[attributes['priority'] ?? '3']),
    category: attributes['ruleset'] === 'Security' ? 'security' : 'general',
    path: around.at(-1)?.['name'] ?? null,
    line: attributes['beginline'],
    endLine: attributes['endline'],
    column: attributes['begincolumn'],
    references: attributes['externalInfoUrl'] ? [attributes['externalInfoUrl']] : [],
  }),
}

/** Reads `pmd check -f xml`. */
export const pmdReader: ReportReader = {
  recognise: ({ root }) => root === 'pmd',
  read: (source, reading) => readElements(source, format, reading),
}
