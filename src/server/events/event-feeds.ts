import type { Listener } from '../../app/publisher.ts'
import type { Store } from '../../adapters/store/index.ts'
import type { SessionStore } from '../../loop/ports.ts'
import { SessionId } from '../../model/id.ts'
import { isFinalEvent, type FixEvent } from '../../model/session/event.ts'

export interface EventFeeds {
  /** Passes on what happens in a session that this process drives. */
  readonly publish: Listener
  /** Listens to one session: to the events of this process, and to those that others write. Returns a function that ends it. */
  watch(sessionId: SessionId, after: number, listener: Listener): () => void
  /** The newest text of a session's agents, for pages that are opened in the middle of a round. */
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
  /** Whether more was written since the reading began. */
  isStale: boolean
}

export interface FeedOptions {
  readonly sessions: Pick<SessionStore, 'events'>
  readonly isDrivenHere: (sessionId: string) => boolean
  readonly onError: (error: unknown) => void
  /** Reports writes of any process; without it the store is asked again and again. */
  readonly watch?: Store['watch']
  readonly pollMs?: number
}

const eventsPerRead = 500

/**
 * Brings events to the watchers of a session. Events of this process come at once; events that another process writes
 * are read from the store, when it reports them or else a few times per second, and only while somebody watches.
 * Listeners may get an event twice or miss one between two others: each keeps its own place and reads what it lacks.
 */
export function createEventFeeds(options: FeedOptions): EventFeeds {
  const feeds = new Map<string, Feed>()
  const look = createLook(options, feeds)
  const stop = hearOfWrites(options, feeds, look)
  const said = createRecent()
  return {
    recent: said.of,
    publish: (event) => {
      said.take(event)
      const feed = feeds.get(event.session_id)
      if (feed) pass(feed, event)
    },
    watch(id, after, listener) {
      const feed: Feed = feeds.get(id) ?? newFeed(after)
      feeds.set(id, feed)
      feed.listeners.add(listener)
      if (options.watch) look(id, feed)
      return () => {
        feed.listeners.delete(listener)
        if (feed.listeners.size === 0 && feeds.get(id) === feed) feeds.delete(id)
      }
    },
    watcherCount: () => [...feeds.values()].reduce((sum, { listeners }) => sum + listeners.size, 0),
    close: stop,
  }
}

const newFeed = (lastSeq: number): Feed => ({
  listeners: new Set(),
  lastSeq,
  isReading: false,
  isStale: false,
})

function pass(feed: Feed, event: FixEvent): void {
  feed.lastSeq = Math.max(feed.lastSeq, event.seq ?? 0)
  feed.listeners.forEach((listener) => listener(event))
}

type Look = (id: string, feed: Feed) => void
type Feeds = ReadonlyMap<string, Feed>

/** Reads what others wrote to a session; events that are written meanwhile are read after it. */
function createLook({ sessions, isDrivenHere, onError }: FeedOptions, feeds: Feeds): Look {
  const readNews = async (id: string, feed: Feed): Promise<void> => {
    feed.isReading = true
    try {
      do {
        feed.isStale = false
        const events = await sessions.events(SessionId.parse(id), feed.lastSeq, eventsPerRead)
        for (const event of events) pass(feed, event)
        feed.isStale ||= events.length === eventsPerRead
      } while (feed.isStale && feeds.get(id) === feed)
    } catch (error) {
      onError(error)
    } finally {
      feed.isReading = false
    }
  }
  return (id, feed) => {
    if (isDrivenHere(id)) return
    if (feed.isReading) feed.isStale = true
    else void readNews(id, feed)
  }
}

/** Looks whenever somebody may have written something; returns a function that ends it. */
function hearOfWrites({ watch, pollMs = 250 }: FeedOptions, feeds: Feeds, look: Look): () => void {
  const lookAtAll = (): void => feeds.forEach((feed, id) => look(id, feed))
  if (!watch) {
    const timer = setInterval(lookAtAll, pollMs).unref()
    return () => clearInterval(timer)
  }
  return watch((changed) => {
    const feed = feeds.get(changed)
    if (changed === '') lookAtAll()
    else if (feed) look(changed, feed)
  })
}

/** So much of one issue's live text is kept, until its round is over. */
const keptCharacters = 32_000

interface Said {
  events: FixEvent[]
  length: number
}

/** Text stays worth reading; what an issue is at now is outdated as soon as the next thing is recorded of it. */
function outdate(said: Said): void {
  said.events = said.events.filter(({ type }) => type === 'fix_issue_streaming')
  said.length = said.events.reduce((sum, { message }) => sum + message.length, 0)
}

/** Live text is not stored: a page that is opened later shows this much of it. */
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
      const said = issues.get(code) ?? { events: [], length: 0 }
      if (seq !== null) {
        if (type === 'fix_cycle_started' || type === 'fix_cycle_completed') issues.delete(code)
        else outdate(said)
        return
      }
      issues.set(code, said)
      said.events.push(event)
      said.length += event.message.length
      while (said.length > keptCharacters && said.events.length > 1)
        said.length -= said.events.shift()?.message.length ?? 0
    },
  }
}
