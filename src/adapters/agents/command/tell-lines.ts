import type { AgentSignal } from '../../../model/agent/agent.ts'
import { createLineSplitter, type LineSplitter } from '../../process/line-splitter.ts'

const longestLineBytes = 64 * 1024
/** More than anyone reads along; a flood must not keep this process busy with telling it. */
const toldBytes = 4 * 1024 * 1024

/** Tells a program's output line by line while it is short enough to be read live; the rest is kept, not told. */
export function tellLines(onSignal: (signal: AgentSignal) => void): LineSplitter {
  const lines = createLineSplitter(longestLineBytes, ({ text }) => onSignal({ type: 'text', text }))
  let seenBytes = 0
  return {
    push(chunk) {
      seenBytes += chunk.length
      if (seenBytes <= toldBytes) lines.push(chunk)
    },
    end: lines.end,
  }
}
