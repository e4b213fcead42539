import type { Finding } from '../../../model/issue/finding.ts'
import type { Issue, IssueStatus } from '../../../model/issue/issue.ts'
import type { VoicesOf } from '../../ports.ts'
import type { FindingGroup } from './groups.ts'
import { foldSpace, isAboutOther, normaliseTitle } from './words.ts'

/** What one source says of a known issue. */
export interface KnownClaim extends Claimed {
  readonly issue: Issue
  /** The sources that say it: one, or all of the issue's where it is not known who said what. */
  readonly names: readonly string[]
}

/** What findings and issues are compared by. */
export type Claimed = Pick<
  Finding & Issue,
  'rule' | 'title' | 'description' | 'file' | 'line' | 'end_line' | 'current_code' | 'fingerprint'
> & { readonly column?: number | undefined; readonly marks?: readonly string[] | undefined }

/** What is known of issues, source by source where that is known. */
export const knownClaims = (issues: readonly Issue[], voicesOf: VoicesOf): readonly KnownClaim[] =>
  issues.flatMap((issue) => {
    const [lead, ...others] = voicesIn(issue, voicesOf)
    if (lead === undefined) return [{ ...claimOf(issue), issue, names: issue.flagged_by }]
    // The issue follows its code; the finding that it was made of stays as it was.
    const first = { ...claimOf(issue), title: lead.title, description: lead.description }
    return [
      { ...first, issue, names: [lead.source.name] },
      ...others.map((voice) => ({ ...claimOf(voice), issue, names: [voice.source.name] })),
    ]
  })

/** The findings of an issue of several sources; the one that gave it its words and its place comes first. None where they are not known. */
export function voicesIn(issue: Issue, voicesOf: VoicesOf): readonly Finding[] {
  const voices = issue.flagged_by.length > 1 ? voicesOf(issue.id)?.findings : undefined
  if (voices === undefined || voices.length === 0) return []
  const ownWords = voices.filter((voice) => voice.title === issue.title && voice.rule === issue.rule)
  const ownCode = ownWords.filter((voice) => voice.fingerprint === issue.fingerprint)
  // Two sources may say the same words of the same code, and mean two copies of it.
  const own = ownCode.find((voice) => voice.line === issue.line) ?? ownCode[0] ?? ownWords[0] ?? voices[0]
  return [own as Finding, ...voices.filter((voice) => voice !== own)]
}

const claimOf = ({
  rule,
  title,
  description,
  file,
  line,
  end_line,
  current_code,
  fingerprint,
  column,
  marks,
}: Claimed): Claimed => ({
  rule,
  title,
  description,
  file,
  line,
  end_line,
  current_code,
  fingerprint,
  column,
  marks,
})

const hidden: ReadonlySet<IssueStatus> = new Set(['ignored', 'duplicate', 'resolved'])

/** An issue that nobody looks at any more must not swallow another problem; an issue that triage merged is a part of one in sight. */
export const isOutOfSight = (issue: Issue): boolean => hidden.has(issue.status) && !isJoinedAway(issue)

/** How the note of such an issue begins. */
export const joinedNote = 'the same problem as '

/** Whether triage itself made an issue the duplicate of another: a later finding may show that they are two. */
export const isJoinedAway = ({ status, resolution_note }: Issue): boolean =>
  status === 'duplicate' && resolution_note?.startsWith(joinedNote) === true

/** What is claimed, in words that do not change when lines move; what other sources said stands in later paragraphs. */
export const saidBy = ({ description }: Claimed): string =>
  normaliseTitle((description.split('\n\n', 1)[0] ?? '').slice(0, 1_000))

/** The claim and the code it is about, without what stands around the code; null when it cites no code. */
export const codeOf = ({ rule, title, current_code: code }: Claimed): string | null =>
  code === null ? null : `${rule ?? normaliseTitle(title)}\0${foldSpace(code)}`

/** Whether another wording of the same rule may mean the same problem: it names nothing else. */
export const mayBeReworded = ({ lead }: FindingGroup, claim: KnownClaim): boolean =>
  !isAboutOther(lead.description, claim.description)
