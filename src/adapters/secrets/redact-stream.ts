import type { AgentUpdate } from '../../model/agent/agent.ts'
import { redactor } from './redact-secrets.ts'

/** A word that is longer than this is passed on in parts: no token is, and a stream must not wait for ever. */
const longestWord = 4_000

/**
 * Redacts what an agent tells while it runs. Text comes in pieces that may divide a token, so the last word of each
 * piece is held back until the next piece, another update or `end` completes it.
 */
export function redactUpdates(pass: (update: AgentUpdate) => void): {
  hear(update: AgentUpdate): void
  end(): void
} {
  let held = ''
  const passText = (text: string): void => {
    if (text !== '') pass(redactor.value({ type: 'text', text }))
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
        pass(redactor.value(update))
        return
      }
      const text = held + update.text
      const wordAt = /\S*$/.exec(text)?.index ?? text.length
      const cut = text.length - wordAt > longestWord ? text.length : wordAt
      held = text.slice(cut)
      passText(text.slice(0, cut))
    },
    end,
  }
}
