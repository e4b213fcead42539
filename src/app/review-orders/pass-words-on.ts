import type { LiveWords, SaidWords } from '../../loop/ports.ts'
import { clock } from '../machine.ts'
import type { ReviewListener } from './end-review.ts'

/** What is said within this time is passed on together. */
const gatherMs = 250
/** So much of it at once, at most: the newest. */
const mostPieces = 64

const never = new AbortController().signal

/** Passes what the reviewers of this process say on to the others: somebody may look at it there. Words that cannot be passed on are lost. */
export function passWordsOn(words: LiveWords | null): ReviewListener {
  let waiting: SaidWords[] = []
  let isPassing = false
  const pass = async (to: LiveWords): Promise<void> => {
    isPassing = true
    while (waiting.length > 0) {
      await clock.wait(gatherMs, never)
      const now = waiting
      waiting = []
      await to.say(now).catch(() => undefined)
    }
    isPassing = false
  }
  return {
    onChange: () => undefined,
    onSaid(about, agent, text) {
      if (words === null) return
      waiting = [...waiting, { about, agent, text }].slice(-mostPieces)
      if (!isPassing) void pass(words)
    },
  }
}

/** Both hear it. */
export const hearBoth = (first: ReviewListener, second: ReviewListener): ReviewListener => ({
  onChange(id) {
    first.onChange(id)
    second.onChange(id)
  },
  onSaid(id, agent, text) {
    first.onSaid(id, agent, text)
    second.onSaid(id, agent, text)
  },
})
