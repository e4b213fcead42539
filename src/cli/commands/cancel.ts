import { setTimeout } from 'node:timers/promises'
import { cancelSession, isDriven, loadSession, outcomeOf, type FixOutcome } from '../../app/fix-issues.ts'
import type { App } from '../../app/open-app.ts'
import { Fault } from '../../model/fault.ts'
import { isOver } from '../../model/session.ts'
import { withApp, type RunCommand } from '../command.ts'
import { describeResult } from '../describe.ts'

const patienceMs = 30_000
const lookEveryMs = 250

/** Ends a session: here when nobody drives it, else by asking the process that does. */
export const run: RunCommand<{ readonly session: string }> = (context, options) =>
  withApp(context, {}, async (app) => {
    const { session } = await loadSession(app, options.session)
    const isElsewhere = session.owner !== null && isDriven(session.owner)
    const { result } = isElsewhere ? await askToEnd(app, session.id) : await cancelSession(app, session.id)
    context.output.print(describeResult(result, context.output))
    context.output.result(result)
    return 0
  })

async function askToEnd(app: App, id: string): Promise<FixOutcome> {
  const { session } = await loadSession(app, id)
  await app.store.sessions.requestCancel(session.id)
  for (let waited = 0; waited < patienceMs; waited += lookEveryMs) {
    await setTimeout(lookEveryMs)
    const now = await loadSession(app, id)
    if (isOver(now.session)) return outcomeOf(app, now)
    // The process that was asked has gone without an answer: this one can do it.
    if (now.session.owner === null || !isDriven(now.session.owner)) return cancelSession(app, id)
  }
  throw new Fault('busy', `${id} was asked to end, but has not yet`, {
    hint: `fixpoint sessions show ${id} tells when it has.`,
  })
}
