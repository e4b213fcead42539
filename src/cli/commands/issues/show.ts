import { issuesByCode } from '../../../app/fix/choose-issues.ts'
import type { App } from '../../../app/open-app.ts'
import { Fault } from '../../../model/fault.ts'
import type { Issue } from '../../../model/issue/issue.ts'
import { withApp, type RunCommand } from '../../command/context.ts'
import { describeIssue, relatedTo } from '../../text/describe-issue.ts'

export const runShowIssue: RunCommand<{ readonly code: string }> = (context, options) =>
  withApp(context, {}, async (app) => {
    const { output } = context
    const [issue] = await issuesByCode(app, [options.code])
    if (!issue) throw new Fault('not_found', `there is no issue ${options.code}`)
    const ledger = await app.store.reviews.ledger(issue.id)
    const related = await relatedCodes(app, issue)
    output.print(describeIssue({ issue, ledger, related }, output))
    output.result({ schema: 'fixpoint.issue.v1', issue, ...ledger })
    return 0
  })

async function relatedCodes(app: App, issue: Issue): Promise<ReadonlyMap<string, string>> {
  return new Map((await app.store.issues.get(relatedTo(issue))).map(({ id, code }) => [id, code]))
}
