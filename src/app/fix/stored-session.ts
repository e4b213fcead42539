import { createRunMark, isDriven, isOfThisMachine } from '../../adapters/process/run-mark.ts'
import { endRunsOf } from '../../adapters/process/sweep-orphans.ts'
import { Fault } from '../../model/fault.ts'
import { SessionId } from '../../model/id.ts'
import type { CheckCommand } from '../../model/proof/verification.ts'
import type { Session } from '../../model/session/session.ts'
import { exitCodeFor, sessionResult, type SessionResult } from '../../model/session/session-result.ts'
import { createRecorder } from '../../loop/context/recorder.ts'
import type { StoredSession, TakeTerms } from '../../loop/ports.ts'
import type { App } from '../open-app.ts'
import { redactor } from '../redact/redact-exits.ts'

export interface FixOutcome {
  readonly result: SessionResult & {
    readonly sandbox: string
    /** The same request was completed before: this is its result, and nothing was run now. */
    readonly earlier: boolean
  }
  readonly exitCode: number
}

export async function loadSession(app: App, id: string): Promise<StoredSession> {
  const parsed = SessionId.safeParse(id)
  const stored = parsed.success ? await app.store.sessions.load(parsed.data) : null
  if (stored) return stored
  throw new Fault('not_found', `there is no session "${id}"`, { hint: 'fixpoint sessions list shows them.' })
}

export interface TakeWish {
  readonly budgetUsd?: number | undefined
  readonly isCrowded?: TakeTerms['isCrowded']
  readonly clone?: string | undefined
}

export async function takeSession(
  app: App,
  session: Session,
  { budgetUsd, isCrowded, clone }: TakeWish = {},
): Promise<StoredSession> {
  // A process that began a moment ago may not have been seen yet.
  if (session.owner !== null || isCrowded) await app.store.readOwners()
  if (isDriven(app.store, session))
    throw new Fault('busy', `${session.id} is being worked on by another process`, {
      hint: `Wait for it, or stop it there with Ctrl-C, then run fixpoint resume ${session.id} again.`,
      details: { session_id: session.id },
    })
  const stored = await app.store.sessions.take(session.id, {
    expectedOwner: session.owner,
    owner: createRunMark(app.home),
    ...(clone !== undefined && { clone }),
    ...(isCrowded && { isCrowded }),
  })
  if (session.owner !== null && isOfThisMachine(session.owner)) await endRunsOf(session.owner)
  const taken = { ...stored, session: withCommands(stored.session, app.loaded.config.verify.commands) }
  if (session.owner !== null) await publishGap(app, taken)
  if (budgetUsd === undefined) return taken
  const recorder = createRecorder(taken, await app.ports())
  await recorder.recordTogether({ session: { type: 'budget_changed', budget_usd: budgetUsd } })
  return { ...taken, session: recorder.session() }
}

/** A process that was killed could not say so: whoever goes on says since when nothing is known of the session. */
async function publishGap(app: App, taken: StoredSession): Promise<void> {
  const { id } = taken.session
  const { sessions } = app.store
  const [last] = await sessions.events(id, (await sessions.lastSeq(id)) - 1, 1)
  const ports = await app.ports()
  if (!last || ports.clock.now() - Date.parse(last.timestamp) < shortGapMs) return
  const message = `the process that drove it is gone; its last word was at ${last.timestamp}`
  const details = { idle_since: last.timestamp }
  await createRecorder(taken, ports).recordEvents([{ type: 'fix_session_warning', message, details }])
}

const shortGapMs = 1_000

/** Command lines are stored without their secrets: the configured ones run, where they are the same but for those. */
export function withCommands(session: Session, configured: readonly CheckCommand[]): Session {
  const keyOf = ({ name, run }: CheckCommand): string => JSON.stringify([name, run])
  const known = new Map(configured.map((command) => [keyOf(redactor.value(command)), command.run]))
  const commands = session.options.commands.map((stored) => ({
    ...stored,
    run: known.get(keyOf(stored)) ?? stored.run,
  }))
  const unknown = commands.find((command) => command.run.includes('[redacted: '))
  if (unknown)
    throw new Fault(
      'config_invalid',
      `the command ${unknown.name} of ${session.id} held a secret and is no longer configured`,
      {
        hint: 'Put it back into verify.commands as it was, or cancel the session and start another.',
      },
    )
  return { ...session, options: { ...session.options, commands } }
}

/** The surroundings of sessions of older versions, which did not record them. */
const noneThen = 'no jail: agents and checks run with your rights'

export async function outcomeOf(
  app: Pick<App, 'store'>,
  stored: StoredSession,
  { earlier = false } = {},
): Promise<FixOutcome> {
  const issues = await app.store.issues.get(stored.session.issue_ids)
  const result = sessionResult(stored.session, stored.attempts, issues)
  return {
    result: redactor.value({ ...result, sandbox: stored.session.jail ?? noneThen, earlier }),
    exitCode: exitCodeFor(stored.attempts, stored.session),
  }
}
