import { formatSessionReport } from '../../../adapters/exports/session-report.ts'
import { loadSession, outcomeOf } from '../../../app/fix/stored-session.ts'
import type { App } from '../../../app/open-app.ts'
import type { StoredSession } from '../../../loop/ports.ts'
import { withApp, type RunCommand } from '../../command/context.ts'
import { readTiming, timedParts, type Timing } from '../../../model/session/timing.ts'
import { describeResult, eventLine } from '../../text/describe.ts'
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

const barLength = 40

/** Where the time of a session went, a bar for each part; together they are as long as the clock ran. */
function describeTiming({ wall_ms, parts, store_ms }: Timing): string {
  const shown = timedParts.flatMap(({ name, text }) => {
    const part = parts.find((each) => each.name === name)
    return part && part.wall_ms > 0 ? [{ ...part, text }] : []
  })
  const width = Math.max(0, ...shown.map(({ text }) => text.length))
  const lines = shown.map(({ text, wall_ms: own, busy_ms: busy }) => {
    const share = wall_ms > 0 ? own / wall_ms : 0
    const bar = '█'.repeat(Math.round(share * barLength)).padEnd(barLength, '·')
    const all = busy > own * 1.05 ? ` (${seconds(busy)} side by side)` : ''
    return `${text.padEnd(width)}  ${bar} ${String(Math.round(share * 100)).padStart(3)} %  ${seconds(own)}${all}`
  })
  const store = store_ms === null ? [] : [`Inside of that, records took ${seconds(store_ms)} to be written.`]
  return [`${seconds(wall_ms)} by the clock`, ...lines, ...store].join('\n')
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`
