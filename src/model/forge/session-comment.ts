import type { Attempt } from '../attempt/attempt.ts'
import { isSettled } from '../attempt/attempt.ts'
import { codeFence, inlineCode, quietLine } from '../markdown-text.ts'
import type { Issue } from '../issue/issue.ts'
import type { Session } from '../session/session.ts'
import { isOver } from '../session/session.ts'
import { commentCommands } from './comment-command.ts'

export interface SessionStanding {
  readonly session: Pick<Session, 'id' | 'status' | 'reason'>
  readonly attempts: readonly Attempt[]
  readonly issues: readonly Issue[]
  /** The pull request with what landed, once there is one. */
  readonly pullUrl: string | null
  /** What keeps that from being opened. */
  readonly trouble: string | null
}

/** How a session goes on, as one comment that is rewritten again and again. */
export function sessionComment(standing: SessionStanding): string {
  const { session, attempts, issues, pullUrl, trouble } = standing
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
    ['| Issue | | |', '| --- | --- | --- |', ...rows].join('\n'),
    ...held.map(
      ({ issue_code: code }) =>
        `${code} waits for a person: ${inlineCode(`/fixpoint approve ${code}`)} or ${inlineCode(`/fixpoint reject ${code}`)}.`,
    ),
    ...(pullUrl === null ? [] : [`What landed is in ${pullUrl}.`]),
    ...(trouble === null ? [] : [`It could not be published: ${quietLine(trouble)}`]),
    `<sub>Session ${inlineCode(session.id)}</sub>`,
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
