import { fixerTask, type FixerWork } from './fixer-task.ts'
import { nothingSpent, type Spent } from '../../model/attempt/spending.ts'
import type { Agent } from '../ports.ts'

const compactTimeoutMs = 5 * 60_000
const defaultTokens = 150_000

export interface ConversationRequest extends FixerWork {
  readonly signal: AbortSignal
}

export interface Going {
  /** Null where a new one begins. */
  readonly conversation: { readonly id: string; readonly fork: boolean } | null
  /** What it took to shorten it. */
  readonly spent: Spent
}

const anew: Going = { conversation: null, spent: nothingSpent }

/**
 * The conversation to go on with: a further round's own, the first round's a copy of what was said before the session
 * split up. One that has grown too long is compacted first; where that is not possible, or fails, a new one begins, and
 * the prompt tells it everything.
 */
export async function conversationFor(
  agent: Agent,
  request: ConversationRequest,
  workspace: string,
): Promise<Going> {
  const { attempt, session } = request
  const own = attempt.rounds.findLast(({ run }) => run.agent === agent.name && run.conversation_id !== null)
  const id = own?.run.conversation_id
  if (!id) {
    const shared = session.clarified?.conversation ?? request.issue.conversation
    if (shared?.agent !== agent.name || !agent.can.fork) return anew
    return { conversation: { id: shared.id, fork: true }, spent: nothingSpent }
  }
  if (!agent.can.resume) return anew
  const spoken = attempt.rounds
    .filter(({ run }) => run.conversation_id === id)
    .reduce((sum, { run }) => sum + run.tokens, 0)
  const limit = session.options.max_session_tokens ?? defaultTokens
  if (spoken <= limit) return { conversation: { id, fork: false }, spent: nothingSpent }
  return agent.can.compact ? compact(agent, request, workspace, id) : anew
}

async function compact(
  agent: Agent,
  request: ConversationRequest,
  workspace: string,
  id: string,
): Promise<Going> {
  const { ending, conversation_id, tokens, cost_usd } = await agent.run({
    task: { ...fixerTask(request, workspace), access: 'read' },
    prompt: '/compact Keep the problem, what was tried, and why it was refused.',
    timeoutMs: compactTimeoutMs,
    signal: request.signal,
    onSignal: () => undefined,
    conversation: { id, fork: false },
  })
  return {
    conversation: ending.ended === 'finished' ? { id: conversation_id ?? id, fork: false } : null,
    spent: { usd: cost_usd, tokens },
  }
}
