import type { Agent, AgentRequest } from '../../../loop/ports.ts'
import type { AgentRun, AgentUpdate } from '../../../model/agent/agent.ts'

type UsageUpdate = Extract<AgentUpdate, { type: 'usage' }>

/**
 * One run, which is stopped when it reports that it has used more than it may. What it reported counts as used: a
 * program that was stopped or failed often says nothing of it at its end.
 */
export async function runWithinBudget(
  agent: Agent,
  request: AgentRequest,
  { keepsBudget = false }: { readonly keepsBudget?: boolean } = {},
): Promise<AgentRun> {
  const { budgetUsd, onUpdate, signal } = request
  const over = new AbortController()
  let reported: UsageUpdate | null = null
  const hear = (update: AgentUpdate): void => {
    if (update.type === 'usage') {
      reported = update
      if (!keepsBudget && budgetUsd !== undefined && update.cost_usd > budgetUsd) over.abort()
    }
    onUpdate(update)
  }
  const bounded = { ...request, onUpdate: hear, signal: AbortSignal.any([signal, over.signal]) }
  const run = withReported(await agent.run(bounded), reported)
  if (!over.signal.aborted || signal.aborted || run.ending.ended === 'finished') return run
  const message = `it was stopped: it has used $${run.cost_usd.toFixed(2)} of the $${(budgetUsd ?? 0).toFixed(2)} that it may use`
  return { ...run, ending: { ended: 'failed', kind: 'budget', message, reset_at: null } }
}

const withReported = (run: AgentRun, reported: UsageUpdate | null): AgentRun =>
  reported === null || run.cost_usd > 0 || run.tokens > 0
    ? run
    : { ...run, tokens: reported.tokens, cost_usd: reported.cost_usd, cost_estimated: true }
