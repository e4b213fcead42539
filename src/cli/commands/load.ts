import type { RunCommand } from '../command/context.ts'

export type LoadCommand<Options> = () => Promise<RunCommand<Options>>

/** Every command, loaded only when it is run: a command line should answer at once. */
export const commands = {
  export: async () => (await import('./issues/export.ts')).runExport,
  import: async () => (await import('./issues/import.ts')).runImport,
  listIssues: async () => (await import('./issues/list.ts')).runListIssues,
  publishIssues: async () => (await import('./issues/publish.ts')).runPublishIssues,
  review: async () => (await import('./issues/review.ts')).runReview,
  moveIssues: async () => (await import('./issues/move.ts')).runMoveIssues,
  showIssue: async () => (await import('./issues/show.ts')).runShowIssue,
  answer: async () => (await import('./sessions/answer.ts')).runAnswer,
  approve: async () => (await import('./sessions/approve.ts')).runApprove,
  cancel: async () => (await import('./sessions/cancel.ts')).runCancel,
  clarify: async () => (await import('./sessions/clarify.ts')).runClarify,
  fix: async () => (await import('./sessions/fix.ts')).runFix,
  listSessions: async () => (await import('./sessions/list.ts')).runListSessions,
  plan: async () => (await import('./sessions/plan.ts')).runPlan,
  replay: async () => (await import('./sessions/replay.ts')).runReplay,
  resume: async () => (await import('./sessions/resume.ts')).runResume,
  showSession: async () => (await import('./sessions/show.ts')).runShowSession,
  verify: async () => (await import('./sessions/verify.ts')).runVerify,
  watch: async () => (await import('./sessions/watch.ts')).runWatch,
  prCreate: async () => (await import('./forge/create.ts')).runPrCreate,
  prReview: async () => (await import('./forge/review.ts')).runPrReview,
  prSync: async () => (await import('./forge/sync.ts')).runPrSync,
  agents: async () => (await import('./setup/agents.ts')).runAgents,
  completion: async () => (await import('./setup/completion.ts')).runCompletion,
  config: async () => (await import('./setup/config.ts')).runConfig,
  demo: async () => (await import('./setup/demo.ts')).runDemo,
  doctor: async () => (await import('./setup/doctor.ts')).runDoctor,
  init: async () => (await import('./setup/init.ts')).runInit,
  mcp: async () => (await import('./setup/mcp.ts')).runMcp,
  trust: async () => (await import('./setup/trust.ts')).runTrust,
  serve: async () => (await import('./setup/serve.ts')).runServe,
} satisfies Readonly<Record<string, () => Promise<unknown>>>
