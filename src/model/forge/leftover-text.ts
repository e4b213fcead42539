import { codeFence, inlineCode, quietLine, quietText } from '../markdown-text.ts'
import type { Issue } from '../issue/issue.ts'
import type { DeliveredIssue } from './delivery.ts'

/** Names our part of a published issue: by its fingerprint, so that it is found again from anywhere. */
export const leftoverPart = ({ fingerprint }: Pick<Issue, 'fingerprint'>): string =>
  `issue:${fingerprint.replaceAll(/[^\w.:/-]/g, '-').slice(0, 120)}`

const mostTitle = 100

/** `[MAJOR] add subtracts`, at most a hundred characters. */
export function leftoverTitle({ severity, title }: Pick<Issue, 'severity' | 'title'>): string {
  const whole = `[${severity.toUpperCase()}] ${title.replaceAll(/\s+/g, ' ').trim()}`
  return whole.length > mostTitle ? `${whole.slice(0, mostTitle - 1)}…` : whole
}

export interface LeftoverFacts {
  readonly issue: Issue
  /** What was tried, oldest first. */
  readonly tries: readonly DeliveredIssue[]
  /** Where the code stands, on the forge. */
  readonly permalink: string | null
}

/** The text of a published issue. */
export const leftoverText = (facts: LeftoverFacts): string =>
  `${issueText(facts)}\n\n<sub>Published by Fixpoint as ${facts.issue.code}. This part is kept up to date; write below it.</sub>`

/** What somebody needs who takes the issue over: the problem, where it is, what was tried and why that did not do. */
export function issueText({ issue, tries, permalink }: LeftoverFacts): string {
  const place =
    issue.file === null ? null : inlineCode(`${issue.file}${issue.line === null ? '' : `:${issue.line}`}`)
  const link = place !== null && permalink !== null ? `[${place}](${permalink})` : place
  const facts = [
    `**Severity:** ${issue.severity}`,
    `**Category:** ${quietLine(issue.category)}`,
    ...(issue.rule === null ? [] : [`**Rule:** ${inlineCode(issue.rule)}`]),
    ...(link === null ? [] : [`**Where:** ${link}`]),
    `**Found by:** ${issue.flagged_by.map(quietLine).join(', ')}`,
  ]
  return [
    quietText(issue.description),
    facts.join(' · '),
    ...(issue.current_code === null ? [] : [codeFence(shorten(issue.current_code))]),
    ...(issue.suggested_fix === null
      ? []
      : ['**Suggested fix** (not checked):', codeFence(shorten(issue.suggested_fix))]),
    ...(tries.length === 0 ? [] : ['### What was tried', tries.map(tryText).join('\n')]),
  ].join('\n\n')
}

function tryText({ outcome, reason, explanation, weak_excuse, rounds, cost_usd }: DeliveredIssue): string {
  const spent = `${rounds} ${rounds === 1 ? 'round' : 'rounds'}${cost_usd > 0 ? `, $${cost_usd.toFixed(2)}` : ''}`
  const said =
    explanation === null || explanation === reason
      ? ''
      : ` The fixer said: ${quietLine(shorten(explanation))}`
  const flag = weak_excuse === null ? '' : `\n  - ⚠️ Suspicious justification: “${quietLine(weak_excuse)}”`
  return `- **${outcome ?? 'unfinished'}** (${spent}): ${quietLine(shorten(reason ?? 'no reason was given'))}${said}${flag}`
}

const mostShown = 2_000
const shorten = (text: string): string => (text.length > mostShown ? `${text.slice(0, mostShown)}…` : text)
