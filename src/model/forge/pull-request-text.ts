import { inlineCode, quietLine } from '../markdown-text.ts'
import { orderlessLine } from '../attempt/commit.ts'
import { heldFile } from './bundle.ts'
import { hasOwnPart } from './own-part.ts'
import type { DeliveredIssue, Delivery } from './delivery.ts'

/** Names our part of a pull request's body. */
export const bodyPart = 'pull-request'

/** Whether a body has our part, so that its pull request is one of ours. */
export const isOwnBody = (body: string): boolean => hasOwnPart(body, bodyPart)

const mostTitle = 100

/** The title that a pull request gets when nobody gives one. */
export function pullRequestTitle({ issues }: Delivery): string {
  const fixed = issues.filter(isFixed)
  const [first, ...others] = fixed
  if (!first) return 'Fixes by Fixpoint'
  const more = others.length === 0 ? '' : ` and ${others.length} more`
  // A squash makes the title a commit's subject, which could close other issues or keep checks from running.
  const title = orderlessLine(first.title).replaceAll(/#(?=\d)/g, '# ')
  const room = mostTitle - more.length - 'fix: '.length
  return `fix: ${title.length > room ? `${title.slice(0, room - 1)}…` : title}${more}`
}

/** Where a delivery comes from: a session of this machine, or a file that another machine wrote. */
export type DeliverySource = 'session' | 'bundle'

const sources = {
  session: {
    remarks: [],
    howToDecide: ({ code }: DeliveredIssue) =>
      `${inlineCode(`fixpoint approve ${code}`)} or ${inlineCode(`fixpoint reject ${code}`)} decides`,
  },
  bundle: {
    remarks: [
      '> Published from a bundle: the commits were checked for what they touch, but nothing of them was run here. What is said below about checks, scores and cost is the word of the job that made the bundle.',
    ],
    howToDecide: ({ code }: DeliveredIssue) => `its patch is ${inlineCode(heldFile(code))} in the bundle`,
  },
} satisfies Record<DeliverySource, unknown>

const heldLine = (issue: DeliveredIssue, source: DeliverySource): string =>
  `- ${issue.code} ${quietLine(issue.title)}: ${quietLine(issue.reason ?? 'a person has to look at it')} (${sources[source].howToDecide(issue)})`

/** What a reviewer needs in a minute: what was fixed and how well that is proven, what was not, how to check it. */
export function pullRequestText(delivery: Delivery, source: DeliverySource): string {
  const fixed = delivery.issues.filter(isFixed)
  const held = delivery.issues.filter(({ outcome }) => outcome === 'held')
  const others = delivery.issues.filter((issue) => !isFixed(issue) && !held.includes(issue))
  return [
    summaryOf(fixed, [...held, ...others]),
    ...sources[source].remarks,
    '### Fixed',
    fixedTable(fixed),
    ...fixed.map(detailOf),
    ...(others.length > 0 ? ['### Not fixed', othersTable(others)] : []),
    ...(held.length > 0
      ? ['### Waits for a person', held.map((issue) => heldLine(issue, source)).join('\n')]
      : []),
    '### How to check it',
    checkText(delivery),
    `<sub>Session ${inlineCode(delivery.session_id)}, ${money(delivery.cost_usd)} in all.</sub>`,
  ].join('\n\n')
}

const isFixed = ({ outcome, commit_sha }: DeliveredIssue): boolean =>
  outcome === 'fixed' && commit_sha !== null

const count = (number: number, word: string): string => `${number} ${word}${number === 1 ? '' : 's'}`

function summaryOf(fixed: readonly DeliveredIssue[], others: readonly DeliveredIssue[]): string {
  const commits = new Set(fixed.map(({ commit_sha: commit }) => commit)).size
  const rest =
    others.length > 0 ? `, ${others.length} left as ${others.length === 1 ? 'it is' : 'they are'}` : ''
  return `${count(fixed.length, 'issue')} fixed in ${count(commits, 'commit')}${rest}. The project's own checks are green on the tip of this branch.`
}

const fixedTable = (fixed: readonly DeliveredIssue[]): string =>
  table(
    ['Issue', 'Severity', 'Where', 'Evidence', 'Score', 'Rounds', 'Cost', 'Commit'],
    fixed.map((issue) => [
      `${issue.code} ${quietLine(issue.title)}`,
      issue.severity,
      placeOf(issue),
      issue.evidence === null ? 'none' : `${issue.evidence}, ${meanings[issue.evidence]}`,
      issue.score === null ? 'not challenged' : String(issue.score),
      String(issue.rounds),
      money(issue.cost_usd),
      issue.commit_sha?.slice(0, 12) ?? '',
    ]),
  )

const meanings: Readonly<Record<NonNullable<DeliveredIssue['evidence']>, string>> = {
  E0: 'judged only',
  E1: 'checks are green',
  E2: 'the tool that raised it is silent',
  E3: 'a test fails without the fix',
  E4: 'a test by another agent fails without the fix',
}

const othersTable = (others: readonly DeliveredIssue[]): string =>
  table(
    ['Issue', 'Severity', 'Outcome', 'Why'],
    others.map((issue) => [
      `${issue.code} ${quietLine(issue.title)}`,
      issue.severity,
      issue.outcome ?? 'unfinished',
      `${quietLine(issue.reason ?? 'nothing was said')}${excuseOf(issue)}`,
    ]),
  )

/** The reason may have flagged it already. */
const excuseOf = ({ weak_excuse: words, reason }: DeliveredIssue): string =>
  words === null || reason?.includes('weak excuse') ? '' : ` (weak excuse: “${quietLine(words)}”)`

function detailOf(issue: DeliveredIssue): string {
  const lines = [
    `**Problem:** ${quietLine(shorten(issue.description))}`,
    ...(issue.changes ? [`**Change:** ${quietLine(shorten(issue.changes))}`] : []),
    ...(issue.explanation ? [`**Why it helps:** ${quietLine(shorten(issue.explanation))}`] : []),
  ]
  const title = quietLine(`${issue.code}: ${issue.title}`)
  return `<details><summary>${title.replaceAll('<', '&lt;')}</summary>\n\n${lines.join('\n\n')}\n\n</details>`
}

function checkText({ branch, base_commit, tip_commit }: Delivery): string {
  const commands = [
    `git fetch origin '+refs/notes/fixpoint:refs/notes/fixpoint' ${quote(branch)}`,
    `fixpoint verify ${tip_commit.slice(0, 12)}`,
  ]
  return `Every commit carries its evidence as trailers and as a note. From ${inlineCode(base_commit.slice(0, 12))}, all gates that need no agent run again:\n\n\`\`\`sh\n${commands.join('\n')}\n\`\`\``
}

/** A branch may have any name that git allows; a shell must take it as one word. */
const quote = (word: string): string =>
  /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`

const placeOf = ({ file, line }: DeliveredIssue): string =>
  file === null ? 'the whole repository' : cell(inlineCode(line === null ? file : `${file}:${line}`))

const mostDetail = 600
const shorten = (text: string): string => (text.length > mostDetail ? `${text.slice(0, mostDetail)}…` : text)

const money = (usd: number): string => (usd > 0 ? `$${usd.toFixed(2)}` : 'free')

const cell = (text: string): string => text.replaceAll('|', String.raw`\|`)

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows]
    .map((row) => `| ${row.map((text) => text.replaceAll(/(?<!\\)\|/g, String.raw`\|`)).join(' | ')} |`)
    .join('\n')
