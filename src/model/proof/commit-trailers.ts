import { CommitId, TreeId } from '../id.ts'
import { EvidenceGrade } from './evidence.ts'

/** What a commit of Fixpoint says of itself in its last lines. */
export interface CommitTrailers {
  readonly issue_codes: readonly string[]
  readonly fingerprints: readonly string[]
  readonly evidence: EvidenceGrade
  /** The tree that was verified: its own, or that of the last commit of its train. Null in commits that do not say it. */
  readonly verified_tree: TreeId | null
  /** The commit that the tree was compared with: what the train was put on. */
  readonly verified_base: CommitId | null
  readonly challenged_by: string | null
  readonly assisted_by: string | null
}

/** Reads the trailers of a commit message; null when it is not one that Fixpoint wrote. */
export function parseCommitTrailers(message: string): CommitTrailers | null {
  const lines = message.trimEnd().split('\n')
  const block = lines.slice(lines.findLastIndex((line) => line.trim() === '') + 1)
  const pairs = block.flatMap((line) => {
    const [, name, value] = /^([A-Za-z][\w-]*): +(.+)$/.exec(line.trimEnd()) ?? []
    return name && value ? [{ name: name.toLowerCase(), value }] : []
  })
  const all = (name: string): readonly string[] =>
    pairs.filter((pair) => pair.name === name).map(({ value }) => value)
  const evidence = EvidenceGrade.safeParse(all('evidence')[0])
  const issueCodes = all('issue').map((value) => value.split(' ')[0] ?? value)
  if (issueCodes.length === 0 || !evidence.success) return null
  return {
    issue_codes: issueCodes,
    fingerprints: all('fingerprint'),
    evidence: evidence.data,
    verified_tree: TreeId.safeParse(all('verified-tree')[0]).data ?? null,
    verified_base: CommitId.safeParse(all('verified-base')[0]).data ?? null,
    challenged_by: all('challenged-by')[0] ?? null,
    assisted_by: all('assisted-by')[0] ?? null,
  }
}
