import { describe, expect, it } from 'vitest'
import type { FixEvent } from '../model/session/event.ts'
import {
  ApiError,
  createClient,
  emptyView,
  laneSummary,
  reduceSession,
  type ClientOptions,
  type SessionView,
} from './index.ts'
import { sampleEvent } from '../../test/fixtures/attempt-samples.ts'
import { commonWork, emptyLane, laneMessage } from './session-view.ts'
import { createStreamParser } from './sse.ts'

const eventOf = (given: Partial<FixEvent>): FixEvent =>
  sampleEvent({ issue_id: 'iss_1', issue_code: 'BE-001', issue_index: 1, ...given })
const frame = (event: FixEvent): string =>
  `${event.seq === null ? '' : `id: ${event.seq}\n`}event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`

/** A server that gives these answers one after the other, and what it was asked. */
function scripted(answers: readonly (() => Response)[]) {
  const asked: { readonly url: string; readonly headers: Headers; readonly body: unknown }[] = []
  const waits: number[] = []
  const options: ClientOptions = {
    baseUrl: 'http://here',
    token: 'secret',
    fetch: async (url, init) => {
      asked.push({ url, headers: new Headers(init?.headers), body: init?.body })
      const answer = answers[asked.length - 1]
      if (!answer) throw new TypeError('fetch failed')
      return answer()
    },
    wait: (ms, signal) => {
      if (ms > 10_000) return new Promise((resolve) => signal.addEventListener('abort', () => resolve()))
      waits.push(ms)
      return Promise.resolve()
    },
  }
  return { client: createClient(options), asked, waits }
}
const stream =
  (...events: readonly FixEvent[]) =>
  (): Response =>
    new Response(events.map(frame).join(''))

describe('an event stream', () => {
  it('is read the same wherever it is cut', () => {
    const text = `retry: 1000\n\n: hello\n\n${frame(eventOf({ message: 'ä\nb' }))}data: one\ndata: two\r\n\r\n`
    const whole = createStreamParser().push(text)
    expect(whole.map(({ id }) => id)).toEqual(['1', null])
    expect(whole[1]?.data).toBe('one\ntwo')
    for (let size = 1; size < 20; size += 1) {
      const parser = createStreamParser()
      const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []
      expect(pieces.flatMap((piece) => parser.push(piece))).toEqual(whole)
    }
  })

  it('is followed over lost connections: every event once and in order, with live text between', async () => {
    const { client, asked } = scripted([
      stream(eventOf({ seq: 1 }), eventOf({ seq: 2 }), eventOf({ seq: null, type: 'fix_issue_streaming' })),
      () => new Response('gone', { status: 503 }),
      stream(eventOf({ seq: 2 }), eventOf({ seq: 3 }), eventOf({ seq: 5 })),
      stream(eventOf({ seq: 4 }), eventOf({ seq: 5, type: 'fix_session_completed' })),
    ])
    const seen: (number | null)[] = []
    const states: string[] = []
    await client.follow({
      sessionId: 'ses_1',
      signal: new AbortController().signal,
      onEvent: ({ seq }) => seen.push(seq),
      onState: (state) => states.push(state),
    })
    expect(seen).toEqual([1, 2, null, 3, 4, 5])
    expect(asked.map(({ headers }) => headers.get('last-event-id'))).toEqual(['0', '2', '2', '3'])
    expect(states).toEqual([
      'connecting',
      'live',
      'waiting',
      'connecting',
      'waiting',
      'connecting',
      'live',
      'waiting',
      'connecting',
      'live',
      'ended',
    ])
  })

  it('is asked for later after each try in vain, and soon again once it was open', async () => {
    const away = (): Response => new Response('gone', { status: 503 })
    const { client, waits } = scripted([
      away,
      away,
      away,
      () => new Response(''),
      away,
      () => new Response(null, { status: 204 }),
    ])
    await client.followReview({
      reviewId: 'rev_1',
      signal: new AbortController().signal,
      onEvent: () => undefined,
    })
    expect(waits).toEqual([250, 500, 1_000, 250, 500])
  })

  it('ends where the server has nothing more, and when it is refused', async () => {
    const request = { sessionId: 'ses_1', signal: new AbortController().signal, onEvent: () => undefined }
    await scripted([() => new Response(null, { status: 204 })]).client.follow(request)
    const problem = JSON.stringify({ status: 404, detail: 'there is no session', code: 'not_found' })
    const headers = { 'content-type': 'application/problem+json' }
    const { client } = scripted([() => new Response(problem, { status: 404, headers })])
    await expect(client.follow(request)).rejects.toThrow('there is no session')
  })

  it('waits when it is refused for now only', async () => {
    const busy = { status: 409, detail: 'the database is busy', code: 'busy', retryable: true }
    const headers = { 'content-type': 'application/problem+json' }
    const states: string[] = []
    await scripted([
      () => new Response(JSON.stringify(busy), { status: 409, headers }),
      () => new Response(null, { status: 204 }),
    ]).client.follow({
      sessionId: 'ses_1',
      signal: new AbortController().signal,
      onEvent: () => undefined,
      onState: (state) => states.push(state),
    })
    expect(states).toEqual(['connecting', 'waiting', 'connecting', 'ended'])
  })
})

describe('a call', () => {
  it('says what is asked for, and who asks', async () => {
    const { client, asked } = scripted([() => Response.json({ issues: [] }), () => Response.json({})])
    await client.issues('rep_1', { status: ['open', 'failed'], q: 'a b' })
    await client.start({ repository_id: 'rep_1' as never, issue_ids: [] }, 'mine')
    expect(asked[0]?.url).toBe('http://here/api/fix/issues/rep_1?status=open%2Cfailed&q=a+b')
    expect(asked[0]?.headers.get('authorization')).toBe('Bearer secret')
    expect([asked[1]?.headers.get('idempotency-key'), asked[1]?.body]).toEqual([
      'mine',
      '{"repository_id":"rep_1","issue_ids":[]}',
    ])
  })

  it('that something else answers is a problem all the same', async () => {
    const { client } = scripted([() => new Response('<html>', { status: 502 })])
    const error: unknown = await client.repositories().catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({ status: 502, problem: { code: 'internal' } })
  })
})

describe('the view of a session', () => {
  const reduce = (...events: readonly Partial<FixEvent>[]): SessionView =>
    events.map((event, index) => eventOf({ seq: index + 1, ...event })).reduce(reduceSession, emptyView)

  it('follows an issue through rounds, with what it cost', () => {
    const gate = { name: 'scope', status: 'failed', reason: 'no' }
    const view = reduce(
      { type: 'fix_session_started', issue_code: null, details: { plan: { execution_steps: [] } } },
      { type: 'fix_cycle_started', round: 1 },
      { type: 'fix_issue_streaming', seq: null, message: 'thinking' },
      { type: 'fix_issue_generating', round: 1, details: { cost_usd: 0.5, tokens: 10 } },
      { type: 'fix_gate_result', round: 1, details: { gate } },
      { type: 'fix_cycle_completed', round: 1, message: 'round 1 refused: no' },
      { type: 'fix_cycle_started', round: 2 },
      { type: 'fix_challenger_result', round: 2, details: { challenge: { score: 95, status: 'accepted' } } },
    )
    const lane = view.lanes.get('BE-001')
    expect(lane).toMatchObject({ stage: 'landing', round: 2, costUsd: 0.5, tokens: 10, text: '' })
    expect(lane?.rounds).toMatchObject([
      { round: 1, gates: [gate], ended: 'round 1 refused: no' },
      { round: 2, gates: [], challenge: { score: 95 }, ended: null },
    ])
    expect(view).toMatchObject({ costUsd: 0.5, tokens: 10, lastSeq: 8, plan: { execution_steps: [] } })
  })

  const states = (view: SessionView) =>
    Object.values(view.lanes.get('BE-001')?.steps ?? {}).map(({ state }) => state)

  it('shows at each stage what it came to, and why it was refused', () => {
    const refused = { status: 'refused', score: 40, feedback: 'no', improvements_needed: ['handle null'] }
    const begun = [
      { type: 'fix_cycle_started', round: 1, timestamp: '2030-01-01T00:00:00Z' },
      { type: 'fix_verification_started', round: 1, timestamp: '2030-01-01T00:00:04Z' },
      {
        type: 'fix_verification_result',
        round: 1,
        timestamp: '2030-01-01T00:00:06Z',
        details: { verification: { status: 'passed' } },
      },
      { type: 'fix_challenger_evaluating', round: 1 },
    ] as const
    const atWork = reduce(...begun)
    expect(states(atWork)).toEqual(['passed', 'passed', 'running', 'waiting'])
    expect(atWork.lanes.get('BE-001')?.steps.fix.tookMs).toBe(4_000)
    expect(atWork.lanes.get('BE-001')?.steps.verify.tookMs).toBe(2_000)
    const result = { type: 'fix_challenger_result', round: 1, details: { challenge: refused } } as const
    const end = {
      type: 'fix_issue_completed',
      message: 'refused: handle null',
      details: { outcome: 'refused', reason: 'handle null' },
    } as const
    const over = reduce(...begun, result, end)
    expect(states(over)).toEqual(['passed', 'passed', 'refused', 'skipped'])
    expect(over.lanes.get('BE-001')?.steps.challenge.reason).toBe('handle null')
    const again = reduce(...begun, result, { type: 'fix_cycle_started', round: 2 })
    expect(states(again)).toEqual(['running', 'waiting', 'waiting', 'waiting'])
  })

  it('shows a train at the lanes of its patches: judged together, then landed or refused', () => {
    const accepted = [
      { type: 'fix_cycle_started', round: 1 },
      { type: 'fix_challenger_result', round: 1, details: { challenge: { status: 'accepted' } } },
    ] as const
    const train = {
      type: 'fix_verification_started',
      issue_code: null,
      details: { issues: ['BE-001', 'BE-9'] },
    } as const
    const at = (...more: readonly Partial<FixEvent>[]) => reduce(...accepted, ...more).lanes.get('BE-001')
    expect(at()?.steps.land.state).toBe('waiting')
    expect(laneSummary(at(), 0)).toBe('Accepted, waits to land with the others')
    expect(at(train)?.steps.land).toMatchObject({ state: 'running', reason: null })
    expect(laneSummary(at(train), 0)).toBe('The checks judge it with the others, then it lands')
    const committed = {
      type: 'fix_issue_committed',
      message: 'fix(cart): round the sum up [BE-001]',
    } as const
    const ended = { type: 'fix_issue_completed', details: { outcome: 'fixed' } } as const
    expect(at(train, committed, ended)?.steps.land).toMatchObject({ state: 'passed', startedMs: null })
    expect(laneSummary(at(train, committed, ended), 0)).toBe('round the sum up')
    const red = { type: 'fix_cycle_completed', round: 1, message: 'round 1 refused: red together' } as const
    expect(at(train, red)?.steps.land).toMatchObject({ state: 'refused', reason: 'red together' })
    expect([...reduce(...accepted, train).lanes.keys()]).toEqual(['BE-001'])
  })

  it('shows an issue that never began as skipped, and one that was cancelled as stopped where it was', () => {
    const cancelled = {
      type: 'fix_issue_completed',
      message: 'cancelled: by a person',
      details: { outcome: 'cancelled', reason: 'by a person' },
    } as const
    expect(states(reduce({ type: 'fix_issue_started' }, cancelled))).toEqual(Array(4).fill('skipped'))
    const begun = reduce({ type: 'fix_cycle_started', round: 1 }, cancelled)
    expect(states(begun)).toEqual(['stopped', 'skipped', 'skipped', 'skipped'])
    // A patch that waited for a person is not refused by that.
    const held = reduce(
      { type: 'fix_cycle_started', round: 1 },
      { type: 'fix_approval_needed', round: 1, message: 'it weakens a test' },
      { type: 'fix_cycle_completed', round: 1, message: 'round 1 refused: by a person' },
      cancelled,
    )
    expect(states(held)).toEqual(['stopped', 'skipped', 'skipped', 'skipped'])
  })

  it('shows what the checks print while they judge a patch, and of all patches together until they land', () => {
    const print = (name: string, message: string, issue_code: string | null = 'BE-001') =>
      ({
        type: 'fix_issue_streaming',
        seq: null,
        issue_code,
        message,
        details: { signal: { type: 'check', name } },
      }) as const
    const begun = [
      { type: 'fix_cycle_started', round: 1 },
      print('test', 'too early'),
      { type: 'fix_verification_started', round: 1 },
      print('lint', 'clean'),
      print('test', 'ok 1'),
      print('test', 'ok 2'),
    ] as const
    const lane = reduce(...begun).lanes.get('BE-001')
    expect([lane?.output, lane?.text]).toEqual(['▸ lint\nclean\n▸ test\nok 1\nok 2\n', ''])
    expect(laneSummary(lane, 0)).toBe('Checks: ok 2')
    const counted = reduce(...begun, print('test', 'ℹ duration_ms 76.6')).lanes.get('BE-001')
    expect(laneSummary(counted, 0)).toBe('Checks: ok 2')
    const judged = {
      type: 'fix_verification_result',
      details: { verification: { status: 'passed' } },
    } as const
    expect(reduce(...begun, judged, print('test', 'late')).lanes.get('BE-001')?.output).toBe('')
    const landing = [...begun, judged, print('test', 'together', null)] as const
    expect(reduce(...landing).landingOutput).toBe('▸ test\ntogether\n')
    expect(reduce(...landing, { type: 'fix_landing_started', issue_code: null }).landingOutput).toBe('')
  })

  it('says in one line what an agent does, without data, fences and hidden signs', () => {
    const said = (message: string) =>
      reduce({ type: 'fix_cycle_started' }, { type: 'fix_issue_streaming', seq: null, message })
    const summary = (message: string) => laneSummary(said(message).lanes.get('BE-001'), 0)
    expect(summary('Reading src/cart.mjs')).toBe('Reading src/cart.mjs')
    expect(summary('Now I look.\n```json\n{"issues": {}}\n```')).toBe('Now I look.')
    expect(summary('{"a": 1}')).toBe('The fixer is at work')
    expect(summary('I change it:\n```js\nlet limit = 1\n```')).toBe('I change it:')
    expect(summary('I change it:\n```js\nlet limit = 1')).toBe('I change it:')
    expect(summary('First:\n```\none\n```\nthen I test')).toBe('then I test')
    expect(summary('safe \u202Eevil')).toBe('safe evil')
  })

  it('is not taken back by what an agent said before, which who comes later hears last', () => {
    const lane = reduce(
      { type: 'fix_cycle_started' },
      { type: 'fix_verification_started' },
      { type: 'fix_verification_result', details: { verification: { status: 'passed', commands: [] } } },
      { type: 'fix_challenger_result', message: 'accepted', details: { challenge: { status: 'accepted' } } },
      { type: 'fix_issue_streaming', seq: null, message: 'Reading src/cart.mjs' },
      {
        type: 'fix_issue_streaming',
        seq: null,
        message: '$1 so far',
        details: { signal: { type: 'usage' } },
      },
    ).lanes.get('BE-001')
    expect(lane).toMatchObject({ stage: 'landing', message: 'accepted', text: 'Reading src/cart.mjs\n' })
  })

  it('says what is waited for and about how long: the setup, the agent, its place, the checks, its turn', () => {
    const wait = (message: string, details = {}) =>
      ({
        type: 'fix_agent_waiting',
        seq: null,
        issue_code: null,
        message,
        details: { for: 'setup', ...details },
      }) as const
    const base = {
      type: 'fix_verification_started',
      seq: null,
      issue_code: null,
      message: 'the base',
    } as const
    const setup = wait('waiting for workspace.setup (npm ci), about 20 s')
    expect(commonWork(reduce(base, setup))).toBe(setup.message)
    expect(commonWork(reduce(base, setup, wait('it took 20.0 s', { setup_ms: 20_000 })))).toBe('the base')
    const summary = (...events: readonly Partial<FixEvent>[]) =>
      laneSummary(reduce({ type: 'fix_cycle_started' }, ...events).lanes.get('BE-001'), 0)
    const place = {
      type: 'fix_issue_generating',
      seq: null,
      message: 'waiting for an agent’s place',
    } as const
    expect(summary(place)).toBe('Waits for an agent’s place')
    const agent = { type: 'fix_agent_invoked', message: 'the fixer is at work, about 60 s' } as const
    expect(summary(place, agent)).toBe('The fixer is at work, about 60 s')
    const checks = { type: 'fix_verification_started', message: 'running them, about 2 min: 1 file' } as const
    expect(summary(agent, checks)).toBe('The checks judge the patch, about 2 min')
    const verification = { status: 'passed' }
    const judged = { type: 'fix_verification_result', details: { verification } } as const
    const gate = { type: 'fix_gate_result', details: { gate: { name: 'x', status: 'passed' } } } as const
    expect(summary(agent, checks, judged, gate)).toBe('Its checks passed, it waits for its turn')
  })

  it('counts what the challenger cost', () => {
    const details = { challenge: { score: 95 }, cost_usd: 0.25, tokens: 5 }
    const view = reduce({ type: 'fix_challenger_result', round: 1, details })
    expect(view).toMatchObject({ costUsd: 0.25, tokens: 5 })
  })

  it('says how long an agent still waits, until anything else happens', () => {
    const details = { agent: 'claude', kind: 'overloaded', reason: '529', until: '2030-01-01T00:00:10Z' }
    const waiting = reduce({ type: 'fix_agent_waiting', message: 'claude waits', details })
    const lane = waiting.lanes.get('BE-001') ?? emptyLane('')
    const at = (time: string) => laneMessage(lane, Date.parse(time))
    expect(at('2030-01-01T00:00:03Z')).toBe('claude waits 7 s more: 529')
    expect(at('2030-01-01T00:00:13Z')).toBe('claude asks again, after: 529')
    const after = reduceSession(waiting, eventOf({ seq: 2, type: 'fix_issue_generating', message: 'ended' }))
    expect(laneMessage(after.lanes.get('BE-001') ?? lane, 0)).toBe('ended')
  })

  it('shows a question until the attempt goes on, and why the session rests', () => {
    const asked = reduce(
      {
        type: 'fix_approval_needed',
        message: 'a test was changed',
        details: { gate: 'tamper', files: ['t.js'] },
      },
      { type: 'fix_session_parked', issue_code: null, message: 'BE-001 needs a person' },
    )
    expect(asked.lanes.get('BE-001')).toMatchObject({
      stage: 'held',
      question: { gate: 'tamper', files: ['t.js'] },
    })
    expect(asked.parked).toBe('BE-001 needs a person')
    const after = reduceSession(asked, eventOf({ seq: 3, type: 'fix_verification_started' }))
    expect([after.parked, after.lanes.get('BE-001')?.question]).toEqual([null, null])
    const over = reduceSession(
      after,
      eventOf({ seq: 4, type: 'fix_session_completed', message: '1 of 1 fixed' }),
    )
    expect(over).toMatchObject({ isOver: true, ending: '1 of 1 fixed' })
  })

  it('tells what is done for all issues at once: the base first, then a train', () => {
    const base = reduce({ type: 'fix_verification_started', issue_code: null, message: 'the base' })
    expect(base.activity).toBe('the base')
    const begun = reduceSession(base, eventOf({ type: 'fix_issue_started' }))
    expect(begun.activity).toBeNull()
    const asking = eventOf({ seq: 2, type: 'fix_clarification_needed', issue_code: null })
    expect(reduceSession(base, asking).activity).toBeNull()
    const train = eventOf({ type: 'fix_verification_started', issue_code: null, message: 'a train' })
    const landing = reduceSession(reduceSession(begun, train), eventOf({ type: 'fix_issue_started' }))
    expect(landing.activity).toBe('a train')
    const checked = eventOf({ type: 'fix_verification_result', issue_code: null, message: 'passed' })
    expect(reduceSession(landing, checked).activity).toBeNull()
  })
})
