import fc from 'fast-check'
import { expect, it } from 'vitest'
import { sampleEvent } from '../../../test/fixtures/attempt-samples.ts'
import { EventType, type FixEvent } from './event.ts'
import { readTiming } from './timing.ts'

const at = (second: number, type: FixEvent['type'], given: Partial<FixEvent> = {}): FixEvent =>
  sampleEvent({ type, timestamp: new Date(second * 1000).toISOString(), details: {}, ...given })
const a = { issue_code: 'A' }
const b = { issue_code: 'B' }

const seconds = (events: readonly FixEvent[], kind: 'wall_ms' | 'busy_ms' = 'wall_ms') =>
  Object.fromEntries(
    readTiming(events).parts.flatMap((part) => (part[kind] > 0 ? [[part.name, part[kind] / 1000]] : [])),
  )

const one: readonly FixEvent[] = [
  at(0, 'fix_session_started'),
  at(10, 'fix_issue_started', a),
  at(10, 'fix_cycle_started', a),
  at(10, 'fix_issue_generating', a),
  at(15, 'fix_agent_invoked', { ...a, details: { waited_ms: 4000 } }),
  at(35, 'fix_issue_generating', { ...a, details: { agent: 'x' } }),
  at(36, 'fix_verification_started', a),
  at(46, 'fix_verification_result', a),
  at(46, 'fix_challenger_evaluating', a),
  at(50, 'fix_challenger_result', a),
  at(50, 'fix_verification_started'),
  at(60, 'fix_verification_result'),
  at(60, 'fix_landing_started'),
  at(61, 'fix_landing_result'),
  at(62, 'fix_session_completed', { details: { store_ms: 12 } }),
]

it('each part of a session has its time, and all of them together are the clock', () => {
  expect(readTiming(one)).toMatchObject({ wall_ms: 62_000, store_ms: 12 })
  expect(seconds(one)).toEqual({ agents: 24, checks: 30, places: 4, git: 3, other: 1 })
})

it('what goes on side by side divides the clock, and keeps all of its own time', () => {
  const events = [
    at(0, 'fix_agent_invoked', a),
    at(0, 'fix_verification_started', b),
    at(10, 'fix_issue_generating', { ...a, details: { agent: 'x' } }),
    at(10, 'fix_cycle_completed', a),
    at(20, 'fix_verification_result', b),
  ]
  expect(seconds(events)).toEqual({ agents: 5, checks: 15 })
  expect(seconds(events, 'busy_ms')).toEqual({ agents: 10, checks: 20 })
})

it('a train is checked while issues begin, and a session at rest does nothing else', () => {
  const events = [
    at(0, 'fix_verification_started'),
    at(2, 'fix_issue_started', a),
    at(8, 'fix_verification_result'),
    at(8, 'fix_cycle_started', a),
    at(9, 'fix_session_parked'),
    at(30, 'fix_cycle_started', a),
    at(31, 'fix_agent_invoked', a),
    at(41, 'fix_session_error'),
  ]
  expect(seconds(events)).toEqual({ checks: 8, git: 2, resting: 21, agents: 10 })
})

it('one agent of a batch works until its issues are looked at one by one', () => {
  const events = [
    at(0, 'fix_issue_generating', a),
    at(0, 'fix_agent_invoked'),
    at(7, 'fix_gate_result', a),
    at(7, 'fix_verification_started', a),
    at(9, 'fix_verification_result', a),
  ]
  expect(seconds(events)).toEqual({ agents: 7, checks: 2 })
})

it('a session without events took no time', () => {
  expect(readTiming([])).toMatchObject({ wall_ms: 0, store_ms: null })
})

it('of a session at work, what goes on now counts until now', () => {
  const { wall_ms, parts } = readTiming(one.slice(0, 5), 25_000)
  expect(wall_ms).toBe(25_000)
  expect(parts.find(({ name }) => name === 'agents')?.wall_ms).toBe(10_000)
})

it('the setup has its own time, in which checks and workspaces only wait for it', () => {
  const events = [
    at(0, 'fix_session_started'),
    at(8, 'fix_agent_waiting', { details: { for: 'setup', setup_ms: 6000 } }),
    at(10, 'fix_issue_started', a),
    at(10, 'fix_cycle_started', a),
    at(15, 'fix_agent_invoked', a),
    at(20, 'fix_session_completed'),
  ]
  expect(seconds(events)).toEqual({ setup: 6, agents: 5, checks: 4, git: 5 })
})

it('from the last word of a killed process until another one goes on, a session is at rest', () => {
  const events = [
    at(0, 'fix_cycle_started', a),
    at(2, 'fix_agent_invoked', a),
    at(60, 'fix_session_warning', { details: { idle_since: new Date(2000).toISOString() } }),
    at(61, 'fix_cycle_started', a),
    at(62, 'fix_agent_invoked', a),
    at(70, 'fix_session_completed'),
  ]
  expect(seconds(events)).toEqual({ agents: 8, git: 3, resting: 58, other: 1 })
})

it('whatever happened in whatever order, the parts together are the clock, and none is longer than its own work', () => {
  const drawn = fc.record({
    type: fc.constantFrom(...EventType.options),
    after: fc.integer({ min: 0, max: 30 }),
    issue_code: fc.constantFrom('A', 'B', null),
    details: fc.constantFrom({}, { waited_ms: 4000 }, { setup_ms: 1500 }, { agent: 'x' }, { tests: [] }),
  })
  fc.assert(
    fc.property(fc.array(drawn, { minLength: 1, maxLength: 40 }), (all) => {
      let second = 0
      const events = all.map(({ type, after, ...given }) => at((second += after), type, given))
      const { wall_ms, parts } = readTiming(events)
      expect(Math.abs(parts.reduce((sum, part) => sum + part.wall_ms, 0) - wall_ms)).toBeLessThan(10)
      expect(parts.filter((part) => part.name !== 'other' && part.wall_ms > part.busy_ms + 1)).toEqual([])
      expect(parts.filter((part) => part.wall_ms < 0)).toEqual([])
    }),
  )
})
