import { own } from '../own-text.ts'
import type { AttemptAt } from '../../model/attempt/attempt.ts'
import { nothingSpent, type Spent } from '../../model/attempt/spending.ts'
import type { Issue } from '../../model/issue/issue.ts'
import type { Session } from '../../model/session/session.ts'
import type { WatchedRun } from '../context/own-waits.ts'
import type { Agent, AgentRequest } from '../ports.ts'

const compactTimeoutMs = 5 * 60_000
const defaultTokens = 150_000

/** The round that a conversation is for. */
export interface ConversationRound {
  readonly attempt: AttemptAt<'fixing'>
  readonly issue: Issue
  readonly session: Session
}

export interface OpenedConversation {
  /** Null where a new one begins. */
  readonly conversation: NonNullable<AgentRequest['conversation']> | null
  /** The conversation ended with the last round and is about this task alone, so nothing has to be repeated. */
  readonly knowsTask: boolean
  /** The cost of shortening it. */
  readonly spent: Spent
}

/** The task that the conversation goes on with, and who watches over it. */
type CompactRequest = Pick<AgentRequest, 'task'> & WatchedRun

const anew: OpenedConversation = { conversation: null, knowsTask: false, spent: nothingSpent }

/**
 * The conversation to go on with. A later round continues its own; a first round gets a copy of the talk before the
 * session split up. A conversation that has grown too long is compacted first; where that is impossible or fails, a new
 * one begins, and its prompt holds everything.
 */
export async function openConversation(
  agent: Agent,
  { attempt, issue, session }: ConversationRound,
  request: CompactRequest,
): Promise<OpenedConversation> {
  const own = attempt.rounds.findLast(({ run }) => run.agent === agent.name && run.conversation_id !== null)
  const id = own?.run.conversation_id
  if (!id) {
    const shared = session.clarified?.conversation ?? issue.conversation
    if (shared?.agent !== agent.name || !agent.can.fork) return anew
    return { ...anew, conversation: { id: shared.id, fork: true } }
  }
  if (!agent.can.resume) return anew
  // One call for several issues: each of them goes on with a copy, in a workspace of its own.
  if (own.round === 1 && session.options.strategy !== 'isolated')
    return agent.can.fork ? { ...anew, conversation: { id, fork: true } } : anew
  const spoken = attempt.rounds
    .filter(({ run }) => run.conversation_id === id)
    .reduce((sum, { run }) => sum + run.tokens, 0)
  const limit = session.options.max_session_tokens ?? defaultTokens
  const knowsTask =
    own === attempt.rounds.at(-1) && own.run.ending.ended === 'finished' && !attempt.begun_again
  if (spoken <= limit) return { conversation: { id, fork: false }, knowsTask, spent: nothingSpent }
  return agent.can.compact ? compact(agent, id, request) : anew
}

async function compact(
  agent: Agent,
  id: string,
  { task, signal, hear }: CompactRequest,
): Promise<OpenedConversation> {
  const { ending, conversation_id, tokens, cost_usd } = await agent.run({
    task: { ...task, access: 'read' },
    prompt: own`/compact Keep the problem, what was tried, and why it was refused.`,
    timeoutMs: compactTimeoutMs,
    signal,
    onUpdate: hear,
    conversation: { id, fork: false },
  })
  return {
    conversation: ending.ended === 'finished' ? { id: conversation_id ?? id, fork: false } : null,
    // A summary does not hold the rules and the form of the answer word by word.
    knowsTask: false,
    spent: { usd: cost_usd, tokens },
  }
}
