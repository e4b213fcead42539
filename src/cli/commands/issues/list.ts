import { Fault } from '../../../model/fault.ts'
import type { IssuePage, IssueQuery } from '../../../loop/ports.ts'
import type { App } from '../../../app/open-app.ts'
import { agentNames } from '../../../app/fix/choose-issues.ts'
import { createNarrowing, narrows } from '../../../app/fix/narrowing.ts'
import { oneLine } from '../../../client/printable.ts'
import type { Issue } from '../../../model/issue/issue.ts'
import type { Output } from '../../command/output.ts'
import { narrowingOf, readSeverities, readStatuses, type NarrowOptions } from '../../command/choice.ts'
import { withApp, type RunCommand } from '../../command/context.ts'
import { describePage, type PageOptions } from '../../text/describe.ts'

interface Options extends NarrowOptions, PageOptions {
  readonly group?: 'rule' | 'file'
  readonly cursor?: string
  readonly all?: boolean
}

const maxLimit = 500

export const runListIssues: RunCommand<Options> = (context, options) =>
  withApp(context, {}, async (app) => {
    const { output } = context
    if (options.group !== undefined)
      return printGroups(await readNarrowed(app, options), options.group, output)
    const page = narrows(narrowingOf(options)) ? await firstOf(app, options) : await readPages(app, options)
    output.print(page.issues.length > 0 ? describePage(page, options, output) : describeNone(options))
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

/** Every issue that the filters mean; they are asked one by one, so pages do not apply. */
async function readNarrowed(app: App, options: Options): Promise<readonly Issue[]> {
  const isWanted = createNarrowing(narrowingOf(options), agentNames(app))
  const { issues } = await readPages(app, { ...options, all: true, limit: String(maxLimit) })
  return issues.filter(isWanted)
}

async function firstOf(app: App, options: Options): Promise<IssuePage> {
  const { limit } = queryOf(app, options)
  const issues = await readNarrowed(app, options)
  return { issues: options.all ? issues : issues.slice(0, limit), nextCursor: null }
}

/** How many there are of each rule or in each file, most first. */
function printGroups(issues: readonly Issue[], by: 'rule' | 'file', output: Output): number {
  const groups = [...Map.groupBy(issues, (issue) => issue[by] ?? `(no ${by})`)]
    .map(([value, those]) => ({ value, count: those.length, codes: those.map(({ code }) => code) }))
    .toSorted((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
  const shown = groups.map(({ value, count, codes }) =>
    `${String(count).padStart(6)}  ${oneLine(value, 60).padEnd(48)}  ${codes.slice(0, 4).join(', ')}${codes.length > 4 ? ', …' : ''}`.trimEnd(),
  )
  output.print(shown.length > 0 ? shown.join('\n') : 'No issue matches.')
  output.result({ schema: 'fixpoint.issues.v1', group: by, groups, issues: [], next_cursor: null })
  return 0
}

const describeNone = ({ status, severity, review, search, ...narrowing }: Options): string =>
  [status, severity, review, search].some((filter) => filter !== undefined) || narrows(narrowingOf(narrowing))
    ? 'No issue matches.'
    : 'No issues. fixpoint review or fixpoint import finds some.'

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
