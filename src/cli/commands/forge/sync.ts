import { syncPullRequests } from '../../../app/forge/sync-pull-requests.ts'
import { withApp, type RunCommand } from '../../command/context.ts'
import { requireTrust } from '../../command/trust.ts'

interface Options {
  readonly yes?: boolean
  readonly resolve?: boolean
}

export const runPrSync: RunCommand<Options> = (context, options) =>
  withApp(context, {}, async (app) => {
    await requireTrust(app, context, { for: 'forge', yes: options.yes })
    const pulls = await syncPullRequests(app, { isResolving: options.resolve ?? false })
    const lines = pulls.flatMap(({ number, state, changed }) => [
      `#${number}  ${state}`,
      ...changed.map(({ code, status }) => `  ${code} is ${status}`),
    ])
    context.output.print(lines.length > 0 ? lines.join('\n') : 'No pull request of a session changed.')
    context.output.result({ schema: 'fixpoint.pr-sync.v1', pull_requests: pulls })
    return 0
  })
