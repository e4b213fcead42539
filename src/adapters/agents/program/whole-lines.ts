import type { AgentUpdate } from '../../../model/agent/agent.ts'

/** A line that is longer than this is passed on in parts: a stream must not wait for ever. */
const longestLine = 4_000

/**
 * For a program that streams its text in pieces which divide lines and words: the last line of a piece is held back
 * until the next piece, another update or `end` completes it. Each line is then shown as one, and redaction sees a token
 * that came in two pieces.
 */
export function wholeLines(pass: (update: AgentUpdate) => void): {
  hear(update: AgentUpdate): void
  end(): void
} {
  let held = ''
  const passText = (text: string): void => {
    if (text !== '') pass({ type: 'text', text })
  }
  const end = (): void => {
    const text = held
    held = ''
    passText(text)
  }
  return {
    hear(update) {
      if (update.type !== 'text') {
        end()
        pass(update)
        return
      }
      const text = held + update.text
      const lineAt = text.lastIndexOf('\n') + 1
      const cut = text.length - lineAt > longestLine ? text.length : lineAt
      held = text.slice(cut)
      passText(text.slice(0, cut))
    },
    end,
  }
}
