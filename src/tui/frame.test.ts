import { describe, expect, it } from 'vitest'
import { busyScreen, heldPatch, openQuestion, screenEvent } from '../../test/fixtures/screen.ts'
import { layoutFrame } from './frame.ts'
import { widthOf } from './rows.ts'
import { emptyScreen, withEvent, type Dialog, type ScreenState } from './screen-state.ts'

const textOf = (state: ScreenState, columns = 100, rows = 24): string =>
  layoutFrame(state, { columns, rows }, 0)
    .rows.map((spans) => spans.map(({ text }) => text).join(''))
    .join('\n')

const gate = (name: string, status: string) =>
  screenEvent(4, { type: 'fix_gate_result', details: { gate: { name, status, reason: '' } } })

describe('the frame', () => {
  it('fills the screen exactly, whatever its size and whatever is asked', () => {
    const dialogs: readonly (Dialog | null)[] = [
      null,
      { kind: 'help' },
      { kind: 'quit' },
      { kind: 'cancel' },
      { kind: 'approve', approval: heldPatch },
      { kind: 'reject', approval: heldPatch, text: 'x'.repeat(300) },
      { kind: 'answer', question: openQuestion, text: '' },
    ]
    const long = '日本 '.repeat(200)
    for (const dialog of dialogs)
      for (const [columns, rows] of [
        [60, 20],
        [100, 30],
        [20, 8],
        [3, 2],
        [1, 1],
      ] as const) {
        const state = withEvent(busyScreen({ dialog, notice: long }), screenEvent(9, { message: long }))
        const frame = layoutFrame(state, { columns, rows }, 0)
        expect(frame.rows.length).toBeLessThanOrEqual(rows)
        if (rows > 8) expect(frame.rows).toHaveLength(rows)
        for (const spans of frame.rows) {
          const line = spans.map(({ text }) => text).join('')
          expect(widthOf(line)).toBeLessThanOrEqual(Math.max(2, columns))
        }
      }
  })

  it('says that nothing has begun', () => {
    expect(textOf(emptyScreen('drive'))).toMatch(
      /starting[^]*no issue has begun yet[^]*nothing has happened yet/,
    )
  })

  it('shows a lane with its stage, round, the gate that stands in the way and its score', () => {
    const inspected = [gate('tamper', 'failed'), gate('secrets', 'passed')].reduce(withEvent, busyScreen())
    expect(textOf(inspected)).toMatch(/› . BE-001 ▪▫▫▫▫ fixing +r1 ✗ tamper/)
    const judged = [gate('secrets', 'passed'), gate('proof', 'not_applicable')].reduce(
      withEvent,
      busyScreen(),
    )
    expect(textOf(judged)).toMatch(/› . BE-001 ▪▫▫▫▫ fixing +r1 ✓ secrets/)
    const scored = [
      screenEvent(6, {
        type: 'fix_challenger_result',
        message: 'refused',
        details: { challenge: { status: 'refused', score: 61.4 } },
      }),
    ].reduce(withEvent, inspected)
    expect(textOf(scored)).toMatch(/› . BE-001 ▪▪▪▫▫ challenging +r1 ✓ secrets +61 title of BE-001 +refused/)
    expect(textOf(scored, 60)).toMatch(/› . BE-001 challenging +r1 +61 title of BE-001 +refused/)
    expect(textOf(scored)).toMatch(/ {2}· BE-002 ▫▫▫▫▫ waiting +title of BE-002/)
  })

  it('gives titles the room that a wide screen has, before what happens', () => {
    const title = 'a title of more than fifty characters, which says what it is about'
    const named = (screen: ScreenState): ScreenState => {
      const plan = JSON.stringify(screen.view.plan).replaceAll('title of BE-001', title)
      return { ...screen, view: { ...screen.view, plan: JSON.parse(plan) as typeof screen.view.plan } }
    }
    expect(textOf(named(busyScreen()), 200)).toContain(`${title} `)
    expect(textOf(named(busyScreen()), 100)).toContain(' a title of more than fifty …')
  })

  it('shows the log of the selected lane and of the session, and what the agent says right now', () => {
    const state = withEvent(busyScreen(), screenEvent(4, { issue_code: 'BE-002', message: 'of another' }))
    expect(textOf(state)).toMatch(/05:06:07 session started: begun\n.*\n.*agent invoked: .*\n│ I look at it/)
    expect(textOf({ ...state, selected: 'BE-002' })).toMatch(/agent invoked: of another/)
    expect(textOf({ ...state, selected: 'BE-002' })).not.toMatch(/│ I look at it/)
    const report = { type: 'fix_issue_streaming', message: '{"issues":{"BE-001":{}}}' } as const
    const reported = withEvent(state, screenEvent(null, report))
    expect(textOf(reported)).toMatch(/│ I look at it/)
    expect(textOf(reported)).not.toContain('{"issues"')
  })

  it('shows the diff of the selected lane only, coloured and scrolled', () => {
    const text = `--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new\n${' line\n'.repeat(50)}`
    const state = busyScreen({ pane: 'diff', diff: { code: 'BE-001', text } })
    const { rows, page } = layoutFrame(state, { columns: 80, rows: 24 }, 0)
    const tones = new Map(rows.flat().map((span) => [span.text, span.tone]))
    expect(['--- a', '@@ -1 +1 @@', '-old', '+new'].map((line) => tones.get(line))).toEqual([
      'strong',
      'accent',
      'bad',
      'good',
    ])
    expect(page.maxScroll).toBeGreaterThan(30)
    expect(textOf({ ...state, scroll: 4 })).not.toContain('-old')
    expect(textOf({ ...state, selected: 'BE-002' })).toContain('reading the diff')
    expect(textOf({ ...state, diff: { code: 'BE-001', text: '' } })).toContain(
      'nothing is changed for BE-001',
    )
  })

  it('keeps the selected lane in sight among many, and says what waits for a person', () => {
    const many = Array.from({ length: 80 }, (_, index) =>
      screenEvent(index + 10, { issue_code: `BE-1${String(index).padStart(2, '0')}` }),
    ).reduce(withEvent, busyScreen({ approvals: [heldPatch], questions: [openQuestion] }))
    const shown = textOf({ ...many, selected: 'BE-170' })
    expect(shown).toMatch(/› . BE-170/)
    expect(shown).toContain('waits for you: BE-001 (↑↓), a question about BE-002 (e)')
    expect(textOf(many)).toContain('BE-001 needs you (tamper): a test was weakened')
    expect(shown).toContain('2 for you')
  })

  it('counts a dispute once, as waiting for a person, and says its outcome once', () => {
    const ended = { type: 'fix_issue_completed', details: { outcome: 'disputed' } } as const
    const over = withEvent(busyScreen(), screenEvent(9, { ...ended, message: 'disputed: nobody calls it' }))
    expect(textOf(over)).toMatch(/0 of 3 fixed, 1 not {2}/)
    const asking = textOf({ ...over, approvals: [{ ...heldPatch, gate: 'dispute' }] })
    expect(asking).toMatch(/0 of 3 fixed, 1 for you {2}/)
    expect(asking).toMatch(/disputed +r1 .*title of BE-001 +nobody calls it/)
  })

  it('stops its clock while nobody works on the session', () => {
    const [created_at, updated_at] = ['2026-03-04T05:06:07.000Z', '2026-03-04T05:08:09.000Z']
    const detail = { status: 'parked', created_at, updated_at, ended_at: null, driven: false, attempts: [] }
    const resting = busyScreen({ detail: detail as unknown as ScreenState['detail'] })
    const tenLater = Date.parse(updated_at) + 600_000
    const [head = []] = layoutFrame(resting, { columns: 100, rows: 24 }, tenLater).rows
    expect(head.map(({ text }) => text).join('')).toContain('  2m 02s')
  })

  it('names the keys that do something now', () => {
    const keys = (state: ScreenState): string => textOf(state).split('\n').at(-1) ?? ''
    expect(keys(busyScreen())).toBe('q quit  ? help  ↑↓ issue  d diff  tab focus  c cancel')
    const asking = busyScreen({ pane: 'diff', approvals: [heldPatch], questions: [openQuestion] })
    expect(keys(asking)).toBe(
      'q quit  ? help  ↑↓ issue  l log  tab focus  a approve  r reject  e answer  c cancel',
    )
    const disputing = busyScreen({ approvals: [{ ...heldPatch, gate: 'dispute' }] })
    expect(keys(disputing)).toContain('a agree  r disagree')
    const over = withEvent(busyScreen(), screenEvent(9, { type: 'fix_session_completed', issue_code: null }))
    expect(keys(over)).toBe('q quit  ? help  ↑↓ issue  d diff  tab focus')
  })

  it('lets no control sequence of a message through', () => {
    const evil = '\u001B[2J\u001B]52;c;aGk=\u0007\u009B\r\u202Eevil'
    const state = [
      screenEvent(4, { message: evil }),
      screenEvent(null, { type: 'fix_issue_streaming', message: evil }),
    ].reduce(withEvent, busyScreen({ notice: evil, approvals: [{ ...heldPatch, reason: evil }] }))
    expect(textOf(state)).toContain('evil')
    expect(textOf(state)).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u202E]/)
  })
})
