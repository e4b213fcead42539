import type { ServerResponse } from 'node:http'
import type { Pulse } from '../../model/api/overview.ts'
import { beginStream } from './begin-stream.ts'

export interface Pulses {
  /** Sends the counters of what the reader may see at once, and again whenever they have changed. */
  open(response: ServerResponse, isSeen: SeesRepository): void
  close(): void
}

export type SeesRepository = (repositoryId: string) => boolean

export const seenOf = (pulse: Pulse, isSeen: SeesRepository): Pulse => ({
  ...pulse,
  repositories: pulse.repositories.filter(({ id }) => isSeen(id)),
})

export interface PulseOptions {
  /** Another text whenever anything was written, by whichever process. */
  readonly version: () => string
  readonly read: () => Promise<Pulse>
  readonly onError: (error: unknown) => void
  readonly everyMs?: number
}

/** After so many looks without news it is read anyway: a process that died has written nothing. It also shows that the connection stands. */
const looksPerBeat = 15

/**
 * Sends every open page the counts of running and waiting sessions. The store is looked at once a second for all pages
 * together, and only read after a write: a page that is left open costs next to nothing.
 */
export function createPulses({ version, read, onError, everyMs = 1_000 }: PulseOptions): Pulses {
  const listeners = new Map<ServerResponse, SeesRepository>()
  let seen = ''
  let newest: Pulse | null = null
  let isReading = false
  let quiet = 0
  const look = async (): Promise<void> => {
    const now = version()
    quiet += 1
    if (now === seen && newest !== null && quiet < looksPerBeat) return
    isReading = true
    try {
      const pulse = { ...(await read()), version: now }
      seen = now
      const isNews = JSON.stringify(pulse) !== JSON.stringify(newest)
      newest = pulse
      if (!isNews && quiet < looksPerBeat) return
      quiet = 0
      listeners.forEach((isSeen, response) =>
        send(response, isNews ? frameOf(seenOf(pulse, isSeen)) : ': still here\n\n'),
      )
    } catch (error) {
      onError(error)
    } finally {
      isReading = false
    }
  }
  const timer = setInterval(() => {
    if (listeners.size > 0 && !isReading) void look()
  }, everyMs).unref()
  return {
    open(response, isSeen) {
      beginStream(response)
      listeners.set(response, isSeen)
      response.once('close', () => listeners.delete(response))
      if (newest !== null && version() === seen) send(response, frameOf(seenOf(newest, isSeen)))
      else {
        newest = null
        if (!isReading) void look()
      }
    },
    close() {
      clearInterval(timer)
      listeners.forEach((_isSeen, response) => response.end())
    },
  }
}

const frameOf = (pulse: Pulse): string => `event: overview_changed\ndata: ${JSON.stringify(pulse)}\n\n`

/** A page that does not read is left out: the next counters replace what it missed. */
function send(response: ServerResponse, text: string): void {
  if (!response.destroyed && !response.writableNeedDrain) response.write(text)
}
