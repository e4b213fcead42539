import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { emptyView, reduceSession, type FollowState, type SessionView } from '../../../src/client/index.ts'
import type { FixEvent } from '../../../src/model/session/event.ts'
import { sessionQuery } from '../api/queries.ts'
import { followTogether } from './follow-together.ts'
import { readTogether } from './read-together.ts'

export interface LiveSession {
  readonly view: SessionView
  /** The newest durable events, oldest first. */
  readonly log: readonly FixEvent[]
  readonly state: FollowState
  readonly error: unknown
}

const start: LiveSession = { view: emptyView, log: [], state: 'connecting', error: null }

/** The page is drawn at most this often, and less often on a busy machine; all events in between are drawn together. */
const [drawMs, mostDrawMs] = [8, 500]
const mostLogged = 1_000
/** Values that only the server can count, such as cost, are read again this long after an event. */
const readAgainMs = 400

function withEvents(live: LiveSession, events: readonly FixEvent[]): LiveSession {
  const durable = events.filter(({ seq }) => seq !== null)
  return {
    ...live,
    view: events.reduce(reduceSession, live.view),
    log: durable.length === 0 ? live.log : [...live.log, ...durable].slice(-mostLogged),
  }
}

/**
 * Collects events and draws them together. After each drawing the page stays idle for twice the time that the drawing took, so
 * that fifty pages on one machine all get their turn. A hidden page draws nothing until somebody looks at it.
 */
function createDrawing(draw: (events: readonly FixEvent[]) => void) {
  let waiting: FixEvent[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  let isDrawing = false
  let freeAt = 0
  const soon = () => {
    if (waiting.length === 0 || document.hidden || isDrawing || timer !== undefined) return
    timer = setTimeout(run, Math.max(drawMs, freeAt - performance.now()))
  }
  const run = () => {
    timer = undefined
    isDrawing = true
    const begunAt = performance.now()
    const events = waiting
    waiting = []
    draw(events)
    requestAnimationFrame(() => {
      isDrawing = false
      const now = performance.now()
      freeAt = now + Math.min(mostDrawMs, 2 * (now - begunAt))
      soon()
    })
  }
  return {
    add: (event: FixEvent) => {
      waiting.push(event)
      soon()
    },
    soon,
    stop: () => clearTimeout(timer),
  }
}

/** Follows a session over lost connections and restarts of the server; takes every durable event once. */
export function useSession(sessionId: string): LiveSession {
  const [live, setLive] = useState(start)
  const queries = useQueryClient()
  useEffect(() => {
    setLive(start)
    const leaving = new AbortController()
    const reading = readTogether(queries)
    const readAgain = () => reading.soon(sessionQuery(sessionId).queryKey, readAgainMs)
    const drawing = createDrawing((events) => setLive((now) => withEvents(now, events)))
    let last = 0
    const take = (event: FixEvent) => {
      last = event.seq ?? last
      drawing.add(event)
      if (event.seq !== null && !document.hidden) readAgain()
    }
    const onSeen = () => {
      if (document.hidden) return
      drawing.soon()
      readAgain()
    }
    document.addEventListener('visibilitychange', onSeen, { signal: leaving.signal })
    const onState = (state: FollowState) => setLive((now) => ({ ...now, state }))
    const stop = followTogether(sessionId, {
      lastSeq: () => last,
      take,
      onState,
      onError: (error) => setLive((now) => ({ ...now, error })),
    })
    return () => {
      leaving.abort()
      stop()
      drawing.stop()
      reading.stop()
    }
  }, [sessionId, queries])
  return live
}
