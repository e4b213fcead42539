import { publishIssues } from '../../../app/forge/publish-issues.ts'
import { readSeverities } from '../../command/choice.ts'
import { withApp, type RunCommand } from '../../command/context.ts'
import { requireTrust } from '../../command/trust.ts'
import { plural } from '../../text/describe.ts'

interface Options {
  readonly codes: readonly string[]
  readonly unresolved?: boolean
  readonly severity?: string
  readonly dryRun?: boolean
  readonly yes?: boolean
}

export const runPublishIssues: RunCommand<Options> = (context, options) =>
  withApp(context, {}, async (app) => {
    const { output } = context
    await requireTrust(app, context, { for: 'forge', yes: options.yes })
    const { planned, ...published } = await publishIssues(app, {
      codes: options.codes,
      unresolved: options.unresolved ?? false,
      severities: options.severity === undefined ? [] : readSeverities(options.severity),
      isDryRun: options.dryRun ?? false,
    })
    for (const { title, body } of planned) output.print(`${title}\n\n${body}\n`)
    const { issues_created, issues_updated, issues_closed, issues_unchanged } = published
    const would = options.dryRun ? 'Would publish' : 'Published'
    output.print(
      `${would} ${plural(issues_created.length, 'issue')}; ${issues_updated.length} updated, ${issues_closed.length} closed, ${issues_unchanged.length} as they were.`,
    )
    for (const { code, url } of issues_created) if (url !== null) output.print(`  ${code}  ${url}`)
    output.result({
      schema: 'fixpoint.publish.v1',
      ...published,
      ...(options.dryRun && { dry_run: true, planned }),
    })
    return 0
  })
