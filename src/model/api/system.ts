import { z } from 'zod'
import { Role } from '../agent/agent.ts'

export const Login = z.strictObject({ token: z.string().min(1) })
export type Login = z.infer<typeof Login>

/** One agent that a role would use, in the order in which they are tried. */
export const RoleAgentView = z.object({
  role: Role,
  name: z.string(),
  use: z.string(),
  model: z.string().nullable(),
  timeout_ms: z.number(),
  is_fallback: z.boolean(),
  available: z.boolean(),
  /** Why it cannot be used. */
  reason: z.string().nullable(),
})
export type RoleAgentView = z.infer<typeof RoleAgentView>

export const AgentList = z.object({
  schema: z.literal('fixpoint.agents.v1'),
  /** What is on this machine, whoever uses it. */
  agents: z
    .array(
      z.object({
        name: z.string(),
        title: z.string(),
        version: z.string().nullable(),
        tested_version: z.string().nullable(),
        logged_in: z.boolean(),
        /** The variable or file that it logs in with; never what is in it. */
        login: z.string().nullable(),
        /** What to do before it can be used; null when it can. */
        hint: z.string().nullable(),
      }),
    )
    .readonly(),
  roles: z.array(RoleAgentView).readonly(),
})
export type AgentList = z.infer<typeof AgentList>

export const SettingList = z.object({
  schema: z.literal('fixpoint.config.v1'),
  settings: z
    .array(
      z.object({
        key: z.string(),
        value: z.unknown(),
        source: z.enum(['flag', 'env', 'repository', 'user', 'default']),
        where: z.string().nullable(),
      }),
    )
    .readonly(),
  notices: z.array(z.string()).readonly(),
})
export type SettingList = z.infer<typeof SettingList>

export const DoctorReport = z.object({
  schema: z.literal('fixpoint.doctor.v1'),
  checks: z
    .array(
      z.object({
        name: z.string(),
        status: z.enum(['ok', 'warning', 'error']),
        message: z.string(),
        hint: z.string().nullable(),
      }),
    )
    .readonly(),
})
export type DoctorReport = z.infer<typeof DoctorReport>

const Tally = z.object({
  name: z.string(),
  attempts: z.number().int(),
  fixed: z.number().int(),
  cost_usd: z.number(),
})

/** What the sessions of a repository came to. Days are dates in UTC. */
export const Insights = z.object({
  schema: z.literal('fixpoint.insights.v1'),
  sessions: z.number().int(),
  attempts: z.number().int(),
  fixed: z.number().int(),
  cost_usd: z.number(),
  tokens: z.number().int(),
  /** Per day with any end: how many attempts were fixed, failed, and skipped. */
  by_day: z
    .array(
      z.object({
        day: z.string(),
        fixed: z.number().int(),
        failed: z.number().int(),
        skipped: z.number().int(),
        cost_usd: z.number(),
      }),
    )
    .readonly(),
  /** Grade → number of fixes. */
  evidence: z.record(z.string(), z.number().int()),
  /** Outcome → number of attempts. */
  outcomes: z.record(z.string(), z.number().int()),
  /** Rounds that a fix took → number of fixes. */
  rounds_per_fix: z.record(z.string(), z.number().int()),
  cost_per_fix_usd: z.number().nullable(),
  by_agent: z.array(Tally).readonly(),
  by_rule: z.array(Tally).readonly(),
  /** Agents with their models: attempts, fixes, and what they cost. */
  by_model: z.array(Tally).readonly(),
  /** Gate, `challenger`, `agent` or `landing` → rounds that it refused. */
  refusals: z.record(z.string(), z.number().int()),
  /** How long agents worked on a fix, in the middle. */
  time_to_fix_ms: z.number().nullable(),
  evidence_by_day: z
    .array(z.object({ day: z.string(), counts: z.record(z.string(), z.number().int()) }))
    .readonly(),
  /** How many issues stood open at the end of each day on which some were found, opened again or closed. */
  open_by_day: z
    .array(
      z.object({
        day: z.string(),
        found: z.number().int(),
        closed: z.number().int(),
        open: z.number().int(),
      }),
    )
    .readonly(),
  /** On request: the attempts behind one bar, newest first, each with its issue. */
  behind: z
    .array(
      z.object({
        issue_id: z.string(),
        code: z.string(),
        title: z.string(),
        status: z.string(),
        severity: z.string(),
        session_id: z.string(),
        outcome: z.string(),
        day: z.string(),
      }),
    )
    .readonly()
    .optional(),
  /** Where the issues that sessions worked on come from: back after a merge, made by a fix, or there before. */
  origin: z.object({
    regression: z.number().int(),
    fix_induced: z.number().int(),
    latent: z.number().int(),
  }),
})
export type Insights = z.infer<typeof Insights>

export const Health = z.object({
  status: z.enum(['ok', 'unavailable']),
  version: z.string(),
  /** What is in the way; nothing, when it can take requests. */
  missing: z.array(z.string()).readonly().optional(),
})
export type Health = z.infer<typeof Health>
