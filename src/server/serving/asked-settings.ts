import type { Override } from '../../app/config/overrides.ts'
import type { AskedSettings, StartRequest } from '../../model/api/fix.ts'
import type { StartReview } from '../../model/api/repositories.ts'

type Asked = Partial<
  AskedSettings &
    Pick<StartRequest, 'workspace_path' | 'allowed_extra_paths'> &
    Pick<StartReview, 'reviewers'>
>

/** The setting that each field of a request stands for. */
const keys: Readonly<Partial<Record<keyof Asked, string>>> = {
  workspace_path: 'workspace.path',
  allowed_extra_paths: 'workspace.allowed_extra_paths',
  strategy: 'fix.strategy',
  fixer: 'agents.fixer',
  challenger: 'agents.challenger',
  reproducer: 'agents.reproducer',
  max_rounds: 'fix.max_rounds',
  threshold: 'challenge.threshold',
  concurrency: 'fix.concurrency',
  budget_usd: 'fix.budget_usd',
  scope: 'fix.scope',
  min_evidence: 'land.min_evidence',
  reproduce: 'evidence.reproduce',
  reviewers: 'agents.reviewers',
}

/** What a request asks for instead of the configured settings: a setting by another name. */
export const overridesOf = (asked: Asked): readonly Override[] =>
  Object.entries(keys).flatMap(([where, key]) => {
    const value = asked[where as keyof Asked]
    return value == null ? [] : [{ where, key, value }]
  })
