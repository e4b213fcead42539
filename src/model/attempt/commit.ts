import type { CommitId, TreeId } from '../id.ts'
import type { EvidenceGrade } from '../proof/evidence.ts'
import { cleanText } from '../issue/finding-text.ts'
import type { Issue } from '../issue/issue.ts'

export interface CommitFacts {
  readonly issue: Pick<Issue, 'code' | 'title' | 'file' | 'line' | 'fingerprint'>
  /** The issues that the same change fixes as well. */
  readonly others?: readonly Pick<Issue, 'code' | 'fingerprint'>[]
  /** What was changed, in the fixer's words; the issue's title where it says nothing. */
  readonly summary?: string
  readonly explanation: string
  readonly evidence: EvidenceGrade
  /** The tree that the commands ran on, and the commit that it was compared with: those of the train, whose last commit has the tree. */
  readonly verified: { readonly tree: TreeId; readonly base: CommitId }
  readonly challengedBy: string | null
  /** The agent that wrote the fix, when it is to be named. */
  readonly assistedBy: string | null
}

const subjectLength = 72
const generic = new Set(['src', 'lib', 'app', 'apps', 'packages', 'source', 'internal', 'cmd', 'pkg', 'main'])

/** The one commit of an issue: subject, what was wrong and why this mends it, and trailers that prove themselves later. */
export function formatCommitMessage(facts: CommitFacts): string {
  const { issue } = facts
  const all = [issue, ...(facts.others ?? [])]
  const trailers = [
    ...all.flatMap(({ code, fingerprint }) => [`Issue: ${code}`, `Fingerprint: ${fingerprint}`]),
    `Evidence: ${facts.evidence}`,
    `Verified-Tree: ${facts.verified.tree}`,
    `Verified-Base: ${facts.verified.base}`,
    ...(facts.challengedBy ? [`Challenged-by: ${orderlessLine(facts.challengedBy)}`] : []),
    ...(facts.assistedBy ? [`Assisted-by: ${orderlessLine(facts.assistedBy)}`] : []),
  ]
  const body = [wrongHere(facts), plainBody(facts.explanation), proven[facts.evidence]]
  return [
    `fix(${areaOf(issue.file)}): ${subjectOf(facts)} [${all.map(({ code }) => code).join(', ')}]`,
    ...body.filter((part) => part !== ''),
    trailers.join('\n'),
  ].join('\n\n')
}

/** The problem and its place, where neither the subject nor the explanation begins with it. */
function wrongHere({ issue, summary = '', explanation }: CommitFacts): string {
  const { file, line } = issue
  const title = orderlessLine(issue.title).replace(/\.$/, '')
  const isSaid =
    subjectOf({ issue, summary }) === subjectOf({ issue }) || orderlessLine(explanation).startsWith(title)
  const place = file === null ? '' : ` (${file}${line === null ? '' : `:${line}`})`
  return isSaid ? '' : plainBody(orderlessLine(`${title}${place}.`))
}

const proven: Readonly<Record<EvidenceGrade, string>> = {
  E0: 'No check ran on it.',
  E1: 'The checks are green with it.',
  E2: 'The tool that reported it is silent with it.',
  E3: 'A test fails without it and passes with it.',
  E4: 'A test that another agent wrote before the fix fails without it and passes with it.',
}

/** What a commit changed, in one line; the codes behind it tell it from every other one. */
export function subjectOf({ issue, summary = '' }: Pick<CommitFacts, 'issue' | 'summary'>): string {
  const said = orderlessLine(summary.trim().split('\n')[0] ?? '').replace(/\.$/, '')
  return shorten(said.length > 3 ? said : orderlessLine(issue.title), subjectLength)
}

/** Cut between words. */
const shorten = (text: string, length: number): string =>
  text.length <= length
    ? text
    : text
        .slice(0, length + 1)
        .replace(/\s+\S*$/, '')
        .slice(0, length)

/** A short name for the part of the code: the nearest folder that says something, else the file's stem. */
export function areaOf(file: string | null): string {
  const parts = (file ?? '').split('/').filter(Boolean)
  const stem = (parts.pop() ?? 'repo').replace(/(?!^)\.[^.]*$/, '')
  const folder = parts.findLast((part) => !generic.has(part.toLowerCase()))
  return (folder ?? stem).replaceAll(/[^\p{L}\p{N}._-]+/gu, '-').slice(0, 30) || 'repo'
}

/** Text of others as it may stand in a commit's subject. Folded first: two words that a tab parts are an order in one line. */
export const orderlessLine = (text: string): string => disarm(cleanText(text).replaceAll(/\s+/g, ' ').trim())

/** Text of an agent must not be able to forge a trailer: what looks like one is indented. */
const plainBody = (text: string): string =>
  disarm(cleanText(text, bodyLength))
    .split('\n')
    .map((line) => (/^[\w-]+:(?!\/\/)/.test(line) ? `  ${line}` : line).trimEnd())
    .join('\n')

const bodyLength = 2_000

/** Orders to forges and services not to check a commit. */
export const skipOrder = String.raw`\[ {0,9}((?:skip|no)[ _-]+[\w -]{1,30}|[\w-]{1,30}[ _-]+skip|skipci|ciskip) {0,9}\]|\*{3}(NO_CI)\*{3}`
const skipOrders = new RegExp(skipOrder, 'gi')
/** Words with which a commit closes an issue when it is merged, on GitHub and on GitLab. */
const closing =
  /\b((?:clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)|implement(?:s|ed|ing)?):?\s+)(issues?\s+)?(?=(?:[\w./-]+)?#\d|gh-\d|https?:\S+\/\d)/gi

/** Text of an agent must not keep a forge's checks from running, or close issues of others when it is merged. */
const disarm = (text: string): string =>
  text
    .replaceAll(skipOrders, '($1$2)')
    .replaceAll(closing, (_, word: string, what = 'issue ') => `${word}the ${what}`)
