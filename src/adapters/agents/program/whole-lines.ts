import type { AgentUpdate } from '../../../model/agent/agent.ts'

/** A line that is longer than this is passed on in parts: a stream must not wait for ever. */
const longestLine = 4_000
/** Of a line that is passed on in parts, so much is held back: a name and its value, or a token, must not be parted. */
const heldBack = 200

/** Where a text can be parted: behind its last whole line, or where a part of a line that is too long ends. */
function cutOf(text: string): number {
  const lineAt = text.lastIndexOf('\n') + 1
  if (text.length - lineAt <= longestLine) return lineAt
  for (let at = text.length - heldBack; at > lineAt; at -= 1)
    if (/^[,;.\])}][\s"'`]/.test(text.slice(at - 1, at + 1))) return at
  return text.length
}

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
      const cut = cutOf(text)
      held = text.slice(cut)
      passText(text.slice(0, cut))
    },
    end,
  }
}
