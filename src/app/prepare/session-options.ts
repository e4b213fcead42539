import type { SessionOptions } from '../../model/session/session.ts'
import type { App } from '../open-app.ts'

/** What the configuration and the flags ask of this session, fixed for all its life. */
export function sessionOptions(app: App, notes: string | null): SessionOptions {
  const { config } = app.loaded
  return {
    strategy: config.fix.strategy,
    concurrency: config.fix.concurrency,
    policy: {
      max_rounds: config.fix.max_rounds,
      threshold: config.challenge.threshold,
      challenge: config.challenge.enabled,
      min_evidence: config.land.min_evidence,
      unattended: config.fix.unattended,
      requires_reproduction: config.evidence.reproduce === true || config.land.min_evidence === 'E4',
    },
    notes,
    scope: {
      path: config.workspace.path,
      extra: config.workspace.allowed_extra_paths,
      reach: config.fix.scope,
    },
    commands: config.verify.commands,
    verify_strategy: config.verify.strategy,
    fixer: config.agents.fixer.name,
    challenger: config.agents.challenger.name,
    conventions: config.conventions,
    protected: config.tamper.protected,
    assisted_by: config.fix.assisted_by,
    max_session_tokens: config.fix.max_session_tokens,
    max_batch_points: config.fix.max_batch_points,
    max_batch_issues: config.fix.max_batch_issues,
    reproduce: config.evidence.reproduce,
    // What was asked before waits for its answer, unless somebody said otherwise.
    clarify: app.loaded.sources.get('fix.clarify')?.source === 'default' ? 'answered' : config.fix.clarify,
    budget_usd: config.fix.budget_usd,
    issue_budget_usd: config.fix.issue_budget_usd,
    budget_tokens: config.fix.budget_tokens,
    issue_budget_tokens: config.fix.issue_budget_tokens,
    patience_ms: config.fix.patience_ms,
  }
}
