import type { Agent, AgentRequest } from '../../../loop/ports.ts'
import type { AgentRun } from '../../../model/agent/agent.ts'
import { type ModelPrice, estimateCost } from '../../../model/agent/price.ts'
import { runDuplex } from '../../process/duplex-process.ts'
import { createRunMark } from '../../process/run-mark.ts'
import type { ProgramOptions } from '../definition/setup.ts'
import { programWalls } from '../definition/room.ts'
import { acpDefinition } from './definition.ts'
import { acpEnding, retryUpdate, retryUpdates } from './ending.ts'
import { countUsage, estimated } from '../program/counted-usage.ts'
import { wholeLines } from '../program/whole-lines.ts'
import { createUpdateReader, usageOf } from './updates.ts'

export interface AcpAgentOptions extends ProgramOptions {
  readonly prices: Readonly<Record<string, ModelPrice>>
  /** How long it may take to answer at all. */
  readonly greetingMs?: number
}

const floodBytes = 128 * 1024 * 1024
const defaultGreetingMs = 60_000

/** Any program that speaks the Agent Client Protocol as an agent. */
export function createAcpAgent(options: AcpAgentOptions): Agent {
  return {
    name: options.name,
    family: acpDefinition.family,
    can: acpDefinition.can,
    run: (request) => runAcp(options, request),
  }
}

async function runAcp(options: AcpAgentOptions, request: AgentRequest): Promise<AgentRun> {
  const { task, prompt, timeoutMs, conversation } = request
  const lines = wholeLines(request.onUpdate)
  const reader = createUpdateReader(lines.hear)
  const counted = countUsage(options.prices, request.onUpdate)
  const opened: Opened = { id: null, model: options.model }
  const result = await runDuplex(
    {
      command: options.run,
      shell: true,
      cwd: task.workspace,
      env: { ...fewRetries, ...options.env },
      timeoutMs,
      signal: request.signal,
      mark: createRunMark(options.home),
      walls: programWalls(options, request, { onUsage: counted.onUsage, onBusy: hearBusy(request) }),
      killAboveBytes: floodBytes,
      onErrorLine: (line) => retryUpdates(line).forEach(request.onUpdate),
    },
    async (duplex) => {
      // The library is large: it is loaded while the agent starts, and only where such an agent is used.
      const { talkAcp } = await import('./talk.ts')
      return talkAcp(duplex, {
        task,
        prompt,
        reader,
        model: options.model,
        conversationId: conversation?.id ?? null,
        greetingMs: options.greetingMs ?? defaultGreetingMs,
        onSession: (session) => Object.assign(opened, session),
      })
    },
  )
  lines.end()
  const { text, costUsd, tools } = reader.words()
  const response = result.answer?.said === 'answer' ? result.answer.response : null
  const { tokens, byModel } = usageOf(response, opened.model)
  const estimate = byModel.size > 0 ? estimateCost(byModel, options.prices) : null
  return {
    agent: options.name,
    model: opened.model,
    ending: acpEnding(result, { text, tools, timeoutMs }),
    text,
    ...counted.or(
      costUsd === null ? estimated({ tokens, cost_usd: estimate }) : { tokens, cost_usd: costUsd },
    ),
    conversation_id: opened.id,
    duration_ms: Math.round(result.durationMs),
  }
}

/** Gemini does not say that it asks its service again until it ends; the proxy on the way to the service sees it. */
const hearBusy =
  ({ onUpdate }: Pick<AgentRequest, 'onUpdate'>) =>
  (status: number): void =>
    onUpdate(retryUpdate(status))

/** Claude Code over ACP asks again after a wrong key for longer than any run may take, and says nothing of it. A setting of the person's own wins. */
const fewRetries = { CLAUDE_CODE_MAX_RETRIES: '3' }

/** The session that the talk is in, as far as it got. */
interface Opened {
  id: string | null
  model: string | null
}
