import { issuesByCode, isFixable } from '../../app/fix/choose-issues.ts'
import { isDriven } from '../../adapters/process/run-mark.ts'
import { requireTrusted } from '../../app/fix/require-trusted.ts'
import {
  explainInPull,
  foreignOf,
  issuesToFix,
  requireFixable,
  votesText,
} from '../../app/forge/comment-work.ts'
import type { OpenedForge } from '../../app/forge/open-forge.ts'
import { reviewPullRequest, type ReviewedPull } from '../../app/forge/review-pull-request.ts'
import type { App } from '../../app/open-app.ts'
import type { ForgeRepository, HookDelivery, PullComment, PullRequest } from '../../loop/ports.ts'
import { Fault } from '../../model/fault.ts'
import type { CommandNamed, CommentCommand } from '../../model/forge/comment-command.ts'
import { helpText } from '../../model/forge/session-comment.ts'
import { placeOfCall } from '../../model/forge/webhook.ts'
import { SessionId, type CommitId } from '../../model/id.ts'
import type { Issue } from '../../model/issue/issue.ts'
import { inlineCode, quietLine } from '../../model/markdown-text.ts'
import { isOver } from '../../model/session/session.ts'
import { approvalsOf } from '../serving/approvals.ts'
import { changeIssue } from '../serving/change-issue.ts'
import { retriable } from '../steering/retriable.ts'
import type { Serving } from '../serving/serving.ts'

/** One command, and everything that it may need. */
export interface CommandScene {
  readonly serving: Serving
  readonly app: App
  readonly opened: OpenedForge
  readonly about: ForgeRepository
  readonly pull: PullRequest
  readonly comment: PullComment
  readonly delivery: HookDelivery
  readonly stopping: AbortSignal
  /** Says something before the command is done. */
  readonly show: (text: string) => Promise<void>
}

/** What is said in the end, or the session that will say it. */
export type CommandOutcome =
  | {
      readonly text: string
      readonly review?: ReviewedPull
      /** The status of a refusal, as HTTP has it. */
      readonly refused?: number
    }
  | { readonly sessionId: SessionId }

type Verbs = {
  readonly [Name in CommentCommand['name']]: (
    command: CommandNamed<Name>,
    scene: CommandScene,
  ) => Promise<CommandOutcome>
}

const verbs: Verbs = {
  help: async () => ({ text: helpText() }),
  misread: async ({ why }) => ({ text: `${quietLine(why)}.\n\n${helpText()}` }),
  review: (_, scene) => review(scene),
  fix: async (command, scene) => {
    await requireFixable(scene.app, scene)
    return start(scene, await issuesToFix(command, scene.app, scene), { force: false })
  },
  retry: async (_, scene) => {
    await requireFixable(scene.app, scene)
    const [last] = await sessionsHere(scene)
    if (!last) return { text: 'No session was started from this pull request, so there is nothing to retry.' }
    const stored = await scene.serving.findSession(last)
    return start(scene, await scene.app.store.issues.get(retriable(stored)), { force: true })
  },
  approve: ({ code }, scene) => answerHeld(code, { approve: true }, scene),
  reject: ({ code, reason }, scene) => answerHeld(code, { reject: reason }, scene),
  stop,
  explain: async ({ code }, { app }) => ({ text: await explainInPull(app, code) }),
  ignore: async ({ code, reason }, { app, comment }) => {
    const [issue] = await issuesByCode(app, [code])
    if (!issue) return { text: `There is no issue ${code}.` }
    await changeIssue(app.store.issues, issue.id, {
      status: 'ignored',
      reason: `${reason} (${comment.author}, ${comment.url})`,
    })
    return { text: `${code} is ignored: ${quietLine(reason)}` }
  },
}

export const runVerb = <Name extends CommentCommand['name']>(
  command: CommandNamed<Name>,
  scene: CommandScene,
): Promise<CommandOutcome> => verbs[command.name](command, scene)

async function review({ app, pull, stopping, show }: CommandScene): Promise<CommandOutcome> {
  if (pull.state !== 'open') throw new Fault('transition_refused', `this pull request is ${pull.state}`)
  await show('The voters read this pull request.')
  const reviewed = await reviewPullRequest(app, {
    pull: String(pull.number),
    isPosted: true,
    requireTrust: (voting, base) => requireTrusted(voting, { revisions: [base] }),
    signal: stopping,
    say: () => undefined,
  })
  stopping.throwIfAborted()
  return { text: votesText(reviewed), review: reviewed }
}

/** The same delivery starts the same session, however often it is worked off. */
async function start(
  { serving, app, opened, about, pull, delivery }: CommandScene,
  issues: readonly Issue[],
  { force }: { readonly force: boolean },
): Promise<CommandOutcome> {
  const chosen = issues.filter(isFixable)
  if (chosen.length === 0) return { text: 'There is nothing to fix here.' }
  const base: CommitId | null = await opened.remote.fetch(`refs/pull/${pull.number}/head`)
  if (base === null) throw new Fault('forge_missing', `#${pull.number} has no commits any more`)
  const running = await serving.openRepository(app.repository.id)
  try {
    const request = {
      issues: chosen,
      base,
      attended: true,
      force,
      idempotencyKey: delivery.id,
      ...foreignOf({ pull, about }),
    }
    return { sessionId: (await serving.runner.start(running, request)).stored.session.id }
  } catch (error) {
    const id = error instanceof Fault ? error.details['session_id'] : null
    if (error instanceof Fault && error.code === 'already_running' && typeof id === 'string')
      return { sessionId: SessionId.parse(id) }
    throw error
  }
}

async function answerHeld(
  code: string,
  answer: { readonly approve: true } | { readonly reject: string },
  { serving, app, comment }: CommandScene,
): Promise<CommandOutcome> {
  for (const { id } of await serving.store.sessions.asking(app.repository.id)) {
    const stored = await serving.findSession(id)
    const issues = await serving.store.issues.get(stored.session.issue_ids)
    const asked = approvalsOf(stored, issues).find(({ issue_code }) => issue_code === code)
    if (!asked) continue
    await serving.runner.answer({ sessionId: id, code, round: asked.round, answer, by: comment.author })
    const files = asked.files.map(inlineCode).join(', ')
    return {
      text: `${code} is ${'approve' in answer ? 'approved' : 'rejected'} by ${comment.author}${files && `: ${files}`}.`,
    }
  }
  return { text: `${code} does not wait for an answer.` }
}

async function stop(_: CommandNamed<'stop'>, scene: CommandScene): Promise<CommandOutcome> {
  const stopped: string[] = []
  for (const id of await sessionsHere(scene)) {
    const { session } = await scene.serving.findSession(id)
    if (isOver(session) || !isDriven(scene.serving.store, session)) continue
    await scene.serving.runner.stop(id)
    stopped.push(inlineCode(id))
  }
  return {
    text:
      stopped.length === 0
        ? 'Nothing runs here.'
        : `Stopped: ${stopped.join(', ')}. Steps that run may finish.`,
  }
}

const sessionsHere = ({ serving, delivery }: CommandScene): Promise<readonly SessionId[]> =>
  serving.store.deliveries.sessionsAt(placeOfCall(delivery.job))
