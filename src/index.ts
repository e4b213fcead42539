/** Fixpoint as a library: open a repository, bring findings in, fix, read what was proven. */
export { openFixpoint } from './app/library/open-fixpoint.ts'
export type {
  Abortable,
  Fixpoint,
  FixpointConfig,
  FixpointOptions,
  FixOptions,
  PlanOptions,
  ReportOptions,
  ResumeChanges,
  ReviewOptions,
} from './app/library/open-fixpoint.ts'
export type { IssueChoice, IssueSearch } from './app/fix/choose-issues.ts'
export type { PlannedWork } from './app/prepare/plan-issues.ts'
export type { Imported } from './app/review/import-findings.ts'
export type { Reviewed } from './app/review/review-repository.ts'
export type { OwnAgent, OwnRun } from './adapters/agents/own/index.ts'
export type { Agent, AgentPowers, AgentRequest } from './loop/ports.ts'
export type { AgentRun, AgentTask, AgentUpdate } from './model/agent/agent.ts'
export { Fault, type FaultCode } from './model/fault.ts'
export type { Finding, WrittenFinding } from './model/issue/finding.ts'
export type { Issue } from './model/issue/issue.ts'
export type { Review } from './model/issue/review.ts'
export type { CommitVerdict } from './model/proof/commit-verdict.ts'
export type { FixEvent } from './model/session/event.ts'
export type { SessionResult } from './model/session/session-result.ts'
