import { parseSeverity } from '../../../../model/issue/severity.ts'
import { readElements, type ElementFormat } from '../../reading/read-elements.ts'
import { tool } from '../../reading/read-problems.ts'
import type { ReportReader } from '../../reading/report-format.ts'

/** Many tools write this format; a rule such as `ShellCheck.SC2086` or `eslint.rules.no-var` names its own. */
const writers: readonly (readonly [RegExp, string])[] = [
  [/^ShellCheck\./, 'shellcheck'],
  [/^eslint\.rules\./, 'eslint'],
  [/^detekt\./, 'detekt'],
  [/^PHP_CodeSniffer|^[A-Z]\w+\.[A-Z]\w+\.[A-Z]\w+(?:\.\w+)?$/, 'phpcs'],
]

const format: ElementFormat = {
  title: 'Checkstyle XML',
  root: 'checkstyle',
  problem: 'error',
  read: ({ attributes, around }) => {
    const written = attributes['source'] || null
    const [mark, name = 'checkstyle'] = writers.find(([pattern]) => pattern.test(written ?? '')) ?? []
    return {
      source: tool(name),
      message: attributes['message'] ?? '',
      rule: written === null ? null : name === 'phpcs' || !mark ? written : written.replace(mark, ''),
      severity: parseSeverity(attributes['severity'] || 'warning'),
      path: around.at(-1)?.['name'] ?? null,
      line: attributes['line'],
      endLine: null,
      column: attributes['column'],
    }
  },
}

/** Reads Checkstyle XML, which many other tools write too. */
export const checkstyleReader: ReportReader = {
  recognise: ({ root }) => root === 'checkstyle',
  read: (source, reading) => readElements(source, format, reading),
}
