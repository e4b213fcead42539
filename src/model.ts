/** The nouns of Fixpoint as schemas and types, for programs that read its JSON or talk to its server. Nothing here needs Node. */
export * from './model/api/fix.ts'
export * from './model/api/issues.ts'
export * from './model/api/problem.ts'
export * from './model/api/repositories.ts'
export * from './model/api/sessions.ts'
export * from './model/api/system.ts'
export { AgentEnding, AgentRun, AgentTask, FailureKind, Role } from './model/agent/agent.ts'
export { WrittenConfig } from './model/config/settings.ts'
export { Fault, type FaultCode } from './model/fault.ts'
export {
  AttemptId,
  CommitId,
  FindingId,
  IssueId,
  RepositoryId,
  ReviewId,
  SessionId,
  TreeId,
} from './model/id.ts'
export { FileCoverage } from './model/issue/coverage.ts'
export { Finding, WrittenFinding } from './model/issue/finding.ts'
export { Issue, IssueClass, IssueStatus } from './model/issue/issue.ts'
export { Review, ReviewerResult } from './model/issue/review.ts'
export { Severity } from './model/issue/severity.ts'
export { Challenge } from './model/proof/challenge.ts'
export type { CommitCheck, CommitVerdict } from './model/proof/commit-verdict.ts'
export { EvidenceGrade } from './model/proof/evidence.ts'
export { Gate, GateStatus } from './model/proof/gate.ts'
export { Verification } from './model/proof/verification.ts'
export { Repository } from './model/repository.ts'
export { Batch } from './model/session/batch.ts'
export { EventType, FixEvent, isFinalEvent } from './model/session/event.ts'
export { Plan } from './model/session/plan.ts'
export { SessionStatus } from './model/session/session.ts'
export type { SessionResult } from './model/session/session-result.ts'
