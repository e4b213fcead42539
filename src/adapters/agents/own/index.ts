import { noPowers, type AgentPowers, type AgentRequest } from '../../../loop/ports.ts'
import { AgentRun, type FailureKind } from '../../../model/agent/agent.ts'
import { defineAgent, type AgentDefinition } from '../definition/definition.ts'

/** An agent of the program that uses Fixpoint as a library. */
export interface OwnAgent {
  /** Whose model it is; a fixer and a challenger of one family get a warning. */
  readonly family?: string | null
  /** What it offers beyond one prompt and one answer; nothing when it is not given. */
  readonly can?: Partial<AgentPowers>
  /** Does the task in `request.task.workspace` and answers. It stops when `request.signal` is aborted. */
  run(request: AgentRequest): Promise<OwnRun>
}

/** How a run of an own agent ended: its answer, and what else it wants to say of it. */
export type OwnRun = Pick<AgentRun, 'text'> & Partial<Omit<AgentRun, 'agent'>>

/** The definition of an own agent. Whatever it does, each of its runs ends in time, with a result of the one shape. */
export const defineOwnAgent = (name: string, own: OwnAgent): AgentDefinition =>
  defineAgent({
    name,
    family: own.family ?? null,
    can: { ...noPowers, ...own.can },
    run: (request) => runOwn(name, own, request),
  })

async function runOwn(name: string, own: OwnAgent, request: AgentRequest): Promise<AgentRun> {
  const startedAt = performance.now()
  const { signal: caller, timeoutMs } = request
  const limited = { ...request, signal: AbortSignal.any([caller, AbortSignal.timeout(timeoutMs)]) }
  const given = await Promise.race([answerOf(own, limited, caller), whenAborted(limited, caller)])
  const complete = (run: OwnRun): AgentRun => ({
    model: null,
    ending: { ended: 'finished' },
    tokens: 0,
    cost_usd: 0,
    conversation_id: null,
    duration_ms: Math.round(performance.now() - startedAt),
    ...run,
    agent: name,
  })
  const parsed = AgentRun.safeParse(complete(given))
  return parsed.data ?? complete(failed('malformed', `what it answered is no run: ${parsed.error?.message}`))
}

async function answerOf(own: OwnAgent, request: AgentRequest, caller: AbortSignal): Promise<OwnRun> {
  if (caller.aborted) return cutOff(request, caller)
  try {
    return await own.run(request)
  } catch (error) {
    if (request.signal.aborted) return cutOff(request, caller)
    return failed('crashed', error instanceof Error ? error.message : String(error))
  }
}

const whenAborted = (request: AgentRequest, caller: AbortSignal): Promise<OwnRun> =>
  new Promise((resolve) => {
    request.signal.addEventListener('abort', () => resolve(cutOff(request, caller)), { once: true })
  })

const cutOff = ({ timeoutMs }: AgentRequest, caller: AbortSignal): OwnRun =>
  caller.aborted
    ? failed('cancelled', 'it was cancelled')
    : failed('timeout', `it gave no answer in ${timeoutMs} ms`)

const failed = (kind: FailureKind, message: string): OwnRun => ({
  text: '',
  ending: { ended: 'failed', kind, message, reset_at: null },
})
