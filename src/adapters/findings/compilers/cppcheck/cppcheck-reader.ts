import { parseSeverity } from '../../../../model/issue/severity.ts'
import { readElements, type ElementFormat } from '../../reading/read-elements.ts'
import { tool } from '../../reading/read-problems.ts'
import type { ReportReader } from '../../reading/report-format.ts'

const words: Readonly<Record<string, string>> = { performance: 'minor', portability: 'minor', style: 'info' }

const format: ElementFormat = {
  title: 'a report of cppcheck',
  root: 'results',
  problem: 'error',
  read({ attributes, children }) {
    const places = children.filter(({ name }) => name === 'location').map((child) => child.attributes)
    const [place, ...others] = places
    const severity = attributes['severity'] ?? 'warning'
    // What cppcheck says of its own run.
    if (severity === 'information' && place === undefined) return null
    const also = others.map(
      ({ file, line, info }) => `- ${file ?? ''}:${line ?? ''}${info ? `: ${info}` : ''}`,
    )
    const said = attributes['verbose'] ?? attributes['msg'] ?? ''
    return {
      source: tool('cppcheck'),
      message: also.length > 0 ? `${said}\n\nSee also:\n${also.join('\n')}` : said,
      title: attributes['msg'] ?? said,
      rule: attributes['id'] ?? null,
      severity: parseSeverity(words[severity] ?? severity),
      path: place?.['file'] ?? null,
      line: place?.['line'],
      endLine: null,
      column: place?.['column'],
      references: attributes['cwe'] ? [`CWE-${attributes['cwe']}`] : [],
    }
  },
}

/** Reads `cppcheck --xml`. */
export const cppcheckReader: ReportReader = {
  recognise: ({ root, text }) => root === 'results' && /<cppcheck\b/.test(text),
  read: (source, reading) => readElements(source, format, reading),
}
