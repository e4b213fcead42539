import type { AgentUpdate } from '../../model/agent/agent.ts'

const maxCharacters = 4 * 1024 * 1024

/** An agent's updates while it ran, line by line as JSON, kept within bounds. */
export interface Transcript {
  hear(update: AgentUpdate): void
  text(): string
}

export function createTranscript(): Transcript {
  const lines: string[] = []
  let length = 0
  let left = 0
  return {
    hear(update) {
      const line = JSON.stringify(update)
      if (length + line.length > maxCharacters) left += 1
      else {
        lines.push(line)
        length += line.length
      }
    },
    text() {
      const cut = left > 0 ? [JSON.stringify({ type: 'cut', updates_left_out: left })] : []
      return [...lines, ...cut].map((line) => `${line}\n`).join('')
    },
  }
}
