import type { Attempt, AttemptAt } from '../../model/attempt/attempt.ts'
import { formatCommitMessage } from '../../model/attempt/commit.ts'
import type { EvidenceNote } from '../../model/attempt/evidence-note.ts'
import type { IssueId } from '../../model/id.ts'
import type { Issue } from '../../model/issue/issue.ts'
import type { PlannedLanding, Session } from '../../model/session/session.ts'
import type { Verification } from '../../model/proof/verification.ts'
import type { Ports } from '../ports.ts'
import type { Wagon } from './compose-train.ts'

export interface CommitContext {
  readonly ports: Pick<Ports, 'clock' | 'composer' | 'author'>
  readonly issues: ReadonlyMap<IssueId, Issue>
  readonly session: Session
}

/** One commit per issue, parent after parent. No ref names them until the branch moves. */
export async function planCommits(
  wagons: readonly Wagon[],
  verification: Verification | undefined,
  { ports, issues, session }: CommitContext,
): Promise<PlannedLanding | null> {
  const date = ports.clock.now()
  const last = wagons.at(-1)
  if (!last) return null
  const verified = { tree: last.tree, base: session.tip.commit }
  let parent = session.tip.commit
  const commits: PlannedLanding['commits'][number][] = []
  for (const { attempt, tree } of wagons) {
    const issue = issues.get(attempt.issue_id)
    if (!issue) throw new Error(`${attempt.issue_code} is not among the session's issues`)
    const summary = attempt.report?.changes_summary ?? ''
    const message = formatCommitMessage({
      issue,
      summary,
      others: (attempt.bundle ?? []).flatMap(({ issue_id }) => issues.get(issue_id) ?? []),
      explanation: attempt.report?.explanation || (attempt.report?.changes_summary ?? ''),
      evidence: attempt.evidence,
      verified,
      challengedBy: attempt.challenge ? `${attempt.challenge.agent} (${attempt.challenge.score ?? 0})` : null,
      assistedBy: session.options.assisted_by ? attempt.run.agent : null,
    })
    parent = await ports.composer.commit({ tree, parent, message, author: ports.author, date_ms: date })
    commits.push({ attempt_id: attempt.id, commit_sha: parent, message, evidence: attempt.evidence })
  }
  const checks = (verification?.commands ?? []).map(({ name, status, reason, exit_code }) => ({
    name,
    status,
    reason,
    exit_code,
  }))
  return { from: session.tip, to: { commit: parent, tree: last.tree }, commits, checks }
}

export interface NoteFacts {
  readonly commit: PlannedLanding['commits'][number]
  readonly landing: PlannedLanding
  readonly attempt: Attempt | undefined
  readonly issue: Issue | undefined
  /** The other issues that the same change fixes. */
  readonly others: readonly Issue[]
  readonly session: Pick<Session, 'base' | 'options'>
  readonly jail: string
}

/** The note on a commit that is about to land. */
export function evidenceNote({ commit, landing, attempt, issue, others, session, jail }: NoteFacts): string {
  const accepted = attempt?.stage === 'accepted' ? attempt : null
  const note: EvidenceNote = {
    schema: 'fixpoint.evidence.v1',
    issue_code: attempt?.issue_code ?? null,
    issue_id: attempt?.issue_id ?? null,
    title: issue?.title ?? '',
    fingerprint: issue?.fingerprint ?? null,
    rule: issue?.rule ?? null,
    flagged_by: issue?.flagged_by ?? [],
    file: issue?.file ?? null,
    line: issue?.line ?? null,
    ...(others.length > 0 && { others: others.map(otherIssue) }),
    session_id: attempt?.session_id ?? null,
    base: session.base,
    evidence: commit.evidence,
    verified: landing.to,
    commands: (landing.checks ?? []).map((check) => ({
      ...check,
      ...session.options.commands.find(({ name }) => name === check.name),
    })),
    gates: accepted?.gates.map(({ asks: _asks, grade: _grade, ...gate }) => gate) ?? [],
    challenge: accepted?.challenge ?? null,
    proof: accepted?.verification.proof ?? null,
    sandbox: jail,
    reproduction: accepted ? hiddenTestOf(accepted) : null,
  }
  return `${JSON.stringify(note, null, 2)}\n`
}

const otherIssue = ({ code: issue_code, title, rule, flagged_by, file, line }: Issue) => ({
  issue_code,
  title,
  rule,
  flagged_by,
  file,
  line,
})

const hiddenTestOf = ({
  reproduction,
}: Pick<AttemptAt<'accepted'>, 'reproduction'>): EvidenceNote['reproduction'] =>
  reproduction?.test && reproduction.run ? { ...reproduction.test, agent: reproduction.run.agent } : null
