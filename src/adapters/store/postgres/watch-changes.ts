import { Client, type ClientConfig } from 'pg'
import { setTimeout } from 'node:timers/promises'
import { within } from '../../process/within.ts'

/** Called with the session that was written to, or an empty text, when any process has written something. */
export type ChangeListener = (sessionId: string) => void

export interface ChangeWatch {
  /** Another text after every write, whoever wrote; always another one while nobody could tell. */
  version(): string
  watch(listener: ChangeListener): () => void
  /** This process wrote something: its own readers must not wait until the server says so. */
  noteWrite(): void
  close(): Promise<void>
}

/** What writers notify on, inside their transactions: PostgreSQL passes it on when they commit. */
export const changeChannel = 'fixpoint_changes'

const reconnectMs = 500
/** How long it may take, twice, until it is noticed that nobody answers any more. */
const usualBeatMs = 10_000

/** Listens on a connection of its own, from the first time that somebody asks. */
export function watchChanges(config: ClientConfig, beatMs: number = usualBeatMs): ChangeWatch {
  const listeners = new Set<ChangeListener>()
  let count = 0
  const line = createLine({ config, beatMs, channel: changeChannel }, (sessionId) => {
    count += 1
    for (const listener of listeners) listener(sessionId)
  })
  return {
    version() {
      line.open()
      if (!line.isOpen()) count += 1
      return String(count)
    },
    watch(listener) {
      line.open()
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    noteWrite: () => void (count += 1),
    close: line.close,
  }
}

interface Line {
  /** Opens it if it is not; a line that breaks is opened again. */
  open(): void
  isOpen(): boolean
  close(): Promise<void>
}

interface LineTerms {
  readonly config: ClientConfig
  readonly channel: string
  readonly beatMs?: number
}

/** Hears what is sent to a channel; an empty text when something may have been missed. */
export function createLine(
  { config, channel, beatMs = usualBeatMs }: LineTerms,
  onChange: ChangeListener,
): Line {
  let client: Client | null = null
  let isListening = false
  let isClosed = false
  let timer: NodeJS.Timeout | undefined

  const open = (): void => {
    if (client || isClosed) return
    const fresh = new Client(config)
    client = fresh
    const drop = (): void => {
      if (client !== fresh) return
      client = null
      isListening = false
      void fresh.end().catch(() => undefined)
      if (!isClosed) timer = globalThis.setTimeout(open, reconnectMs).unref()
    }
    const listen = async (): Promise<void> => {
      await fresh.connect()
      await fresh.query(`listen ${channel}`)
      isListening = true
      // Everything that was written while nobody listened counts as one change of everything.
      onChange('')
      await untilSilent(fresh, beatMs, () => client === fresh)
    }
    fresh.on('error', drop)
    fresh.on('end', drop)
    fresh.on('notification', ({ payload = '' }) => onChange(payload))
    void listen().then(drop, drop)
  }
  return {
    open,
    isOpen: () => isListening,
    async close() {
      isClosed = true
      clearTimeout(timer)
      const last = client
      client = null
      await last?.end().catch(() => undefined)
    },
  }
}

/** A line that a router forgot is open for ever and says nothing; whoever listens has to ask. */
async function untilSilent(client: Client, beatMs: number, isInUse: () => boolean): Promise<void> {
  let isHeard = true
  while (isHeard && isInUse()) {
    await setTimeout(beatMs, undefined, { ref: false })
    if (isInUse()) isHeard = (await within(client.query('select 1'), beatMs)) !== undefined
  }
}
