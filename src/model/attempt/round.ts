import { z } from 'zod'
import { AgentRun } from '../agent/agent.ts'
import { Challenge } from '../proof/challenge.ts'
import { Gate } from '../proof/gate.ts'
import { TreeId } from '../id.ts'
import { IssueReport } from '../agent/report.ts'
import { Verification } from '../proof/verification.ts'

/** One agent run with its gates and challenge, closed and kept for the ledger. */
export const Round = z.object({
  round: z.number().int(),
  run: AgentRun,
  report: IssueReport.nullable(),
  /** The tree that the agent found, and the one it left. */
  from_tree: TreeId.optional(),
  tree: TreeId.nullable(),
  gates: z.array(Gate).readonly(),
  verification: Verification.nullable(),
  challenge: Challenge.nullable(),
  diff: z.string(),
  files: z.array(z.string()).readonly(),
  files_outside_finding: z.array(z.string()).readonly(),
  no_changes: z.boolean(),
  /** Why this round did not lead to a landing; null for the one that did. */
  refusal: z.string().nullable(),
  duration_ms: z.number(),
})
export type Round = z.infer<typeof Round>
