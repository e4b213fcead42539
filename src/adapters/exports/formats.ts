import { Fault } from '../../model/fault.ts'
import type { ExportFormat } from './export-format.ts'

/** Every export, in the order in which people see them. */
export const exportFormats: readonly ExportFormat[] = [
  {
    name: 'sarif',
    description: 'SARIF 2.1.0 as GitHub code scanning takes it, at most 25,000 results per run',
    isUploadable: true,
    load: async () => (await import('./sarif.ts')).sarif,
  },
  {
    name: 'json',
    description: '`fixpoint.findings.v1`, which `fixpoint import` reads',
    load: async () => (await import('./json.ts')).json,
  },
  {
    name: 'markdown',
    description: 'a report for people',
    load: async () => (await import('./markdown.ts')).markdown,
  },
  {
    name: 'junit',
    description: 'one suite per file; unresolved issues fail, ignored ones are skipped',
    load: async () => (await import('./junit.ts')).junit,
  },
  {
    name: 'github',
    description: 'annotations of a workflow; `--summary` adds a report to `GITHUB_STEP_SUMMARY`',
    load: async () => (await import('./github.ts')).github,
  },
  {
    name: 'rdjson',
    description: 'for reviewdog; issues without a file are not in it',
    load: async () => (await import('./rdjson.ts')).rdjson,
  },
]

export const exportNames: readonly string[] = exportFormats.map(({ name }) => name)

/** The exports that are about a session rather than about issues. */
export const sessionExports = [
  { name: 'html', description: 'a session as one page to share' },
  {
    name: 'bundle',
    description: 'what a session landed, with its evidence, as a file for `fixpoint pr create --from-bundle`',
  },
] as const

export const sessionExportNames: readonly string[] = sessionExports.map(({ name }) => name)

export function findExport(name: string): ExportFormat {
  const format = exportFormats.find((one) => one.name === name)
  if (format) return format
  throw new Fault('usage', `"${name}" is no format to export`, {
    hint: `Known are ${[...exportNames, ...sessionExportNames].join(', ')}.`,
  })
}
