import { z } from 'zod'
import { FailureKind, type AgentEnding, type AgentUpdate } from '../../../model/agent/agent.ts'
import { findJsonObjects } from '../../../model/json-text.ts'
import { createLineSplitter, type LineSplitter } from '../../process/line-splitter.ts'

const Usage = z.object({
  tokens: z.number().int().nonnegative().catch(0),
  cost_usd: z.number().nonnegative().catch(0),
})
const Failure = z.object({
  kind: FailureKind,
  message: z.string().catch(''),
  reset_at: z.iso.datetime({ offset: true }).nullable().catch(null),
})

export interface Said {
  readonly tokens: number
  readonly cost_usd: number
  readonly failure: z.infer<typeof Failure> | null
}

/**
 * What a program says about itself in its last JSON object: `usage {tokens, cost_usd}`, and `failure {kind, message,
 * reset_at}`.
 */
export function readSaid(text: string): Said {
  const last = findJsonObjects(text).at(-1)
  const usage = Usage.safeParse(last?.['usage'])
  const failure = Failure.safeParse(last?.['failure'])
  return { ...(usage.data ?? { tokens: 0, cost_usd: 0 }), failure: failure.data ?? null }
}

/** A failed program may name the kind of its failure in that field; nothing else it prints changes it. */
export function withFailure(ending: AgentEnding, { failure }: Said): AgentEnding {
  if (ending.ended === 'finished' || ending.kind !== 'crashed' || !failure) return ending
  return { ended: 'failed', ...failure, message: failure.message || ending.message }
}

const longestLineBytes = 64 * 1024
/** More than anyone reads live; passing on a flood must not keep this process busy. */
const liveBytes = 4 * 1024 * 1024

/** Passes a program's output on line by line while it is short enough to be read live; the rest is only kept. */
export function passLines(onUpdate: (update: AgentUpdate) => void): LineSplitter {
  const lines = createLineSplitter(longestLineBytes, ({ text }) => onUpdate({ type: 'text', text }))
  let seenBytes = 0
  return {
    push(chunk) {
      seenBytes += chunk.length
      if (seenBytes <= liveBytes) lines.push(chunk)
    },
    end: lines.end,
  }
}
