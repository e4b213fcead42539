import { chooseIssues, issuesByCode } from '../../../app/fix/choose-issues.ts'
import type { App } from '../../../app/open-app.ts'
import { Fault } from '../../../model/fault.ts'
import { IssueStatus, type Issue } from '../../../model/issue/issue.ts'
import {
  ignoreIssue,
  markDuplicate,
  reopenIssue,
  resolveByHand,
  type MoveByHand,
} from '../../../model/issue/move-by-hand.ts'
import { narrowingOf, readSeverities, type NarrowOptions } from '../../command/choice.ts'
import { withApp, type RunCommand } from '../../command/context.ts'
import { issueTable } from '../../text/describe.ts'

type Verb = 'ignore' | 'reopen' | 'resolve' | 'duplicate'

interface Options extends NarrowOptions {
  readonly verb: Verb
  readonly codes: readonly string[]
  readonly severity?: string
  readonly reason?: string
  readonly until?: string
  readonly shared?: boolean
  readonly note?: string
  readonly of?: string
}

export const runMoveIssues: RunCommand<Options> = (context, options) =>
  withApp(context, {}, async (app) => {
    const { output } = context
    const edit = await editFor(app, options)
    const issues = await issuesFor(app, options, edit)
    refuseIllegal(issues, edit)
    if (options.shared && issues.length > 0) output.say(await share(app, issues, options))
    const changed = await changeAll(app, issues, edit)
    output.print(changed.length > 0 ? issueTable(changed, output) : 'No issue matches; nothing was changed.')
    output.result({ schema: 'fixpoint.issues.v1', issues: changed, next_cursor: null })
    return 0
  })

/** Those that are named, or all that a filter means and that may go this way. */
async function issuesFor(app: App, options: Options, edit: MoveByHand): Promise<readonly Issue[]> {
  if (options.codes.length > 0) return issuesByCode(app, options.codes)
  const chosen = await chooseIssues(app, {
    all: options.severity !== undefined,
    narrowing: narrowingOf(options),
    severities: readSeverities(options.severity),
    statuses: IssueStatus.options,
  })
  return chosen.filter((issue) => isAllowed(issue, edit))
}

function isAllowed(issue: Issue, edit: MoveByHand): boolean {
  try {
    edit(issue)
    return true
  } catch (error) {
    if (error instanceof Fault) return false
    throw error
  }
}

/** What the verb makes of one issue, whatever it is now; an illegal move throws. */
async function editFor(app: App, options: Options): Promise<MoveByHand> {
  switch (options.verb) {
    case 'ignore': {
      const reason = requireText('--reason', options.reason)
      const until = options.until === undefined ? null : parseDay(options.until, Date.now())
      return ignoreIssue(reason, until)
    }
    case 'resolve':
      return resolveByHand(requireText('--note', options.note))
    case 'reopen':
      return reopenIssue(options.note === undefined ? null : requireText('--note', options.note))
    case 'duplicate':
      return markDuplicate(await findOriginal(app, options.of ?? ''))
  }
}

/** First the file: when it cannot be written, nothing is changed. */
async function share(app: App, issues: readonly Issue[], options: Options): Promise<string> {
  const { shareIgnores } = await import('../../../app/ignores/share-ignores.ts')
  const path = await shareIgnores(app, issues, {
    reason: requireText('--reason', options.reason),
    until: options.until ?? null,
  })
  return `${path} is written: commit it, and every clone ignores ${issues.length === 1 ? 'it' : 'them'} too`
}

function requireText(flag: string, text: string | undefined): string {
  const trimmed = text?.trim() ?? ''
  if (trimmed !== '') return trimmed
  throw new Fault('usage', `${flag} is empty`, { hint: `Say it in a few words: ${flag} "…".` })
}

/** A day that exists and lies ahead, as it was written. */
export function parseDay(text: string, nowMs: number): string {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  const isDay = !Number.isNaN(at) && new Date(at).toISOString().startsWith(text)
  if (!isDay)
    throw new Fault('usage', `--until ${text}: this is no day`, {
      hint: 'Write it as year-month-day: 2030-12-31.',
    })
  if (at > nowMs) return text
  throw new Fault('usage', `--until ${text}: this day does not lie ahead`, {
    hint: 'Give a later day, or leave --until out to ignore it for ever.',
  })
}

async function findOriginal(app: App, code: string): Promise<Issue> {
  const [original] = await issuesByCode(app, [code])
  if (original && original.duplicate_of === null) return original
  throw new Fault('usage', `--of ${code}: ${code} is itself a duplicate`, {
    hint: `fixpoint issues show ${code} says of which; name that one.`,
  })
}

/** Tries the edit on all of them first, so that one refusal leaves every issue as it was. */
function refuseIllegal(issues: readonly Issue[], edit: MoveByHand): void {
  const refusals = issues.flatMap((issue) => {
    try {
      edit(issue)
      return []
    } catch (error) {
      if (error instanceof Fault) return [error]
      throw error
    }
  })
  const [first] = refusals
  if (!first) return
  if (issues.length === 1) throw first
  const lines = refusals.map((fault) => `  ${fault.message}${fault.hint ? `. ${fault.hint}` : ''}`)
  throw new Fault(
    first.code,
    `${refusals.length} of ${issues.length} issues refuse this, so none was changed:\n${lines.join('\n')}`,
    {
      hint: 'Leave these out, or move them by themselves.',
      details: { refused: refusals.map(({ message, details }) => ({ message, ...details })) },
    },
  )
}

async function changeAll(app: App, issues: readonly Issue[], edit: MoveByHand): Promise<readonly Issue[]> {
  const changed: Issue[] = []
  for (const issue of issues) {
    try {
      changed.push(await app.store.issues.change(issue.id, 'person', edit))
    } catch (error) {
      if (!(error instanceof Fault) || changed.length === 0) throw error
      const done = changed.map(({ code }) => code).join(', ')
      throw new Fault(error.code, `${error.message}; ${done} had been changed before`, {
        cause: error,
        hint: error.hint ?? 'Look at the others with fixpoint issues list, then run it again for them.',
        details: { ...error.details, changed: changed.map(({ code }) => code) },
      })
    }
  }
  return changed
}
