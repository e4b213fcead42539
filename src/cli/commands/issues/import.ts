import { isAbsolute, resolve, win32 } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { importFindings, type Imported } from '../../../app/review/import-findings.ts'
import { readMapping } from '../../../app/review/read-mapping.ts'
import type { App } from '../../../app/open-app.ts'
import { Fault } from '../../../model/fault.ts'
import { keepHeapSmall } from '../../command/keep-heap-small.ts'
import { requireTrust } from '../../command/trust.ts'
import { withApp, type CommandContext, type RunCommand } from '../../command/context.ts'
import { describeStored, plural, sharedLine, staleLine } from '../../text/describe.ts'
import { oneLine } from '../../../client/printable.ts'

interface Options {
  readonly file?: string
  readonly pr?: string
  readonly codeScanning?: boolean
  readonly yes?: boolean
  readonly format?: string
  readonly map?: string
  readonly root?: string
}

/** V8 would let its heap double before it collects garbage; most of an import is garbage. */
const heapGrowth = '--heap-growing-percent=40'

export const runImport: RunCommand<Options> = (context, options) =>
  withApp(context, {}, async (app) => {
    setFlagsFromString(heapGrowth)
    keepHeapSmall()
    const imported = await importFrom(app, context, options)
    for (const reason of imported.incomplete)
      context.output.say(`warning: the report is not complete: ${oneLine(reason, 300)}`)
    sayElsewhere(imported, context)
    if (imported.stale > 0) context.output.say(staleLine(imported.stale))
    if (imported.shared > 0) context.output.say(sharedLine(imported.shared))
    context.output.print(
      describeStored(`Read ${plural(imported.findings, 'finding')} (${imported.format}).`, imported),
    )
    context.output.result(toJson(imported))
    return 0
  })

/** One source: a file, the threads of a pull request, or the alerts of code scanning. */
async function importFrom(app: App, context: CommandContext, options: Options): Promise<Imported> {
  const { file, pr, codeScanning } = options
  if ([file, pr, codeScanning].filter((given) => given !== undefined).length !== 1)
    throw new Fault('usage', 'say what to read: a file, --pr or --code-scanning', {
      hint: 'fixpoint import report.sarif, fixpoint import --pr 12 or fixpoint import --code-scanning.',
    })
  if (file === undefined) {
    await requireTrust(app, context, { for: 'forge', yes: options.yes })
    const { importAlerts, importThreads } = await import('../../../app/forge/import-from-forge.ts')
    return pr === undefined ? importAlerts(app) : importThreads(app, pr)
  }
  const mapping = options.map === undefined ? undefined : await readMapping(options.map, context.cwd)
  return importFindings(app, {
    file,
    format: options.format ?? null,
    ...(mapping && { mapping }),
    ...(options.root !== undefined && { root: rootFrom(context.cwd, options.root) }),
    stdin: process.stdin,
  })
}

/** A folder of another machine is absolute, in the form of that machine. */
const rootFrom = (cwd: string, root: string): string =>
  isAbsolute(root) || win32.isAbsolute(root) ? root : resolve(cwd, root)

function sayElsewhere({ elsewhere, findings }: Imported, { output }: CommandContext): void {
  if (elsewhere === null) return
  const { folder, example } = elsewhere
  const name = elsewhere.findings === 1 ? 'names a file' : 'name files'
  output.say(
    `warning: ${elsewhere.findings} of ${plural(findings, 'finding')} ${name} that this commit does not have, such as ${oneLine(example, 200)}`,
  )
  if (folder !== null)
    output.say(`The folder ${folder} has all of them: import the report again with --root ${folder}`)
}

const toJson = ({
  review,
  findings,
  format,
  incomplete,
  created,
  changed,
  stale,
  shared,
  elsewhere,
}: Imported) => ({
  schema: 'fixpoint.import.v1',
  review_id: review.id,
  state: review.state,
  incomplete,
  format,
  findings,
  issues_created: created,
  issues_updated: changed,
  issues_stale: stale,
  issues_ignored: shared,
  elsewhere,
})
