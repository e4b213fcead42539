import { z } from 'zod'
import { ModelPrice } from '../agent/price.ts'
import { checkAgents, resolveRole, RoleAgentConfig, type ConfigProblem } from './agents.ts'
import { defaultConfig, ReportFormat, Sandbox, type WrittenConfig, type WrittenRole } from './written.ts'
import { parseDuration } from '../duration.ts'
import { EvidenceGrade } from '../proof/evidence.ts'
import { Fault } from '../fault.ts'
import { CheckCommand } from '../proof/verification.ts'

const strings = z.array(z.string()).readonly()

/** One tool that a review runs; a format of null is detected. */
export const ScannerConfig = z.object({
  name: z.string(),
  run: z.string(),
  format: ReportFormat.nullable(),
  map: z.string().nullable(),
  timeout_ms: z.number().int().positive(),
})
export type ScannerConfig = z.infer<typeof ScannerConfig>

/** The configuration in full: every value present, durations in milliseconds, names followed. */
export const Config = z.object({
  verify: z.object({ commands: z.array(CheckCommand).readonly() }),
  workspace: z.object({
    setup: z.string().nullable(),
    share: strings,
    path: z.string().nullable(),
    allowed_extra_paths: strings,
  }),
  classes: z.object({ BE: strings, FE: strings, GEN: strings }),
  agents: z.object({
    fixer: RoleAgentConfig,
    challenger: RoleAgentConfig,
    reviewers: z.array(RoleAgentConfig).readonly(),
    clarifier: RoleAgentConfig,
    planner: RoleAgentConfig,
  }),
  fix: z.object({
    strategy: z.enum(['isolated', 'sequential', 'single-call']),
    max_rounds: z.number().int(),
    concurrency: z.number().int(),
    budget_usd: z.number().nullable(),
    issue_budget_usd: z.number().nullable(),
    budget_tokens: z.number().int().nullable(),
    issue_budget_tokens: z.number().int().nullable(),
    max_batch_points: z.number().int(),
    max_batch_issues: z.number().int(),
    max_session_tokens: z.number().int(),
    clarify: z.enum(['ask', 'assume', 'off']),
    unattended: z.enum(['hold', 'reject']),
    assisted_by: z.boolean(),
  }),
  tamper: z.object({ protected: strings }),
  conventions: strings,
  evidence: z.object({ reproduce: z.boolean() }),
  review: z.object({ scanners: z.array(ScannerConfig).readonly(), rules: strings }),
  artifacts: z.object({ url: z.string(), retention_ms: z.number().int() }),
  prices: z.record(z.string(), ModelPrice),
  challenge: z.object({ enabled: z.boolean(), threshold: z.number() }),
  land: z.object({ min_evidence: EvidenceGrade }),
  sandbox: Sandbox,
})
export type Config = z.infer<typeof Config>

/** What no single value shows: settings that contradict each other once all layers are put together. */
export function checkConfig(merged: WrittenConfig): readonly ConfigProblem[] {
  const { budget_usd: all, issue_budget_usd: one } = merged.fix ?? {}
  const budget =
    all !== undefined && one !== undefined && one > all
      ? [
          {
            path: ['fix', 'issue_budget_usd'],
            message: `one issue may not cost more than the session (fix.budget_usd: ${all})`,
          },
        ]
      : []
  return [...budget, ...checkAgents(merged.agents ?? {})]
}

/** Puts written layers together, later ones over earlier ones and all of them over the defaults, in full. */
export function resolveConfig(...layers: readonly WrittenConfig[]): Config {
  const merged = mergeWritten(defaultConfig, ...layers)
  const problems = checkConfig(merged)
  if (problems.length > 0) {
    const lines = problems.map((problem) => `${problem.path.join('.')}: ${problem.message}`)
    throw new Fault('config_invalid', lines.join('\n'), { details: { problems } })
  }
  return Config.parse({ ...merged, ...resolveSections(merged) })
}

function resolveSections(merged: WrittenConfig) {
  const { workspace, fix, artifacts, review } = merged
  const commands = (merged.verify?.commands ?? []).map(({ timeout, paths = [], ...command }) => ({
    ...command,
    paths: paths.map(tidyPath),
    timeout_ms: millisecondsOf(timeout, commandTimeout),
  }))
  const scanners = (review?.scanners ?? []).map(({ timeout, format = null, map = null, ...scanner }) => ({
    ...scanner,
    format,
    map,
    timeout_ms: millisecondsOf(timeout, commandTimeout),
  }))
  return {
    verify: { commands },
    workspace: {
      setup: workspace?.setup ?? null,
      share: (workspace?.share ?? []).map(tidyPath),
      path: workspace?.path === undefined ? null : tidyPath(workspace.path),
      allowed_extra_paths: (workspace?.allowed_extra_paths ?? []).map(tidyPath),
    },
    agents: resolveAgents(merged),
    fix: {
      budget_usd: null,
      issue_budget_usd: null,
      budget_tokens: null,
      issue_budget_tokens: null,
      ...fix,
    },
    review: { ...review, scanners },
    artifacts: { ...artifacts, retention_ms: millisecondsOf(artifacts?.retention, '10d') },
    prices: Object.fromEntries(
      Object.entries(merged.prices ?? {}).map(([model, price]) => [
        model,
        { cached_input_usd: price.input_usd, ...price },
      ]),
    ),
  }
}

const commandTimeout = '5m'
const millisecondsOf = (written: string | undefined, otherwise: string): number =>
  parseDuration(written ?? otherwise) ?? 0

/** `./packages/a/` → `packages/a`: one way to write a path. */
const tidyPath = (path: string): string => path.replace(/^(\.\/+)+/, '').replace(/(?<=[^/])\/+$/, '') || '.'

function resolveAgents(merged: WrittenConfig): Config['agents'] {
  const agents = merged.agents ?? {}
  const roleOf = (
    role: 'fixer' | 'challenger' | 'clarifier' | 'planner',
    otherwise: WrittenRole,
  ): RoleAgentConfig => resolveRole(role, agents[role] ?? otherwise, agents)
  const fixer = agents.fixer ?? 'rules'
  return {
    fixer: roleOf('fixer', 'rules'),
    challenger: roleOf('challenger', 'rules'),
    reviewers: (agents.reviewers ?? []).map((reviewer) => resolveRole('reviewers', reviewer, agents)),
    clarifier: roleOf('clarifier', fixer),
    planner: roleOf('planner', fixer),
  }
}

/** Layers as one, later ones over earlier ones: sections by key; lists and agents as a whole. */
export const mergeWritten = (...layers: readonly WrittenConfig[]): WrittenConfig =>
  layers.reduce<WrittenConfig>((lower, upper) => mergeValues(lower, upper) as WrittenConfig, {})

type Section = Readonly<Record<string, unknown>>
const isSection = (value: unknown): value is Section =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function mergeValues(lower: unknown, upper: unknown): unknown {
  // An agent that says `use` is another agent: nothing of the old one may stick to it.
  if (!isSection(upper) || typeof upper['use'] === 'string') return upper
  const under = typeof lower === 'string' ? { use: lower } : isSection(lower) ? lower : {}
  const merged = new Map<string, unknown>(Object.entries(under))
  for (const [key, value] of Object.entries(upper))
    if (value !== undefined) merged.set(key, mergeValues(merged.get(key), value))
  return Object.fromEntries(merged)
}
