import { once } from 'node:events'
import { createServer, get, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { createEventFeeds, type EventFeeds } from './event-feeds.ts'
import { createStreamParser } from '../../client/sse.ts'
import { sampleEvent } from '../../../test/fixtures/attempt-samples.ts'
import type { FixEvent } from '../../model/session/event.ts'
import { SessionId } from '../../model/id.ts'
import { createEventStreams, type EventStreams, type StreamLimits } from './stream-events.ts'

const sessionId = SessionId.parse('ses_1')
const eventOf = (
  seq: number | null,
  message = `event ${seq}`,
  type: FixEvent['type'] = 'fix_gate_result',
): FixEvent => sampleEvent({ type, seq, session_id: sessionId, message })

interface Scene {
  readonly server: Server
  readonly streams: EventStreams
  readonly feeds: EventFeeds
  /** What is written down; `publish` also tells of it. */
  readonly stored: FixEvent[]
  publish(event: FixEvent): void
}
let scene: Scene

async function setScene(limits: Partial<StreamLimits> = {}, isDrivenHere = true): Promise<Scene> {
  const stored: FixEvent[] = []
  const sessions = {
    events: async (_id: SessionId, after: number, limit = Infinity) =>
      stored.filter(({ seq }) => (seq ?? 0) > after).slice(0, limit),
  }
  const onError = (error: unknown): void => expect.unreachable(String(error))
  const feeds = createEventFeeds({ sessions, isDrivenHere: () => isDrivenHere, onError, pollMs: 10 })
  const streams = createEventStreams({ feeds, sessions, onError }, limits)
  const server = createServer((request, response) => {
    const after = Number(request.headers['last-event-id'] ?? 0)
    streams.open({ sessionId, after, response })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  scene = {
    server,
    streams,
    feeds,
    stored,
    publish: (event) => {
      if (event.seq !== null) stored.push(event)
      feeds.publish(event)
    },
  }
  return scene
}
afterEach(() => {
  scene.streams.close()
  scene.feeds.close()
  scene.server.closeAllConnections()
  scene.server.close()
})

async function connect(after = 0): Promise<IncomingMessage> {
  const { port } = scene.server.address() as AddressInfo
  const sent = get({ port, host: '127.0.0.1', headers: { 'last-event-id': String(after) }, agent: false })
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  response.on('error', () => undefined)
  return response
}
function listen(response: IncomingMessage): FixEvent[] {
  const events: FixEvent[] = []
  const parser = createStreamParser()
  response.setEncoding('utf8').on('data', (chunk: string) => {
    for (const { data } of parser.push(chunk)) events.push(JSON.parse(data) as FixEvent)
  })
  return events
}
const seqs = (events: readonly FixEvent[]): readonly (number | null)[] => events.map(({ seq }) => seq)

describe('an event stream', () => {
  it('sends what is stored and what comes, once and in order, in whatever order it is told', async () => {
    const { publish, stored, feeds } = await setScene()
    publish(eventOf(1))
    publish(eventOf(2))
    const events = listen(await connect())
    await expect.poll(() => seqs(events)).toEqual([1, 2])
    stored.push(eventOf(3), eventOf(4), eventOf(5))
    feeds.publish(eventOf(5))
    feeds.publish(eventOf(3))
    feeds.publish(eventOf(4))
    await expect.poll(() => seqs(events)).toEqual([1, 2, 3, 4, 5])
    publish(eventOf(6, 'the end', 'fix_session_completed'))
    await expect.poll(() => seqs(events)).toEqual([1, 2, 3, 4, 5, 6])
    expect(scene.streams.openCount()).toBe(0)
  })

  it('tells of events that another process writes', async () => {
    const { stored } = await setScene({}, false)
    const events = listen(await connect())
    stored.push(eventOf(1), eventOf(2))
    await expect.poll(() => seqs(events)).toEqual([1, 2])
  })

  it('ends a client that does not read, which then goes on where it was', async () => {
    const { publish } = await setScene({ maxBufferedBytes: 100_000 })
    const slow = await connect()
    slow.pause()
    const long = 'x'.repeat(50_000)
    let seq = 0
    while (scene.streams.cutCount() === 0 && seq < 1_000) {
      publish(eventOf((seq += 1), long))
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(seq).toBeLessThan(1_000)
    const some = listen(slow)
    slow.resume()
    await new Promise((resolve) => slow.once('close', resolve))
    const after = some.at(-1)?.seq ?? 0
    const rest = listen(await connect(after))
    await expect.poll(() => rest.length).toBe(seq - after)
    expect(seqs([...some, ...rest])).toEqual(Array.from({ length: seq }, (_, index) => index + 1))
  })

  it('leaves live text out for a client that is behind, and nothing else', async () => {
    const { publish } = await setScene({ maxTextBytes: 1 })
    const events = listen(await connect())
    publish(eventOf(1))
    await expect.poll(() => seqs(events)).toEqual([1])
    publish(eventOf(null, 'heard'))
    await expect.poll(() => seqs(events)).toEqual([1, null])
    publish(eventOf(2))
    publish(eventOf(null, 'not heard'))
    publish(eventOf(3))
    await expect.poll(() => seqs(events)).toEqual([1, null, 2, 3])
  })

  it('says now and then that it is still there', async () => {
    await setScene({ heartbeatMs: 20 })
    const response = await connect()
    let text = ''
    response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
    await expect.poll(() => text).toContain(': still here\n\n')
  })
})
