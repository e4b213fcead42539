import { expect, it } from 'vitest'
import type { IssueTimeline } from '../../loop/ports.ts'
import type { SessionEnds } from './insights.ts'
import { openByDay } from './open-by-day.ts'

const on = (day: number): string => `2030-01-0${day}T12:00:00.000Z`
const history = (given: Partial<IssueTimeline>): IssueTimeline => ({
  id: 'iss_1',
  status: 'open',
  created_at: on(1),
  updated_at: on(1),
  moves: [],
  ...given,
})
const end = (day: number, given: Record<string, string> = {}) =>
  ({
    ends: [{ day: `2030-01-0${day}`, issueId: 'iss_1', counted: 'fixed', outcome: 'fixed', ...given }],
  }) as never
const standings = (moved: readonly IssueTimeline[], sessions: readonly Pick<SessionEnds, 'ends'>[] = []) =>
  openByDay({ steady: [], moved }, sessions).map(({ day, open }) => [Number(day.slice(-2)), open])

it('the count of open issues counts those that were never moved on the day on which they were found', () => {
  const steady = [
    { day: '2030-01-01', count: 3 },
    { day: '2030-01-04', count: 2 },
  ]
  expect(openByDay({ steady, moved: [] }, [])).toEqual([
    { day: '2030-01-01', found: 3, closed: 0, open: 3 },
    { day: '2030-01-04', found: 2, closed: 0, open: 5 },
  ])
})

it.each([
  [
    'fixed by a session',
    history({ status: 'resolved', updated_at: on(5) }),
    [end(3)],
    [
      [1, 1],
      [3, 0],
    ],
  ],
  [
    'refused by its session',
    history({ status: 'failed', updated_at: on(3) }),
    [end(3, { counted: 'failed', outcome: 'refused' })],
    [[1, 1]],
  ],
  [
    'agreed to be none',
    history({ status: 'ignored', updated_at: on(3) }),
    [end(3, { counted: 'skipped', outcome: 'false_positive' })],
    [
      [1, 1],
      [3, 0],
    ],
  ],
  [
    'ignored and opened again',
    history({
      updated_at: on(4),
      moves: [
        { at: on(2), from: 'open', to: 'ignored' },
        { at: on(4), from: 'ignored', to: 'open' },
      ],
    }),
    [],
    [
      [1, 1],
      [2, 0],
      [4, 1],
    ],
  ],
  [
    'fixed, and opened again when the fix was discarded',
    history({ updated_at: on(6), moves: [{ at: on(6), from: 'resolved', to: 'open' }] }),
    [end(3)],
    [
      [1, 1],
      [3, 0],
      [6, 1],
    ],
  ],
  [
    'closed by triage, of which nothing is recorded',
    history({ status: 'duplicate', updated_at: on(4) }),
    [],
    [
      [1, 1],
      [4, 0],
    ],
  ],
  ['suppressed where it stands, so never open', history({ status: 'ignored' }), [], []],
  [
    'merged after its fix',
    history({ status: 'merged', updated_at: on(8), moves: [{ at: on(8), from: 'resolved', to: 'merged' }] }),
    [end(3)],
    [
      [1, 1],
      [3, 0],
    ],
  ],
] as const)('the count of open issues follows an issue that was %s', (_, issue, sessions, expected) => {
  expect(standings([issue], sessions)).toEqual(expected)
})
