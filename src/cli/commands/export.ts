import { resolve } from 'node:path'
import { formatJson } from '../../app/export/json-text.ts'
import { toFindingsJson } from '../../app/export/to-json.ts'
import { toMarkdown } from '../../app/export/to-markdown.ts'
import { toSarif } from '../../app/export/to-sarif.ts'
import { writeWhole } from '../../app/export/write-whole.ts'
import { chooseIssues } from '../../app/fix-issues.ts'
import { Fault } from '../../model/fault.ts'
import { IssueStatus, type Issue } from '../../model/issue.ts'
import { withApp, type CommandContext, type RunCommand } from '../command.ts'
import { printable } from '../printable.ts'
import { version } from '../version.ts'
import { readStatuses } from '../choice.ts'

interface Options {
  readonly format: string
  readonly status?: string
  readonly output?: string
}

interface Format {
  /** The document: a JSON value, or text. */
  readonly document: (issues: readonly Issue[]) => object | string
  /** What is exported when nobody says which. */
  readonly statuses: readonly IssueStatus[]
}

/** Reports for other tools hold what the code still holds; the one for people holds everything. */
const stillThere = IssueStatus.options.filter((status) => status !== 'merged' && status !== 'duplicate')

const formats: Readonly<Record<string, Format>> = {
  sarif: { document: (issues) => toSarif(issues, version), statuses: stillThere },
  json: { document: toFindingsJson, statuses: stillThere },
  markdown: { document: (issues) => toMarkdown(issues), statuses: IssueStatus.options },
}

export const run: RunCommand<Options> = (context, options) => {
  const format = Object.hasOwn(formats, options.format) ? formats[options.format] : undefined
  if (!format)
    throw new Fault('usage', `"${options.format}" is no format to export`, {
      hint: `Known are ${Object.keys(formats).join(', ')}.`,
    })
  return withApp(context, {}, async (app) => {
    const statuses = options.status === undefined ? format.statuses : readStatuses(options.status)
    const issues = await chooseIssues(app, { all: true, statuses })
    const document = format.document(issues)
    if (options.output === undefined) printDocument(document, context, options.format)
    else
      await writeDocument(document, context, {
        ...options,
        file: resolve(context.cwd, options.output),
        issues,
      })
    return 0
  })
}

function printDocument(document: object | string, { output }: CommandContext, format: string): void {
  output.print(printable(textOf(document)).trimEnd())
  output.result(
    typeof document === 'string' ? { schema: 'fixpoint.export.v1', format, text: document } : { ...document },
  )
}

interface Target {
  readonly format: string
  readonly file: string
  readonly issues: readonly Issue[]
}

async function writeDocument(
  document: object | string,
  { output }: CommandContext,
  { format, file, issues }: Target,
): Promise<void> {
  await writeWhole(file, textOf(document))
  output.print(`Wrote ${issues.length} issues to ${file} (${format}).`)
  output.result({ schema: 'fixpoint.export.v1', format, file, issues: issues.length })
}

const textOf = (document: object | string): string =>
  typeof document === 'string' ? document : `${formatJson(document)}\n`
