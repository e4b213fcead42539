import { Fault } from '../../model/fault.ts'
import type { ReportFormat } from './reading/report-format.ts'

/** Every format that has a reader, in the order in which people see them; the first that recognises a file reads it. */
export const reportFormats: readonly ReportFormat[] = [
  {
    name: 'sarif',
    title: 'SARIF 2.1.0',
    description: 'SARIF 2.1.0 of any tool; older versions are refused',
    load: async () => (await import('./sarif/sarif-reader.ts')).sarifReader,
  },
  {
    name: 'rdjson',
    title: 'rdjson',
    description: "reviewdog's diagnostics in one document",
    load: async () => (await import('./rdjson/rdjson-reader.ts')).rdjsonReader,
  },
  {
    name: 'rdjsonl',
    title: 'rdjsonl',
    description: "reviewdog's diagnostics, one per line",
    isByLine: true,
    load: async () => (await import('./rdjson/rdjson-reader.ts')).rdjsonlReader,
  },
  {
    name: 'eslint',
    title: 'ESLint JSON',
    description: 'what `eslint -f json` prints',
    load: async () => (await import('./eslint/eslint-reader.ts')).eslintReader,
  },
  {
    name: 'junit',
    title: 'JUnit XML',
    description: 'failures and errors of a JUnit report',
    load: async () => (await import('./junit/junit-reader.ts')).junitReader,
  },
  {
    name: 'fixpoint',
    title: 'fixpoint.findings.v1',
    description: '`fixpoint.findings.v1`, and what reviewers answer',
    load: async () => (await import('./fixpoint/fixpoint-reader.ts')).fixpointReader,
  },
]

export const reportFormatNames: readonly string[] = reportFormats.map(({ name }) => name)

/** All of them in one phrase, as messages name them. */
export const knownFormats: string = reportFormats
  .map(({ title }) => title)
  .join(', ')
  .replace(/, ([^,]*)$/, ' and $1')

export function findReportFormat(name: string): ReportFormat {
  const format = reportFormats.find((one) => one.name === name)
  if (format) return format
  throw new Fault('usage', `"${name}" is no format of a report`, {
    hint: `Known are ${reportFormatNames.join(', ')}; other JSON needs a mapping (--map).`,
  })
}
