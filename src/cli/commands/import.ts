import { importFindings, type Imported } from '../../app/review-repository.ts'
import { withApp, type RunCommand } from '../command.ts'
import { describeStored } from '../describe.ts'
import { oneLine } from '../printable.ts'

interface Options {
  readonly file: string
  readonly format?: 'sarif' | 'fixpoint'
}

export const run: RunCommand<Options> = (context, options) =>
  withApp(context, {}, async (app) => {
    const imported = await importFindings(app, {
      file: options.file,
      format: options.format ?? null,
      stdin: process.stdin,
    })
    for (const reason of imported.incomplete)
      context.output.say(`warning: the report is not complete: ${oneLine(reason, 300)}`)
    context.output.print(describeStored(`Read ${imported.findings} findings (${imported.format}).`, imported))
    context.output.result(toJson(imported))
    return 0
  })

const toJson = ({ review, findings, format, incomplete, created, changed }: Imported) => ({
  schema: 'fixpoint.import.v1',
  review_id: review.id,
  state: review.state,
  incomplete,
  format,
  findings,
  issues_created: created,
  issues_updated: changed,
})
