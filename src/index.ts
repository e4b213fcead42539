/** Fixpoint as a library: open a repository, bring findings in, fix, read what was proven. */
export { openApp, type App, type AppRequest } from './app/open-app.ts'
export {
  importFindings,
  reviewRepository,
  type Imported,
  type Reviewed,
} from './app/review/review-repository.ts'
export { cancelSession } from './app/fix/cancel-session.ts'
export { chooseIssues, type IssueChoice } from './app/fix/choose-issues.ts'
export { fixIssues, type FixRequest } from './app/fix/fix-issues.ts'
export { resumeSession } from './app/fix/resume-session.ts'
export type { FixOutcome } from './app/fix/stored-session.ts'
export type { SessionSignals } from './loop/session/run-session.ts'
export type { FixEvent } from './model/session/event.ts'
export { Fault, type FaultCode } from './model/fault.ts'
export type { Finding, WrittenFinding } from './model/issue/finding.ts'
export type { Issue } from './model/issue/issue.ts'
export type { SessionResult } from './model/session/session-result.ts'
