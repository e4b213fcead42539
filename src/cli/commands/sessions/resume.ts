import { isDriven } from '../../../adapters/process/run-mark.ts'
import { loadSession } from '../../../app/fix/stored-session.ts'
import { resumeSession } from '../../../app/fix/resume-session.ts'
import type { App } from '../../../app/open-app.ts'
import { Fault } from '../../../model/fault.ts'
import { isOver } from '../../../model/session/session.ts'
import { recentSessions } from '../../command/choose-session.ts'
import { openCommandApp, type RunCommand } from '../../command/context.ts'
import { followSession, openViewer, printOutcome } from '../../session/follow-session.ts'
import type { DisplayOptions } from '../../command/terminal.ts'
import { requireTrust } from '../../command/trust.ts'

interface Options extends DisplayOptions {
  readonly session?: string
  readonly yes?: boolean
  readonly budget?: string
}

export const runResume: RunCommand<Options> = async (context, options) => {
  await using app = await openCommandApp(context)
  const id = options.session ?? (await newestResumable(app))
  const { session } = await loadSession(app, id)
  await requireTrust(app, context, { yes: options.yes, revisions: [session.base.commit] })
  const budget = options.budget === undefined ? {} : { budgetUsd: usdOf(options.budget) }
  using viewer = openViewer(app, context, options)
  const outcome = await followSession(app, viewer, (signals) =>
    resumeSession(app, session.id, { ...signals, ...budget }),
  )
  return printOutcome(outcome, viewer, context.output)
}

function usdOf(text: string): number {
  const usd = Number(text)
  if (text.trim() !== '' && Number.isFinite(usd) && usd > 0) return usd
  throw new Fault('usage', `--budget takes an amount in USD, not "${text}"`)
}

async function newestResumable(app: App): Promise<string> {
  const sessions = await app.store.sessions.list(app.repository.id, recentSessions)
  const found = sessions.find((session) => !isOver(session) && !isDriven(app.store, session))
  if (found) return found.id
  throw new Fault('not_found', 'no session of this repository waits to be resumed', {
    hint: 'fixpoint sessions list shows them all.',
  })
}
