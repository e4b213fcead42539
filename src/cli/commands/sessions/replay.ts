import { resolve } from 'node:path'
import { flagOverrides } from '../../../app/config/overrides.ts'
import { replaySession, type ReplayOutcome } from '../../../app/replay/replay-session.ts'
import { readRecordedSession } from '../../../app/fix/recorded-session.ts'
import { withApp, type RunCommand } from '../../command/context.ts'
import { requireTrust } from '../../command/trust.ts'
import { describeResult } from '../../text/describe.ts'
import { listenForInterrupts } from '../../command/interrupts.ts'

interface Options {
  readonly folder: string
  readonly threshold?: string
  readonly maxFixCycles?: string
  readonly strategy?: string
  readonly yes?: boolean
}

/** What would have landed under another policy, from what the agents said and did then. */
export const runReplay: RunCommand<Options> = async (context, options) => {
  const { cwd, env, output } = context
  const { base } = await readRecordedSession(resolve(cwd, options.folder))
  await withApp(context, {}, (app) =>
    requireTrust(app, context, { yes: options.yes, revisions: ['HEAD', base] }),
  )
  using interrupts = listenForInterrupts(output.say)
  const flags = flagOverrides(options)
  const outcome = await replaySession({ cwd, env, folder: options.folder, flags, signals: interrupts })
  output.print(`${describeResult(outcome.result, output)}\n${comparison(outcome)}`)
  const { recorded, result } = outcome
  output.result({
    ...result,
    replayed: recorded && {
      session_id: recorded.result.session_id,
      issues_fixed: recorded.result.issues_fixed,
    },
  })
  return interrupts.exitCode() ?? outcome.exitCode
}

function comparison({ recorded, result }: ReplayOutcome): string {
  const nothing = 'Nothing was changed: this was a replay.'
  if (!recorded) return nothing
  const outcomeThen = new Map(recorded.result.results.map((issue) => [issue.issue_code, issue.outcome]))
  const differs = result.results
    .filter((issue) => outcomeThen.get(issue.issue_code) !== issue.outcome)
    .map(
      (issue) =>
        `  ${issue.issue_code}: ${outcomeThen.get(issue.issue_code) ?? 'not there'} then, ${issue.outcome ?? 'open'} now`,
    )
  return [
    `Then ${recorded.result.issues_fixed} landed, now ${result.issues_fixed} would.`,
    ...differs,
    nothing,
  ].join('\n')
}
