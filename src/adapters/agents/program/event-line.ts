import type { z } from 'zod'
import type { AgentUpdate } from '../../../model/agent/agent.ts'

/** What is known of a run after one more line of its stream, and what to tell. */
export interface Heard<Run> {
  readonly run: Run
  readonly updates: readonly AgentUpdate[]
}

/** The event of a line, or null when the line is none: a CLI may print other things between. */
export function parseEventLine<Event>(schema: z.ZodType<Event>, line: string): Event | null {
  if (!line.startsWith('{')) return null
  try {
    return schema.safeParse(JSON.parse(line)).data ?? null
  } catch {
    return null // a line that was cut off, or is no JSON
  }
}

const longestDetail = 200

/** The use of a tool, with the beginning of what it is used on. */
export const toolUpdate = (name: string, detail: string): AgentUpdate => ({
  type: 'tool',
  name,
  detail: detail.slice(0, longestDetail),
})
