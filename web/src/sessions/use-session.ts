import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { emptyView, reduceSession, type FollowState, type SessionView } from '../../../src/client/index.ts'
import type { FixEvent } from '../../../src/model/session/event.ts'
import { followTogether } from './follow-together.ts'

export interface LiveSession {
  readonly view: SessionView
  /** The newest durable events, oldest first. */
  readonly log: readonly FixEvent[]
  readonly state: FollowState
  readonly error: unknown
}

const start: LiveSession = { view: emptyView, log: [], state: 'connecting', error: null }

/** The page is drawn anew at most this often; events that come in between are shown together. */
const drawMs = 16
/** What only the server can count, such as cost, is read again this long after something happened. */
const readAgainMs = 400
const mostLogged = 1_000

function withEvents(live: LiveSession, events: readonly FixEvent[]): LiveSession {
  const durable = events.filter(({ seq }) => seq !== null)
  return {
    ...live,
    view: events.reduce(reduceSession, live.view),
    log: durable.length === 0 ? live.log : [...live.log, ...durable].slice(-mostLogged),
  }
}

/** Follows a session over lost connections and restarts of the server; every durable event is taken once. */
export function useSession(sessionId: string): LiveSession {
  const [live, setLive] = useState(start)
  const queries = useQueryClient()
  useEffect(() => {
    setLive(start)
    const leaving = new AbortController()
    let waiting: FixEvent[] = []
    let drawing: ReturnType<typeof setTimeout> | undefined
    let reading: ReturnType<typeof setTimeout> | undefined
    const draw = () => {
      drawing = undefined
      const events = waiting
      waiting = []
      if (!leaving.signal.aborted) setLive((now) => withEvents(now, events))
    }
    const readAgain = () => {
      reading = undefined
      void queries.invalidateQueries({ queryKey: ['session', sessionId] })
    }
    let last = 0
    const take = (event: FixEvent) => {
      last = event.seq ?? last
      waiting.push(event)
      drawing ??= setTimeout(draw, drawMs)
      if (event.seq !== null) reading ??= setTimeout(readAgain, readAgainMs)
    }
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
      clearTimeout(drawing)
      clearTimeout(reading)
    }
  }, [sessionId, queries])
  return live
}
