import type { Listener } from '../../app/publisher.ts'
import type { SessionStore } from '../../loop/ports.ts'
import { SessionId } from '../../model/id.ts'
import { isFinalEvent, type FixEvent } from '../../model/session/event.ts'

export interface EventFeeds {
  /** Passes on what happens in a session that this process drives. */
  readonly publish: Listener
  /** Listens to one session: what this process does in it, and what others write down. Gives back what ends it. */
  watch(sessionId: SessionId, after: number, listener: Listener): () => void
  /** The newest of what the agents of a session said, for whoever comes in the middle of a round. */
  recent(sessionId: SessionId): readonly FixEvent[]
  /** How many listen right now. */
  watcherCount(): number
  close(): void
}

interface Feed {
  readonly listeners: Set<Listener>
  /** The newest durable event that was passed on. */
  lastSeq: number
  isReading: boolean
}

export interface FeedOptions {
  readonly sessions: Pick<SessionStore, 'events'>
  readonly isDrivenHere: (sessionId: string) => boolean
  readonly onError: (error: unknown) => void
  readonly pollMs?: number
}

const eventsPerRead = 500

/**
 * Brings events to whoever watches a session. Those of this process come at once; those that another process writes
 * are read from the store, a few times per second and only while somebody watches. Listeners may get an event twice
 * or miss one between two others: each keeps its own place and reads what it lacks.
 */
export function createEventFeeds({ sessions, isDrivenHere, onError, pollMs = 250 }: FeedOptions): EventFeeds {
  const feeds = new Map<string, Feed>()
  const pass = (feed: Feed, event: FixEvent): void => {
    feed.lastSeq = Math.max(feed.lastSeq, event.seq ?? 0)
    feed.listeners.forEach((listener) => listener(event))
  }
  const readNews = async (id: string, feed: Feed): Promise<void> => {
    feed.isReading = true
    try {
      for (const event of await sessions.events(SessionId.parse(id), feed.lastSeq, eventsPerRead))
        pass(feed, event)
    } catch (error) {
      onError(error)
    } finally {
      feed.isReading = false
    }
  }
  const poll = (): void => {
    for (const [id, feed] of feeds) if (!feed.isReading && !isDrivenHere(id)) void readNews(id, feed)
  }
  const timer = setInterval(poll, pollMs).unref()
  const said = createRecent()
  return {
    recent: said.of,
    publish: (event) => {
      said.take(event)
      const feed = feeds.get(event.session_id)
      if (feed) pass(feed, event)
    },
    watch(id, after, listener) {
      const feed: Feed = feeds.get(id) ?? { listeners: new Set(), lastSeq: after, isReading: false }
      feeds.set(id, feed)
      feed.listeners.add(listener)
      return () => {
        feed.listeners.delete(listener)
        if (feed.listeners.size === 0 && feeds.get(id) === feed) feeds.delete(id)
      }
    },
    watcherCount: () => [...feeds.values()].reduce((sum, { listeners }) => sum + listeners.size, 0),
    close: () => clearInterval(timer),
  }
}

/** So much of one issue's live text is kept, until its round is over. */
const keptCharacters = 32_000

interface Said {
  events: FixEvent[]
  length: number
}

/** Live text is not stored: this is what a page that is opened later shows of it. */
function createRecent() {
  const bySession = new Map<string, Map<string, Said>>()
  return {
    of: (id: SessionId): readonly FixEvent[] =>
      [...(bySession.get(id)?.values() ?? [])].flatMap(({ events }) => events),
    take(event: FixEvent): void {
      const { session_id: id, issue_code: code, seq, type } = event
      if (isFinalEvent(event) || type === 'fix_session_parked') return void bySession.delete(id)
      if (code === null) return
      const issues = bySession.get(id) ?? new Map<string, Said>()
      bySession.set(id, issues)
      if (seq !== null) {
        if (type === 'fix_cycle_started' || type === 'fix_cycle_completed') issues.delete(code)
        return
      }
      const said = issues.get(code) ?? { events: [], length: 0 }
      issues.set(code, said)
      said.events.push(event)
      said.length += event.message.length
      while (said.length > keptCharacters && said.events.length > 1)
        said.length -= said.events.shift()?.message.length ?? 0
    },
  }
}
