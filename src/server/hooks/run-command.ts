import { requireTrusted } from '../../app/fix/require-trusted.ts'
import { createAnswer } from '../../app/forge/one-answer.ts'
import { openForge } from '../../app/forge/open-forge.ts'
import { proposeLanded } from '../../app/forge/propose-landed.ts'
import { clock, ids } from '../../app/machine.ts'
import type { App } from '../../app/open-app.ts'
import type { CheckReport, HookDelivery, PullComment, StoredSession } from '../../loop/ports.ts'
import { asFault, httpStatusOf, isRetryable } from '../../model/fault.ts'
import { readCommentCommand, type CommentCommand } from '../../model/forge/comment-command.ts'
import { checkOfReview, checkOfSession } from '../../model/forge/check-text.ts'
import type { HookCall } from '../../model/forge/webhook.ts'
import type { SessionId } from '../../model/id.ts'
import { quietLine } from '../../model/markdown-text.ts'
import type { Serving } from '../serving/serving.ts'
import { runVerb, type CommandOutcome, type CommandScene } from './comment-verbs.ts'
import { setTimeout as delay } from 'node:timers/promises'
import { sessionComment, type Proposal } from '../../model/forge/session-comment.ts'
import { isOver, type Session } from '../../model/session/session.ts'

export interface CommandWork {
  readonly delivery: HookDelivery & { readonly job: Extract<HookCall, { readonly kind: 'comment' }> }
  readonly stopping: AbortSignal
  /** Writes down which session the command started, before anybody hears of it. */
  readonly noteSession: (id: SessionId) => Promise<void>
  readonly onError: (error: unknown, what: string) => void
}

/** A comment that was written longer ago is no command any more. */
const oldestMs = 24 * 60 * 60_000

/** Carries out a comment, if its author may give commands, and answers with one comment. Doing it twice is doing it once. */
export async function runCommentCommand(serving: Serving, app: App, run: CommandWork): Promise<void> {
  const { delivery, stopping } = run
  await requireTrusted(app, { for: 'forge' })
  const opened = await openForge(app)
  const { forge } = opened
  const comment = await forge.comments.get(delivery.job.comment)
  const command = comment && isRecent(comment, delivery) ? readCommentCommand(comment.body) : null
  if (!comment || !command) return
  const permission = await forge.permissionOf(comment.author)
  if (permission !== 'write' && permission !== 'admin') return
  const pull = await forge.pulls.get(delivery.job.number)
  const show = createAnswer(forge, { number: delivery.job.number, key: delivery.id })
  const scene: CommandScene = {
    serving,
    app,
    opened,
    about: await forge.about(),
    pull,
    comment,
    delivery,
    stopping,
    show,
  }
  const outcome: CommandOutcome =
    delivery.sessionId === null
      ? await recorded(scene, command, () => tryVerb(command, scene))
      : { sessionId: delivery.sessionId }
  const report = createReport(app, scene, run)
  if ('text' in outcome) {
    await show(outcome.text)
    if (outcome.review) await report(checkOfReview(outcome.review))
    return
  }
  await run.noteSession(outcome.sessionId)
  await showSession(serving, {
    sessionId: outcome.sessionId,
    propose: (session) =>
      serving.withRepository(session.repository_id, (opener) => proposeLanded(opener, session, scene)),
    stopping,
    show: async (text, stored) => {
      await show(text)
      await report(checkOfSession(stored, text))
    },
  })
}

const isRecent = ({ number, createdAt }: PullComment, { job }: HookDelivery): boolean =>
  number === job.number && Date.now() - Date.parse(createdAt) < oldestMs

/** Commands that change nothing. */
const answeringCommands: readonly CommentCommand['name'][] = ['help', 'misread', 'explain']

/** Writes down who asked for a change before it is made, and whether it was. */
async function recorded(
  { serving, app, comment }: CommandScene,
  { name }: CommentCommand,
  run: () => Promise<CommandOutcome>,
): Promise<CommandOutcome> {
  if (answeringCommands.includes(name)) return run()
  const id = ids.next('aud')
  await serving.store.audit.begin({
    id,
    at: new Date(clock.now()).toISOString(),
    person: comment.author,
    role: null,
    token_id: null,
    address: comment.url,
    action: `/fixpoint ${name}`,
    repository_ids: [app.repository.id],
    request: comment.body.split('\n', 1)[0] ?? '',
    outcome: null,
  })
  try {
    const outcome = await run()
    await serving.store.audit.end(id, 'refused' in outcome ? outcome.refused : 200)
    return outcome
  } catch (error) {
    await serving.store.audit.end(id, httpStatusOf(asFault(error).code))
    throw error
  }
}

/** The author is told about faults that a person can do something about; failures that pass by themselves are tried again. */
async function tryVerb(command: CommentCommand, scene: CommandScene): Promise<CommandOutcome> {
  try {
    return await runVerb(command, scene)
  } catch (error) {
    const fault = asFault(error)
    if (scene.stopping.aborted || isRetryable(fault.code) || fault.code === 'internal') throw error
    return {
      text: `Not done: ${quietLine(fault.message)}. ${quietLine(fault.hint)}`,
      refused: httpStatusOf(fault.code),
    }
  }
}

/** Only an App may write check runs; where they are refused, the comment has said it all. */
const createReport =
  (app: App, { opened, pull }: CommandScene, { onError }: CommandWork) =>
  async (check: Omit<CheckReport, 'headSha'>): Promise<void> => {
    if (app.loaded.config.github.app.id === null) return
    await opened.forge.checks
      .report({ ...check, headSha: pull.headSha })
      .catch((error: unknown) => onError(error, `reporting on #${pull.number}`))
  }

interface ShownSession {
  readonly sessionId: SessionId
  /** Offers what landed until now. */
  readonly propose: (session: Session) => Promise<Proposal>
  /** Shows how it stands; the same text twice is shown once. */
  readonly show: (text: string, stored: StoredSession) => Promise<void>
  readonly stopping: AbortSignal
}

/** A comment is not rewritten more often. */
const pauseMs = 3_000

/** Shows how a session goes on until it is over, and proposes what landed each time it rests. */
async function showSession(serving: Serving, request: ShownSession): Promise<void> {
  const { sessionId, propose, show, stopping } = request
  const changes = watchChanges(serving, sessionId, stopping)
  let published: { readonly tip: string | null; readonly proposal: Proposal } = {
    tip: null,
    proposal: nothing,
  }
  try {
    while (!stopping.aborted) {
      const stored = await serving.findSession(sessionId)
      const { session, attempts } = stored
      if (isResting(session) && session.branch_made && published.tip !== session.tip.commit)
        published = { tip: session.tip.commit, proposal: await propose(session) }
      const issues = await serving.store.issues.get(session.issue_ids)
      await show(sessionComment({ session, attempts, issues, ...published.proposal }), stored)
      if (isOver(session)) return
      await changes.next()
    }
  } finally {
    changes.end()
  }
}

const isResting = (session: Session): boolean => isOver(session) || session.status === 'awaiting_approval'

const nothing: Proposal = { pullUrl: null, patch: null, trouble: null }

/** Resolves when the session has written something since it was asked last. */
function watchChanges(serving: Serving, id: SessionId, stopping: AbortSignal) {
  let heard = Promise.withResolvers<void>()
  const wake = (): void => heard.resolve()
  const end = serving.feeds.watch(id, 0, wake)
  stopping.addEventListener('abort', wake, { once: true })
  return {
    async next(): Promise<void> {
      await heard.promise
      if (!stopping.aborted) await delay(pauseMs, undefined, { signal: stopping }).catch(() => undefined)
      heard = Promise.withResolvers<void>()
    },
    end(): void {
      stopping.removeEventListener('abort', wake)
      end()
    },
  }
}
