import { appendFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { documentParts, documentText } from '../../../adapters/exports/export-format.ts'
import {
  exportFormats,
  exportNames,
  findExport,
  sessionExportNames,
} from '../../../adapters/exports/formats.ts'
import { toStepSummary } from '../../../adapters/exports/github.ts'
import { writeWhole } from '../../../adapters/exports/write-whole.ts'
import { exportIssues, type Exported } from '../../../app/export/export-issues.ts'
import type { App } from '../../../app/open-app.ts'
import { requireTrust } from '../../command/trust.ts'
import { Fault } from '../../../model/fault.ts'
import { readStatuses } from '../../command/choice.ts'
import { withApp, type CommandContext, type RunCommand } from '../../command/context.ts'
import { printable } from '../../../client/printable.ts'
import { runExportSession } from './export-session.ts'

interface Options {
  readonly format?: string
  readonly kind?: string
  readonly status?: string
  readonly output?: string
  readonly summary?: boolean
  readonly session?: string
  readonly upload?: boolean
}

export const runExport: RunCommand<Options> = (context, options) => {
  const named = options.format ?? options.kind
  if (sessionExportNames.includes(named ?? '')) return runExportSession(context, { ...options, kind: named })
  const format = readFormat(options)
  if (options.upload && !findExport(format).isUploadable) {
    const taken = exportFormats.filter(({ isUploadable }) => isUploadable).map(({ name }) => name)
    throw new Fault('usage', `--upload takes ${taken.join(', ')}, not ${format}`, {
      hint: `fixpoint export ${taken[0]} --upload`,
    })
  }
  const summaryFile = options.summary ? readSummaryFile(context) : null
  return withApp(context, {}, async (app) => {
    const statuses = options.status === undefined ? {} : { statuses: readStatuses(options.status) }
    const exported = await exportIssues(app, {
      format,
      version: context.version,
      onLimit: (limit) => context.output.say(`warning: ${limit}`),
      ...statuses,
    })
    for (const warning of exported.warnings) context.output.say(`warning: ${warning}`)
    if (summaryFile !== null) await appendFile(summaryFile, toStepSummary(exported.issues))
    if (options.upload) await upload(app, context, exported)
    if (options.output === undefined) printDocument(exported, format, context)
    else await writeDocument(exported, { format, file: resolve(context.cwd, options.output) }, context)
    return 0
  })
}

async function upload(app: App, context: CommandContext, { document }: Exported): Promise<void> {
  await requireTrust(app, context, { for: 'forge', yes: false })
  const { uploadSarif } = await import('../../../app/forge/import-from-forge.ts')
  const { id, ref, commit } = await uploadSarif(app, documentText(document))
  context.output.say(`uploaded to code scanning for ${ref} at ${commit.slice(0, 12)} (${id})`)
}

function readFormat({ format, kind }: Options): string {
  const named = format ?? kind
  if (named === undefined)
    throw new Fault('usage', 'say in which format', {
      hint: `Known are ${[...exportNames, ...sessionExportNames].join(', ')}.`,
    })
  if (format !== undefined && kind !== undefined && format !== kind)
    throw new Fault('usage', `--format says ${format}, and the argument says ${kind}`, {
      hint: 'Name one format.',
    })
  return findExport(named).name
}

function readSummaryFile({ env }: CommandContext): string {
  const file = env['GITHUB_STEP_SUMMARY']
  if (file) return file
  throw new Fault('usage', '--summary writes to the file that GITHUB_STEP_SUMMARY names, and it names none', {
    hint: 'It is there inside of a GitHub workflow; elsewhere use fixpoint export markdown.',
  })
}

function printDocument({ document }: Exported, format: string, { output }: CommandContext): void {
  output.print(printable(documentText(document)).trimEnd())
  output.result(
    typeof document === 'string' ? { schema: 'fixpoint.export.v1', format, text: document } : { ...document },
  )
}

async function writeDocument(
  { document, issues }: Exported,
  { format, file }: { readonly format: string; readonly file: string },
  { output }: CommandContext,
): Promise<void> {
  await writeWhole(file, documentParts(document))
  output.print(`Wrote ${issues.length} issues to ${file} (${format}).`)
  output.result({ schema: 'fixpoint.export.v1', format, file, issues: issues.length })
}
