import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Serving } from '../serving/serving.ts'
import { Fault } from '../../model/fault.ts'
import type { SessionId } from '../../model/id.ts'
import { isOver } from '../../model/session/session.ts'
import type { ServerContext } from '../http/endpoint.ts'
import type { EventStreams } from '../events/stream-events.ts'

export type SendStream = (
  context: ServerContext,
  place: { readonly sessionId: SessionId; readonly after: number },
) => Promise<Response>

/** These endpoints stream; a client that wants JSON has to ask for it. */
export const wantsJson = (context: ServerContext): boolean =>
  /\bapplication\/json\b/.test(context.req.header('accept') ?? '') &&
  !/\btext\/event-stream\b/.test(context.req.header('accept') ?? '')

/** The newest event that a client says it has. */
export function lastEventId(text: string | undefined): number | null {
  if (text === undefined || text === '') return null
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new Fault('usage', `"${text}" is not the id of an event`, {
    hint: 'Leave Last-Event-ID out to get them all.',
  })
}

/** Answers with the events of a session; 204 when there will be no more, so that a browser does not ask again. */
export const createSendStream =
  ({ store, findSession }: Pick<Serving, 'store' | 'findSession'>, streams: EventStreams): SendStream =>
  async (context, { sessionId, after }) => {
    const { session } = await findSession(sessionId)
    const newest = await store.sessions.lastSeq(sessionId)
    const isAllKnown = isOver(session) && after === newest
    if (isAllKnown || context.req.method === 'HEAD') return new Response(null, { status: 204 })
    streams.open({
      sessionId,
      // A client that names an event this session does not have gets all of them.
      after: after <= newest ? after : 0,
      response: context.env.outgoing,
    })
    return RESPONSE_ALREADY_SENT
  }
