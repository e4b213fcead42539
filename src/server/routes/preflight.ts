import type { Serving } from '../serving/serving.ts'
import { overridesOf } from '../serving/asked-settings.ts'
import { PreflightOutcome, PreflightRequest } from '../../model/api/fix.ts'
import { addEndpoint, type ServerApp } from '../http/endpoint.ts'
import { chosenIssues, fixFaults } from './fix.ts'
import { listAgents } from '../../app/agents/list-agents.ts'
import { requireTrusted } from '../../app/fix/require-trusted.ts'
import type { App } from '../../app/open-app.ts'
import { planIssues } from '../../app/prepare/plan-issues.ts'
import { sessionOptions } from '../../app/prepare/session-options.ts'
import { describeMissing } from '../../app/require-programs.ts'
import { resolveBase } from '../../app/resolve-base.ts'
import type { Revision } from '../../model/attempt/attempt.ts'
import type { Issue } from '../../model/issue/issue.ts'
import { howToProve, whyUnprovable } from '../../model/proof/evidence.ts'
import { judgeBase } from '../../model/proof/preflight.ts'
import type { CommandRun } from '../../model/proof/verification.ts'

/** What a session would begin with, before it does. */
export function addPreflightRoute(app: ServerApp, serving: Serving): void {
  addEndpoint(
    app,
    {
      access: { role: 'operator', reach: 'named' },
      method: 'post',
      path: '/api/fix/preflight',
      summary:
        'Who would fix and judge, by which checks and limits, at which cost; with run the checks are run first',
      body: PreflightRequest,
      answers: PreflightOutcome,
      faults: fixFaults,
    },
    async ({ body, context }) => {
      const opened = await serving.openRepository(body.repository_id, overridesOf(body))
      try {
        const issues = await chosenIssues(opened, body.issue_ids)
        return await preflight(opened, {
          issues,
          base: body.base ?? null,
          run: body.run === true,
          signal: context.req.raw.signal,
        })
      } finally {
        await opened.close()
      }
    },
  )
}

interface PreflightParts {
  readonly issues: readonly Issue[]
  readonly base: string | null
  /** Runs the checks on the base; without it they are named, with what is known of them. */
  readonly run: boolean
  readonly signal: AbortSignal
}

/** What a session with these issues and settings would begin with. Nothing is claimed and no agent is asked. */
async function preflight(app: App, parts: PreflightParts): Promise<PreflightOutcome> {
  const { config } = app.loaded
  const base = await resolveBase(app, parts.base ?? undefined)
  const { agents, roles } = await listAgents(app.loaded, app.env)
  const runs = parts.run ? await runChecks(app, base, parts.signal) : await knownChecks(app, base)
  const judged = judgeBase(runs)
  const options = sessionOptions(app, null)
  const missing = describeMissing(config.verify.commands, app.env)
  const unprovable = whyUnprovable({ min_evidence: config.land.min_evidence, commands: options.commands })
  const used = new Set<string>(options.policy.challenge ? ['fixer', 'challenger'] : ['fixer'])
  const needed = roles.filter(({ role, is_fallback }) => used.has(role) && !is_fallback)
  const unable = needed.filter(({ available }) => !available)
  return {
    schema: 'fixpoint.preflight.v1',
    roles: roles.filter(({ role }) => ['fixer', 'challenger', 'reproducer'].includes(role)),
    choices: [
      ...new Set([
        ...agents.filter(({ hint }) => hint === null).map(({ name }) => name),
        ...roles.map(({ name }) => name),
      ]),
    ],
    checks: config.verify.commands.map(({ name, run }) => checkOf({ name, run }, runs)),
    base: { commit: base.commit, ref: parts.base ?? 'HEAD' },
    settings: {
      strategy: options.strategy,
      max_rounds: options.policy.max_rounds,
      concurrency: options.concurrency,
      budget_usd: options.budget_usd ?? null,
      threshold: options.policy.threshold,
      challenge: options.policy.challenge,
      scope: options.scope.reach,
      path: options.scope.path,
      min_evidence: options.policy.min_evidence,
      reproduce: options.reproduce ?? 'auto',
    },
    estimated_cost_usd: (await planIssues(app, parts.issues)).estimatedCostUsd,
    estimated_ms: await estimatedMs(app, parts.issues.length, options.concurrency),
    blocking: [
      ...missing,
      ...(unprovable === null
        ? []
        : [`no check is configured, so no fix could be proven and nothing would land. ${howToProve}`]),
      ...unable.map(({ role, name, reason }) => `${role} ${name}: ${reason ?? 'cannot be used'}`),
      ...judged.blocking,
    ],
    warnings: [...judged.warnings, ...app.git.notes],
  }
}

/** The commands of a repository run only once they are trusted. */
async function runChecks(app: App, base: Revision, signal: AbortSignal): Promise<readonly CommandRun[]> {
  await requireTrusted(app, { revisions: [base.commit] })
  return checkBase(app, base, signal)
}

/** The results that earlier sessions left for this very tree: a request that is cancelled from the start runs nothing. */
async function knownChecks(app: App, base: Revision): Promise<readonly CommandRun[]> {
  const runs = await checkBase(app, base, AbortSignal.abort())
  return runs.filter(({ ended }) => ended === 'exited')
}

async function checkBase(app: App, base: Revision, signal: AbortSignal): Promise<readonly CommandRun[]> {
  const { checks } = await app.ports()
  const commands = app.loaded.config.verify.commands.filter(({ paths }) => paths.length === 0)
  return checks.run({ commands, revision: base, signal, isFirstLook: !signal.aborted })
}

function checkOf(
  command: { readonly name: string; readonly run: string },
  runs: readonly CommandRun[],
): PreflightOutcome['checks'][number] {
  const found = runs.find(({ name }) => name === command.name)
  if (!found) return { ...command, status: 'unknown', duration_ms: null, reason: null }
  const { blocking, warnings } = judgeBase([found])
  const reason = [...blocking, ...warnings][0] ?? null
  const status = blocking.length > 0 ? 'unusable' : warnings.length > 0 ? 'red' : 'green'
  return { ...command, status, duration_ms: found.duration_ms, reason }
}

const rememberedSessions = 20

/** From how long the rounds of earlier issues took, over as many at once; null when nothing is known. */
async function estimatedMs(
  { store, repository }: App,
  issues: number,
  concurrency: number,
): Promise<number | null> {
  const durations: number[] = []
  for (const { id } of await store.sessions.heads({ repositoryId: repository.id, limit: rememberedSessions }))
    for (const { rounds } of (await store.sessions.load(id))?.attempts ?? [])
      if (rounds.length > 0) durations.push(rounds.reduce((sum, { duration_ms }) => sum + duration_ms, 0))
  if (durations.length === 0) return null
  const mean = durations.reduce((sum, ms) => sum + ms, 0) / durations.length
  return Math.round(mean * Math.ceil(issues / Math.max(1, concurrency)))
}
