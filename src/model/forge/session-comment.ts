import type { Attempt } from '../attempt/attempt.ts'
import { isSettled } from '../attempt/attempt.ts'
import { codeFence, inlineCode, quietLine } from '../markdown-text.ts'
import type { Issue } from '../issue/issue.ts'
import type { Session } from '../session/session.ts'
import { isOver } from '../session/session.ts'
import { commentCommands } from './comment-command.ts'

/** What became of offering what landed. */
export interface Proposal {
  /** The pull request with what landed, once there is one. */
  readonly pullUrl: string | null
  /** The same as a patch, where no pull request may be opened. */
  readonly patch: string | null
  /** What keeps that from being offered. */
  readonly trouble: string | null
}

export interface SessionStanding extends Proposal {
  readonly session: Pick<Session, 'id' | 'status' | 'reason'>
  readonly attempts: readonly Attempt[]
  readonly issues: readonly Issue[]
}

/** How a session goes on, as one comment that is rewritten again and again. */
export function sessionComment(standing: SessionStanding): string {
  const { session, attempts, issues, pullUrl, patch, trouble } = standing
  const titles = new Map(issues.map(({ id, title }) => [id, title]))
  const rows = attempts
    .toSorted((a, b) => a.position - b.position)
    .map((attempt) => {
      const title = cell(quietLine(titles.get(attempt.issue_id) ?? ''))
      return `| ${attempt.issue_code} | ${title} | ${cell(stateOf(attempt))} |`
    })
  const held = attempts.filter(({ stage }) => stage === 'held')
  return [
    headOf(standing),
    ['| Issue | Title | Result |', '| --- | --- | --- |', ...rows].join('\n'),
    ...held.map(
      ({ issue_code: code }) =>
        `${code} waits for a person: ${inlineCode(`/fixpoint approve ${code}`)} or ${inlineCode(`/fixpoint reject ${code}`)}.`,
    ),
    ...(pullUrl === null ? [] : [`What landed is in ${pullUrl}.`]),
    ...(patch === null ? [] : [patchText(patch)]),
    ...(trouble === null ? [] : [`It could not be published: ${quietLine(trouble)}`]),
    `<sub>Session ${inlineCode(session.id)}</sub>`,
  ].join('\n\n')
}

/** A comment holds 65,536 characters. */
const mostPatch = 50_000

/** Half a patch helps nobody. */
function patchText(patch: string): string {
  if (patch.length > mostPatch)
    return `What landed is a patch of ${patch.length} characters, too long for a comment. It is on the branch of the session, on the machine that ran it.`
  return [
    `What landed, as a patch for the author (${inlineCode('git apply')} takes it):`,
    `<details><summary>Patch</summary>\n\n${codeFence(patch, 'diff')}\n\n</details>`,
  ].join('\n\n')
}

function headOf({ session, attempts }: SessionStanding): string {
  const fixed = attempts.filter((attempt) => isSettled(attempt) && attempt.outcome === 'fixed').length
  const count = `${fixed} of ${attempts.length} fixed`
  if (isOver(session)) return `**${session.status === 'cancelled' ? 'Cancelled' : 'Done'}**: ${count}.`
  if (session.status === 'awaiting_approval') return `**A person is asked**: ${count}.`
  if (session.status === 'awaiting_clarification')
    return `**It has questions**, which are answered on its page.`
  if (session.status === 'parked')
    return `**It rests**: ${count}. ${quietLine(session.reason ?? '')} ${inlineCode('/fixpoint retry')} starts again.`
  return `**At work**: ${count}.`
}

function stateOf(attempt: Attempt): string {
  if (!isSettled(attempt)) return attempt.stage
  const { outcome, reason, commit_sha: commit, evidence } = attempt
  if (outcome === 'fixed') return `fixed in ${commit?.slice(0, 12) ?? ''} (${evidence ?? 'no evidence'})`
  return `${outcome}: ${quietLine(reason.slice(0, 300))}`
}

const cell = (text: string): string => text.replaceAll(/(?<!\\)\|/g, String.raw`\|`)

/** The list of commands, for people. */
export const helpText = (): string =>
  [
    'People with write permission can say, as the first line of a comment:',
    codeFence(
      commentCommands
        .map(({ name, takes, does }) => `${`/fixpoint ${name} ${takes}`.trimEnd().padEnd(26)}  ${does}`)
        .join('\n'),
      'text',
    ),
  ].join('\n\n')
