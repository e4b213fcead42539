import { Fault } from '../../../model/fault.ts'
import type { IssuePage, IssueQuery } from '../../../loop/ports.ts'
import type { App } from '../../../app/open-app.ts'
import { readSeverities, readStatuses } from '../../command/choice.ts'
import { withApp, type RunCommand } from '../../command/context.ts'
import { issueTable } from '../../text/describe.ts'

interface Options {
  readonly status?: string
  readonly severity?: string
  readonly cursor?: string
  readonly review?: string
  readonly search?: string
  readonly limit: string
  readonly all?: boolean
}

const maxLimit = 500

export const runListIssues: RunCommand<Options> = (context, options) =>
  withApp(context, {}, async (app) => {
    const { output } = context
    const page = await readPages(app, options)
    output.print(page.issues.length > 0 ? issueTable(page.issues, output) : describeNone(options))
    if (page.nextCursor) output.print(`\nMore: ${nextPage(options, page.nextCursor)}`)
    for (const why of page.unreadable ?? [])
      output.say(`warning: left out: ${why}. fixpoint doctor checks the database.`)
    output.result({
      schema: 'fixpoint.issues.v1',
      issues: page.issues,
      next_cursor: page.nextCursor,
      ...(page.unreadable && { unreadable: page.unreadable }),
    })
    return 0
  })

const describeNone = ({ status, severity, review, search }: Options): string =>
  [status, severity, review, search].some((filter) => filter !== undefined)
    ? 'No issue matches.'
    : 'No issues. fixpoint review or fixpoint import finds some.'

/** The same list from there on, ready to be pasted into a shell. */
function nextPage({ status, severity, review, search, limit }: Options, cursor: string): string {
  const flags = Object.entries({ status, severity, review, search, limit, cursor })
  const words = flags.flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, quoted(value)]))
  return ['fixpoint issues list', ...words].join(' ')
}

const quoted = (text: string): string =>
  /^[\w,.:/=@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`

async function readPages(app: App, options: Options): Promise<IssuePage> {
  const issues: IssuePage['issues'][number][] = []
  const unreadable: string[] = []
  let nextCursor: string | null = options.cursor ?? null
  do {
    const page: IssuePage = await app.store.issues.list({
      ...queryOf(app, options),
      ...(nextCursor && { cursor: nextCursor }),
    })
    issues.push(...page.issues)
    unreadable.push(...(page.unreadable ?? []))
    nextCursor = page.nextCursor
  } while (options.all && nextCursor)
  return { issues, nextCursor, ...(unreadable.length > 0 && { unreadable }) }
}

function queryOf(app: App, options: Options): IssueQuery {
  const limit = Number(options.limit)
  if (!Number.isInteger(limit) || limit < 1 || limit > maxLimit)
    throw new Fault('usage', `--limit ${options.limit}: a whole number from 1 to ${maxLimit} is expected`)
  return {
    repositoryId: app.repository.id,
    limit,
    ...(options.status !== undefined && { status: readStatuses(options.status) }),
    ...(options.severity !== undefined && { severity: readSeverities(options.severity) }),
    ...(options.review !== undefined && { taskId: options.review }),
    ...(options.search !== undefined && { text: options.search }),
  }
}
