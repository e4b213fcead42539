import { randomUUID } from 'node:crypto'
import type { ClientConfig } from 'pg'
import { z } from 'zod'
import type { LiveWords, SaidWords } from '../../../loop/ports.ts'
import { ReviewId } from '../../../model/id.ts'
import { createLine } from './watch-changes.ts'

const channel = 'fixpoint_words'
/** PostgreSQL takes less than 8,000 bytes at once. */
const mostBytes = 7_500
/** A character takes at most so many bytes as JSON. */
const bytesOfCharacter = 6
const mostCharacters = 1_000

const Payload = z.object({
  from: z.string(),
  words: z.array(z.object({ about: ReviewId, agent: z.string(), text: z.string() })),
})

export interface LiveWordsParts {
  readonly config: ClientConfig
  readonly notify: (channel: string, payload: string) => Promise<unknown>
}

/** What agents say passes through the database and is not kept there. Whoever hears does so on a connection of its own. */
export function openLiveWords({ config, notify }: LiveWordsParts): LiveWords & { close(): Promise<void> } {
  const from = randomUUID()
  const listeners = new Set<(words: SaidWords) => void>()
  const line = createLine({ config, channel }, (text) => {
    const heard = readPayload(text)
    if (heard === null || heard.from === from) return
    for (const words of heard.words) for (const listener of listeners) listener(words)
  })
  return {
    async say(all) {
      for (const words of packed(all)) await notify(channel, JSON.stringify({ from, words }))
    },
    hear(listener) {
      line.open()
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close: line.close,
  }
}

/** Anybody who may use the database can send something else. */
function readPayload(text: string): z.infer<typeof Payload> | null {
  try {
    return Payload.safeParse(JSON.parse(text)).data ?? null
  } catch {
    return null
  }
}

/** As many together as fit; a long text goes in several pieces. */
function packed(all: readonly SaidWords[]): readonly (readonly SaidWords[])[] {
  const packs: SaidWords[][] = []
  let room = 0
  for (const words of all)
    for (let start = 0; start < words.text.length; start += mostCharacters) {
      const piece = { ...words, text: words.text.slice(start, start + mostCharacters) }
      const bytes = Buffer.byteLength(JSON.stringify(piece)) + bytesOfCharacter
      if (bytes > room) {
        packs.push([])
        room = mostBytes - 100
      }
      packs.at(-1)?.push(piece)
      room -= bytes
    }
  return packs
}
