import { setFlagsFromString } from 'node:v8'
import { importFindings, type Imported } from '../../../app/review/review-repository.ts'
import { readMapping } from '../../../app/review/read-mapping.ts'
import { withApp, type RunCommand } from '../../command/context.ts'
import { describeStored, plural } from '../../text/describe.ts'
import { oneLine } from '../../../client/printable.ts'

interface Options {
  readonly file: string
  readonly format?: string
  readonly map?: string
  readonly root?: string
}

/** V8 would let its heap double before it looks for what is not needed any more; most of an import is that. */
const heapGrowth = '--heap-growing-percent=60'

export const runImport: RunCommand<Options> = (context, options) =>
  withApp(context, {}, async (app) => {
    setFlagsFromString(heapGrowth)
    const mapping = options.map === undefined ? undefined : await readMapping(options.map, context.cwd)
    const imported = await importFindings(app, {
      file: options.file,
      format: options.format ?? null,
      ...(mapping && { mapping }),
      ...(options.root !== undefined && { root: options.root }),
      stdin: process.stdin,
    })
    for (const reason of imported.incomplete)
      context.output.say(`warning: the report is not complete: ${oneLine(reason, 300)}`)
    if (imported.stale > 0) context.output.say(`${imported.stale} known issues are stale: their code is gone`)
    context.output.print(
      describeStored(`Read ${plural(imported.findings, 'finding')} (${imported.format}).`, imported),
    )
    context.output.result(toJson(imported))
    return 0
  })

const toJson = ({ review, findings, format, incomplete, created, changed, stale }: Imported) => ({
  schema: 'fixpoint.import.v1',
  review_id: review.id,
  state: review.state,
  incomplete,
  format,
  findings,
  issues_created: created,
  issues_updated: changed,
  issues_stale: stale,
})
