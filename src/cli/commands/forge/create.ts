import { resolve } from 'node:path'
import { createFromBundle, createPullRequest } from '../../../app/forge/create-pull-request.ts'
import { withApp, type RunCommand } from '../../command/context.ts'
import { requireTrust } from '../../command/trust.ts'

interface Options {
  readonly session?: string
  readonly fromBundle?: string
  readonly base?: string
  readonly draft?: boolean
  readonly title?: string
  readonly dryRun?: boolean
  readonly resolve?: boolean
  readonly yes?: boolean
}

export const runPrCreate: RunCommand<Options> = (context, options) =>
  withApp(context, {}, async (app) => {
    const { output } = context
    await requireTrust(app, context, { for: 'forge', yes: options.yes })
    const request = {
      session: options.session,
      base: options.base,
      title: options.title,
      isDraft: options.draft === false ? false : undefined,
      isDryRun: options.dryRun,
      isResolving: options.resolve,
      say: output.say,
    }
    const published =
      options.fromBundle === undefined
        ? await createPullRequest(app, request)
        : await createFromBundle(app, resolve(context.cwd, options.fromBundle), request)
    for (const warning of published.warnings) output.say(`warning: ${warning}`)
    if (options.dryRun) output.print(`${published.title}\n\n${published.body}`)
    else
      output.print(
        `${published.created ? 'Opened' : 'Updated'} pull request #${published.number}: ${published.url}`,
      )
    const { body, title, base, warnings, ...result } = published
    output.result({
      schema: 'fixpoint.pull-request.v1',
      ...result,
      base,
      warnings,
      ...(options.dryRun && { dry_run: true, title, body }),
    })
    return 0
  })
