import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { sampleEvent } from '../../../test/fixtures/attempt-samples.ts'
import type { FixEvent } from '../../model/session/event.ts'
import { createSpanExporter } from './otlp-exporter.ts'
import { type TraceSpan, traceSessions } from './session-spans.ts'

const eventOf = (second: number, given: Partial<FixEvent>): FixEvent =>
  sampleEvent({
    type: 'fix_session_started',
    seq: second,
    timestamp: new Date(second * 1_000).toISOString(),
    ...given,
  })
const issue = { issue_id: 'iss_1', issue_code: 'BE-001', round: 1 }
const story: readonly FixEvent[] = [
  eventOf(1, {}),
  eventOf(2, { ...issue, type: 'fix_issue_started', round: null }),
  eventOf(3, { ...issue, type: 'fix_cycle_started' }),
  eventOf(4, { ...issue, type: 'fix_agent_invoked' }),
  eventOf(5, { ...issue, type: 'fix_issue_generating', details: { cost_usd: 0.25, tokens: 7 } }),
  eventOf(6, { ...issue, type: 'fix_cycle_completed' }),
  eventOf(7, { ...issue, type: 'fix_issue_completed', round: null, message: 'fixed' }),
  eventOf(8, { type: 'fix_session_completed', message: '1 of 1 fixed' }),
]

/** What the record of a session holds, a few events at a time. */
const recordOf = (events: readonly FixEvent[]) => async (_id: string, afterSeq: number) =>
  events.filter(({ seq }) => (seq ?? 0) > afterSeq).slice(0, 3)

/** The spans that one process sends when it has stored these events of a story. */
async function spansOf(stored: readonly FixEvent[], events = story): Promise<readonly TraceSpan[]> {
  const spans: TraceSpan[] = []
  const tracer = traceSessions((span) => spans.push(span), recordOf(events))
  stored.forEach(tracer.note)
  await tracer.settled()
  return spans
}

it('telemetry makes a tree of spans out of the events of a session', async () => {
  const spans = await spansOf(story)
  expect(spans.map(({ name, startMs, endMs }) => [name, startMs, endMs])).toEqual([
    ['agent BE-001', 4_000, 5_000],
    ['round BE-001', 3_000, 6_000],
    ['attempt BE-001', 2_000, 7_000],
    ['session', 1_000, 8_000],
  ])
  const [agent, round, attempt, session] = spans
  expect(agent?.parentSpanId).toBe(round?.spanId)
  expect(round?.parentSpanId).toBe(attempt?.spanId)
  expect(attempt?.parentSpanId).toBe(session?.spanId)
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1)
  expect(agent?.attributes).toMatchObject({ 'fixpoint.cost_usd': 0.25, 'fixpoint.tokens': 7 })
})

it('telemetry makes the same tree when a server begins a session, a worker works on it and another one ends it', async () => {
  const [server, worker, driver] = [story.slice(0, 1), story.slice(1, 6), story.slice(6)]
  expect(await spansOf(server)).toEqual([])
  expect([...(await spansOf(worker)), ...(await spansOf(driver))]).toEqual(await spansOf(story))
})

it('telemetry makes the same tree when the record already holds more than was noted', async () => {
  const spans: TraceSpan[] = []
  const tracer = traceSessions((span) => spans.push(span), recordOf(story))
  for (const event of story) {
    tracer.note(event)
    await tracer.settled()
  }
  expect(spans).toEqual(await spansOf(story))
})

it('telemetry shows a session that rested as a part for each time it ran', async () => {
  const events = [
    eventOf(1, {}),
    eventOf(2, { type: 'fix_session_parked' }),
    eventOf(9, { ...issue, type: 'fix_issue_started', round: null }),
    eventOf(10, { type: 'fix_session_completed' }),
  ].map((event, index) => ({ ...event, seq: index + 1 }))
  const [first, second, ...others] = await spansOf(events, events)
  expect(others).toEqual([])
  expect([first?.startMs, first?.endMs, second?.startMs, second?.endMs]).toEqual([
    1_000, 2_000, 9_000, 10_000,
  ])
  expect([first?.parentSpanId, second?.parentSpanId]).toEqual([null, first?.spanId])
})

it('telemetry sends spans to the collector that the variables name, with headers that need not be encoded, and to nobody without them', async () => {
  expect(createSpanExporter({})).toBeNull()
  const received: unknown[] = []
  const collector = createServer((request, response) => {
    void json(request).then((body) => {
      received.push([request.url, request.headers['x-key'], request.headers['x-share'], body])
      response.end()
    })
  })
  collector.listen(0, '127.0.0.1')
  await once(collector, 'listening')
  const { port } = collector.address() as AddressInfo
  const exporter = createSpanExporter({
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}/`,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a%20b,x-share=100%,',
  })
  ;(await spansOf(story)).forEach((span) => exporter?.add(span))
  await exporter?.flush()
  collector.close()
  expect(received).toMatchObject([
    [
      '/v1/traces',
      'a b',
      '100%',
      {
        resourceSpans: [
          {
            scopeSpans: [{ spans: [{ name: 'agent BE-001', startTimeUnixNano: '4000000000' }, {}, {}, {}] }],
          },
        ],
      },
    ],
  ])
})

it('telemetry goes on when no collector is there', async () => {
  const exporter = createSpanExporter({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' })
  ;(await spansOf(story)).forEach((span) => exporter?.add(span))
  await expect(exporter?.flush()).resolves.toBeUndefined()
})
