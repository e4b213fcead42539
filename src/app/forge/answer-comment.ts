import type { PullComment } from '../../loop/ports.ts'
import type { SessionSignals } from '../../loop/session/run-session.ts'
import { asFault, exitCodeOf, Fault, isRetryable } from '../../model/fault.ts'
import {
  readCommentCommand,
  type CommandNamed,
  type CommentCommand,
} from '../../model/forge/comment-command.ts'
import { helpText, sessionComment } from '../../model/forge/session-comment.ts'
import type { CommitId } from '../../model/id.ts'
import { quietLine } from '../../model/markdown-text.ts'
import { isFixable } from '../fix/choose-issues.ts'
import { fixIssues } from '../fix/fix-issues.ts'
import { loadSession } from '../fix/stored-session.ts'
import type { App } from '../open-app.ts'
import {
  explainInPull,
  foreignOf,
  issuesToFix,
  requireFixable,
  votesText,
  type CommentPlace,
} from './comment-work.ts'
import { createAnswer } from './one-answer.ts'
import { openForge, type OpenedForge } from './open-forge.ts'
import { proposeLanded } from './propose-landed.ts'
import { reviewPullRequest } from './review-pull-request.ts'

export interface AnswerOptions {
  /** The number of the comment. */
  readonly comment: number
  /** Asks the person to trust what a revision's configuration would run. */
  readonly requireTrust: (app: App, revision: CommitId) => Promise<void>
  readonly signals: SessionSignals
  readonly say: (progress: string) => void
}

/** `fixpoint.pr-answer.v1`. */
export interface AnsweredComment {
  readonly number: number
  /** Null when the comment is no command, or its author may not give one: then nothing is said. */
  readonly command: string | null
  readonly text: string | null
  readonly session_id: string | null
  readonly issues_fixed: number
  readonly cost_usd: number
  readonly exitCode: number
}

interface Scene extends AnswerOptions, CommentPlace {
  readonly opened: OpenedForge
  readonly show: (text: string) => Promise<void>
}

type Said = Pick<AnsweredComment, 'text' | 'exitCode'> &
  Partial<Pick<AnsweredComment, 'session_id' | 'issues_fixed' | 'cost_usd'>>

/**
 * Carries out one comment on a pull request, if GitHub says that its author may write, and answers it with one comment.
 * Keeps nothing between two calls: a command that needs a waiting or running session needs a server.
 */
export async function answerComment(app: App, options: AnswerOptions): Promise<AnsweredComment> {
  const opened = await openForge(app)
  const { forge } = opened
  const comment = await forge.comments.get(options.comment)
  if (!comment) throw new Fault('forge_missing', `there is no comment ${options.comment}`)
  const nothing = { session_id: null, issues_fixed: 0, cost_usd: 0 }
  const command = isRecent(comment) ? readCommentCommand(comment.body) : null
  if (!command || !(await mayWrite(opened, comment)))
    return { number: comment.number, command: null, text: null, exitCode: 0, ...nothing }
  const show = createAnswer(forge, { number: comment.number, key: `comment ${comment.id}` })
  const pull = await forge.pulls.get(comment.number)
  const said = await tryCommand(app, command, { ...options, opened, about: await forge.about(), pull, show })
  if (said.text !== null) await show(said.text)
  return { number: comment.number, command: command.name, ...nothing, ...said }
}

/** A comment that was written longer ago is no command any more. */
const oldestMs = 24 * 60 * 60_000
const isRecent = ({ createdAt }: PullComment): boolean => Date.now() - Date.parse(createdAt) < oldestMs

async function mayWrite({ forge }: OpenedForge, { author }: PullComment): Promise<boolean> {
  const permission = await forge.permissionOf(author)
  return permission === 'write' || permission === 'admin'
}

/** The author is told about faults that a person can do something about. */
async function tryCommand(app: App, command: CommentCommand, scene: Scene): Promise<Said> {
  try {
    return await runCommand(app, command, scene)
  } catch (error) {
    const fault = asFault(error)
    if (isRetryable(fault.code) || fault.code === 'internal') throw error
    const text = `Not done: ${quietLine(fault.message)}. ${quietLine(fault.hint)}`
    return { text, exitCode: exitCodeOf(fault.code) }
  }
}

async function runCommand(app: App, command: CommentCommand, scene: Scene): Promise<Said> {
  switch (command.name) {
    case 'help':
      return { text: helpText(), exitCode: 0 }
    case 'misread':
      return { text: `${quietLine(command.why)}.\n\n${helpText()}`, exitCode: 0 }
    case 'explain':
      return { text: await explainInPull(app, command.code), exitCode: 0 }
    case 'review':
      return review(app, scene)
    case 'fix':
      return fix(app, command, scene)
    default:
      return {
        text: `\`/fixpoint ${command.name}\` needs a server: this run remembers no session. See docs/guide/github.md.`,
        exitCode: 0,
      }
  }
}

const exits = { approved: 0, changes_needed: 1, not_evaluated: 3 } as const

async function review(app: App, { pull, show, requireTrust, signals, say }: Scene): Promise<Said> {
  if (pull.state !== 'open') throw new Fault('transition_refused', `this pull request is ${pull.state}`)
  await show('The voters read this pull request.')
  const reviewed = await reviewPullRequest(app, {
    pull: String(pull.number),
    isPosted: true,
    requireTrust,
    signal: signals.stopStarting,
    say,
  })
  const cost_usd = reviewed.votes.reduce((sum, vote) => sum + vote.cost_usd, 0)
  return { text: votesText(reviewed), exitCode: exits[reviewed.status], cost_usd }
}

/** The same comment starts the same session, however often it is answered. */
async function fix(app: App, command: CommandNamed<'fix'>, scene: Scene): Promise<Said> {
  const { opened, pull, comment, show } = scene
  await requireFixable(app, scene)
  const issues = (await issuesToFix(command, app, scene)).filter(isFixable)
  if (issues.length === 0) return { text: 'There is nothing to fix here.', exitCode: 0 }
  const base = await opened.remote.fetch(`refs/pull/${pull.number}/head`)
  if (base === null) throw new Fault('forge_missing', `#${pull.number} has no commits any more`)
  await scene.requireTrust(app, base)
  await show(`**At work** on ${issues.map(({ code }) => code).join(', ')}.`)
  const { result, exitCode } = await fixIssues(
    app,
    {
      issues,
      base,
      idempotencyKey: `comment ${comment}`,
      ...foreignOf(scene),
    },
    scene.signals,
  )
  const { session, attempts } = await loadSession(app, result.session_id)
  const proposal = session.branch_made
    ? await proposeLanded(app, session, scene)
    : { pullUrl: null, patch: null, trouble: null }
  const known = await app.store.issues.get(session.issue_ids)
  return {
    text: sessionComment({ session, attempts, issues: known, ...proposal }),
    exitCode,
    session_id: result.session_id,
    issues_fixed: result.issues_fixed,
    cost_usd: result.cost_usd,
  }
}
