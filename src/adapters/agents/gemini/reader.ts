import type { AgentSignal } from '../../../model/agent/agent.ts'
import { toolSignal } from '../event-line.ts'
import { detailOf, parseGeminiLine, type GeminiResult } from './parse.ts'

export interface GeminiAnswer {
  readonly text: string
  readonly conversationId: string | null
  readonly model: string | null
  readonly errors: readonly string[]
  readonly result: GeminiResult | null
}

const keptText = 8 * 1024 * 1024

/** Collects what a run says, line by line, and tells it as it happens. */
export function createGeminiReader(onSignal: (signal: AgentSignal) => void) {
  const pieces: string[] = []
  let length = 0
  let conversationId: string | null = null
  let model: string | null = null
  let result: GeminiResult | null = null
  const errors: string[] = []

  function say(text: string): void {
    if (length < keptText) pieces.push(text)
    length += text.length
  }

  return {
    read(line: string): void {
      const event = parseGeminiLine(line)
      switch (event?.type) {
        case 'init':
          conversationId = event.session_id
          model = event.model ?? null
          break
        case 'message':
          if (event.role !== 'assistant') break
          say(event.content)
          onSignal({ type: 'text', text: event.content })
          break
        case 'tool_use':
          // What is said before and after a tool are two paragraphs.
          if (pieces.length > 0) say('\n')
          onSignal(toolSignal(event.tool_name, detailOf(event.parameters)))
          break
        case 'error':
          if (event.severity === 'error') errors.push(event.message)
          break
        case 'result':
          result = event
          break
        case 'tool_result':
        case undefined:
          break
      }
    },
    answer: (): GeminiAnswer => ({ text: pieces.join(''), conversationId, model, errors, result }),
  }
}
