import type { ForgeRepository, PullRequest } from '../../loop/ports.ts'
import { Fault } from '../../model/fault.ts'
import type { CommandNamed } from '../../model/forge/comment-command.ts'
import { deliveredIssue } from '../../model/forge/delivery.ts'
import { threadOfReference } from '../../model/forge/forge-findings.ts'
import { issueText } from '../../model/forge/leftover-text.ts'
import type { Issue } from '../../model/issue/issue.ts'
import { quietLine } from '../../model/markdown-text.ts'
import { issuesByCode, listIssues } from '../fix/choose-issues.ts'
import type { App } from '../open-app.ts'
import { whyNotForeign } from '../trust/foreign-code.ts'
import { importThreads } from './import-from-forge.ts'
import type { OpenedForge } from './open-forge.ts'
import { readChange, type ReviewedPull } from './review-pull-request.ts'

/** The pull request that a command stands in, and the repository that it is for. */
export interface CommentPlace {
  readonly about: ForgeRepository
  readonly pull: PullRequest
}

/** The code of a stranger is run only where it can neither reach nor read anything. */
export async function requireFixable(app: App, { pull, about }: CommentPlace): Promise<void> {
  if (pull.state !== 'open')
    throw new Fault('transition_refused', `this pull request is ${pull.state}`, { hint: 'Reopen it first.' })
  const why = pull.headRepository === about.name ? null : await whyNotForeign(app)
  if (why === null) return
  throw new Fault(
    'forbidden',
    `this pull request comes from another repository, and its code is not run here: ${why}`,
    {
      hint: `Whoever trusts it can fix it on a machine of their own: git fetch origin pull/${pull.number}/head, then fixpoint import --pr ${pull.number} and fixpoint fix --all --base FETCH_HEAD.`,
    },
  )
}

/** Whose code a session works on, where that is a stranger's. */
export const foreignOf = ({ pull, about }: CommentPlace): { readonly foreign?: string } =>
  pull.headRepository === about.name ? {} : { foreign: pull.headRepository ?? 'a fork that is gone' }

/** The named issues, all open ones in the files that the pull request changes, or its open threads. */
export async function issuesToFix(
  { codes, all }: CommandNamed<'fix'>,
  app: App,
  { opened, about, pull }: CommentPlace & { readonly opened: OpenedForge },
): Promise<readonly Issue[]> {
  if (codes.length > 0) return issuesByCode(app, codes)
  if (all) {
    const { change } = await readChange(app, opened, pull)
    const changed = new Set(change.files)
    const open = await listIssues(app, { status: ['open'] })
    return open.filter(({ file }) => file !== null && changed.has(file))
  }
  await importThreads(app, String(pull.number))
  const open = await listIssues(app, { status: ['open'] })
  return open.filter(({ references }) =>
    references.some((reference) => threadOfReference(reference, about.url)?.pull === pull.number),
  )
}

/** What an issue is about, and what was tried. */
export async function explainInPull(app: App, code: string): Promise<string> {
  const [issue] = await issuesByCode(app, [code])
  if (!issue) return `There is no issue ${code}.`
  const { attempts } = await app.store.reviews.ledger(issue.id)
  const tries = attempts.map((attempt) => deliveredIssue(attempt, issue))
  const note = issue.resolution_note === null ? '' : `: ${quietLine(issue.resolution_note)}`
  const head = `**${issue.code}: ${quietLine(issue.title)}** is ${issue.status.replaceAll('_', ' ')}${note}`
  return `${head}\n\n${issueText({ issue, tries, permalink: null })}`
}

/** What the votes came to. */
export function votesText({ votes, status, reason }: ReviewedPull): string {
  const lines = votes.map(
    ({ agent, score, missing }) =>
      `- ${quietLine(agent)}: ${score ?? `no vote (${quietLine(missing ?? '')})`}`,
  )
  const head = `**${status.replaceAll('_', ' ')}**: ${quietLine(reason)}`
  return [head, lines.join('\n')].filter(Boolean).join('\n\n')
}
