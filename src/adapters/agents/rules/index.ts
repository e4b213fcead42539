import type { Agent, AgentRequest } from '../../../loop/ports.ts'
import type { AgentEnding, AgentTask } from '../../../model/agent/agent.ts'
import { rulesDefinition } from './definition.ts'
import { judgePatch } from './judge.ts'
import { repairIssue } from './repair.ts'
import { reviewFiles, type FileMatch } from './review-files.ts'
import type { Rule } from './scan-sources.ts'

export { createRulesOrigins } from './origin.ts'

/** The rules that are on, and globs of files that they are not for. */
interface Chosen {
  readonly rules: readonly Rule[]
  readonly exclude: readonly string[]
}

type Answer = { readonly text: string; readonly ending: AgentEnding }

const finished = (value: unknown): Answer => ({ text: JSON.stringify(value), ending: { ended: 'finished' } })
const failed = (kind: 'malformed' | 'cancelled' | 'crashed', message: string): Answer => ({
  text: '',
  ending: { ended: 'failed', kind, message, reset_at: null },
})

/** The built-in agent: deterministic, no model, no network. Reviews, fixes and challenges by its rules. */
export function createRulesAgent(rules: readonly Rule[], exclude: readonly string[] = []): Agent {
  return {
    name: rulesDefinition.kind,
    family: rulesDefinition.family,
    can: rulesDefinition.can,
    async run(request) {
      const startedAt = performance.now()
      const { text, ending } = await answer(request, { rules, exclude }).catch((error: unknown) =>
        request.signal.aborted ? failed('cancelled', 'it was cancelled') : failed('crashed', String(error)),
      )
      return {
        agent: rulesDefinition.kind,
        model: null,
        ending,
        text,
        tokens: 0,
        cost_usd: 0,
        conversation_id: null,
        duration_ms: Math.round(performance.now() - startedAt),
      }
    },
  }
}

async function answer(request: AgentRequest, chosen: Chosen): Promise<Answer> {
  const { task, signal } = request
  const { rules } = chosen
  if (signal.aborted) return failed('cancelled', 'it was cancelled')
  switch (task.role) {
    // It has no opinion on a pull request as a whole, so its answer is no vote.
    case 'pr_reviewer':
    case 'reviewer':
      return review(request, chosen)
    case 'fixer':
      return fix(task, rules, signal)
    case 'challenger':
      return challenge(task, rules, signal)
    case 'clarifier':
      return finished({ questions: [], ready_to_fix: true })
    case 'planner':
      return finished({ issues: {} })
    case 'reproducer':
      return failed('malformed', 'the built-in rules write no tests')
  }
}

async function review(
  { task, signal, onUpdate, files }: AgentRequest,
  { rules, exclude }: Chosen,
): Promise<Answer> {
  if (!files) return failed('malformed', 'it was given no files')
  const reviewed = {
    files,
    paths: task.review?.paths ?? [],
    isChange: (task.review?.base ?? null) !== null,
    exclude,
    onFound: (found: readonly FileMatch[]): void => {
      if (found.length > 0) onUpdate({ type: 'text', text: found.map(lineOf).join('\n') })
    },
  }
  const { found, coverage } = await reviewFiles(reviewed, rules, signal)
  if (signal.aborted) return failed('cancelled', 'it was cancelled')
  return finished({ groups: [{ description: 'found by rules', findings: found.map(describe) }], coverage })
}

const lineOf = ({ file, match }: FileMatch): string =>
  `${file}:${match.line} ${match.title} (${match.rule.id})`

const describe = ({ file, match }: FileMatch) => ({
  rule: match.rule.id,
  file,
  line: match.line,
  end_line: match.endLine,
  column: match.column,
  title: match.title,
  issue: `${match.message} ${match.rule.why}`,
  severity: match.rule.severity,
  category: match.rule.category,
  suggested_fix: match.suggestion,
  references: match.rule.references ?? [],
  estimated_effort: match.rule.effort,
  estimated_files_count: 1,
})

async function fix(task: AgentTask, rules: readonly Rule[], signal: AbortSignal): Promise<Answer> {
  const code = task.issues[0]?.code ?? ''
  const repair = await repairIssue(task, rules, signal)
  return finished({
    issues: { [code]: { ...repair, self_evaluation: { confidence: 90, completeness: 'full', risks: [] } } },
  })
}

async function challenge(task: AgentTask, rules: readonly Rule[], signal: AbortSignal): Promise<Answer> {
  const judged = await judgePatch(task, rules, signal)
  if ('cannot' in judged) return failed('malformed', judged.cannot)
  const code = task.issues[0]?.code ?? ''
  const { scores, feedback, improvements } = judged
  return finished({
    issues: { [code]: { quality_scores: scores, feedback, improvements_needed: improvements } },
  })
}
