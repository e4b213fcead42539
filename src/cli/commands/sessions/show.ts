import { formatSessionReport } from '../../../adapters/exports/session-report.ts'
import { loadSession, outcomeOf } from '../../../app/fix/stored-session.ts'
import type { App } from '../../../app/open-app.ts'
import type { StoredSession } from '../../../loop/ports.ts'
import { withApp, type RunCommand } from '../../command/context.ts'
import { readTiming } from '../../../model/session/timing.ts'
import { describeResult, eventLine } from '../../text/describe.ts'
import { describeTiming } from '../../text/describe-timing.ts'
import type { Output } from '../../command/output.ts'
import { printable } from '../../../client/printable.ts'

interface Options {
  readonly session: string
  readonly verb: 'show' | 'log' | 'report'
  readonly timing?: boolean
}

export const runShowSession: RunCommand<Options> = ({ output, ...context }, options) =>
  withApp({ output, ...context }, {}, async (app) => {
    const stored = await loadSession(app, options.session)
    await shows[options.timing ? 'timing' : options.verb](app, stored, output)
    return 0
  })

type Show = (app: App, stored: StoredSession, output: Output) => Promise<void>

const shows: Readonly<Record<Options['verb'] | 'timing', Show>> = {
  show: async (app, stored, output) => {
    const { result } = await outcomeOf(app, stored)
    output.print(describeResult(result, output))
    output.result(result)
  },
  /** In the `jsonl` mode it prints again what `fix --jsonl` printed. */
  log: async (app, stored, output) => {
    const events = await app.store.sessions.events(stored.session.id, 0)
    output.print(events.map(eventLine).join('\n'))
    events.forEach((event) => output.event(event))
    if (output.mode === 'jsonl') output.result((await outcomeOf(app, stored)).result)
    else output.result({ schema: 'fixpoint.events.v1', session_id: stored.session.id, events })
  },
  report: async (app, stored, output) => {
    const issues = await app.store.issues.get(stored.session.issue_ids)
    output.print(printable(formatSessionReport(stored.session, stored.attempts, issues)).trimEnd())
    output.result((await outcomeOf(app, stored)).result)
  },
  timing: async (app, stored, output) => {
    const timing = readTiming(await app.store.sessions.events(stored.session.id, 0))
    output.print(describeTiming(timing))
    output.result({ schema: 'fixpoint.timing.v1', session_id: stored.session.id, ...timing })
  },
}
