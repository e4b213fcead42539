import { describe, expect, it } from 'vitest'
import { busyScreen, heldPatch, openQuestion } from '../../test/fixtures/screen.ts'
import type { KeyPress, Pressed } from './key-press.ts'
import { press } from './keys.ts'
import type { ScreenState } from './screen-state.ts'

const page = { lines: 10, maxScroll: 25 }
const text = (letters: string): KeyPress => ({ name: 'text', text: letters })
const key = (name: KeyPress['name']): KeyPress => ({ name, text: '' })

/** The keys one after the other; what the last one asked for. */
const pressAll = (state: ScreenState, ...keys: KeyPress[]): Pressed =>
  keys.reduce<Pressed>((before, one) => press(before.state, one, page), { state })

describe('keys', () => {
  it('choose an issue and stop at both ends', () => {
    const down = pressAll(busyScreen(), key('down')).state
    expect(down.selected).toBe('BE-002')
    expect(pressAll(down, key('down'), key('down'), text('j')).state.selected).toBe('BE-003')
    expect(pressAll(down, key('up'), key('up'), text('k')).state.selected).toBe('BE-001')
  })

  it('scroll the pane once it has the focus: the log from its end, the diff from its start', () => {
    const log = pressAll(busyScreen(), key('tab'), key('up'), key('pageUp')).state
    expect([log.focus, log.scroll]).toEqual(['pane', 11])
    expect(pressAll(log, key('home')).state.scroll).toBe(25)
    expect(pressAll(log, key('end')).state.scroll).toBe(0)
    const diff = pressAll(log, text('d'), key('down'), key('pageDown')).state
    expect([diff.pane, diff.scroll]).toEqual(['diff', 11])
    expect(pressAll(diff, key('end'), key('down')).state.scroll).toBe(25)
    expect(pressAll(diff, text('l')).state).toMatchObject({ pane: 'log', scroll: 0 })
  })

  it('approve only after a yes, and only where something waits', () => {
    const held = busyScreen({ approvals: [heldPatch] })
    expect(pressAll(held, text('a'), text('x')).action).toBeUndefined()
    expect(pressAll(held, text('a'), text('n')).state.dialog).toBeNull()
    expect(pressAll(held, text('a'), text('y')).action).toEqual({
      type: 'answer_approval',
      approval: heldPatch,
      answer: { approve: true },
    })
    expect(pressAll(held, text('ay')).state.dialog).toBeNull()
    expect(pressAll(held, key('down'), text('a')).state).toMatchObject({
      dialog: null,
      notice: 'nothing of BE-002 waits for an answer',
    })
  })

  it('reject with a reason, which has to be given', () => {
    const asked = pressAll(busyScreen({ approvals: [heldPatch] }), text('r'))
    expect(pressAll(asked.state, text('  '), key('enter')).action).toBeUndefined()
    expect(pressAll(asked.state, text('nox'), key('erase'), text('\nway'), key('enter')).action).toEqual({
      type: 'answer_approval',
      approval: heldPatch,
      answer: { reject: 'no way' },
    })
    expect(pressAll(asked.state, text('q'), key('escape'))).toMatchObject({ state: { dialog: null } })
  })

  it.each([
    ['2', 'right'],
    ['7', '7'],
    ['my own words', 'my own words'],
  ])('answer a question with "%s" as "%s"', (typed, answer) => {
    const asking = busyScreen({ questions: [openQuestion] })
    const { action, state } = pressAll(asking, text('e'), text(typed), key('enter'))
    expect(action).toEqual({ type: 'answer_question', question: openQuestion, answer })
    expect(state.selected).toBe('BE-002')
  })

  it('answer nothing with an empty line, whatever the fixer would assume', () => {
    const asking = busyScreen({ questions: [openQuestion] })
    const { action, state } = pressAll(asking, text('e'), key('enter'))
    expect(action).toBeUndefined()
    expect(state).toMatchObject({
      notice: 'say something, or leave with escape',
      dialog: { kind: 'answer', text: '' },
    })
  })

  it('cancel after a yes, and not what is over', () => {
    expect(pressAll(busyScreen(), text('c'), text('y')).action).toEqual({ type: 'cancel' })
    const over = busyScreen()
    const { state, action } = pressAll(
      { ...over, view: { ...over.view, isOver: true } },
      text('c'),
      text('y'),
    )
    expect([state.dialog, action]).toEqual([null, undefined])
  })

  it('leave a watched session at once, and stop a driven one after a yes', () => {
    expect(pressAll(busyScreen(), text('q')).action).toEqual({ type: 'leave' })
    const driven = busyScreen({ mode: 'drive' })
    expect(pressAll(driven, text('q')).action).toBeUndefined()
    expect(pressAll(driven, text('q'), text('y')).action).toEqual({ type: 'interrupt' })
    expect(pressAll(driven, text('?'), key('interrupt')).action).toEqual({ type: 'interrupt' })
  })

  it('choose an option with the arrows; enter on nothing answers nothing', () => {
    const question = { ...openQuestion, options: ['32', '64'] }
    const asked = pressAll(busyScreen({ questions: [question] }), text('e'))
    const nothing = press(asked.state, key('enter'), page)
    expect(nothing.action).toBeUndefined()
    expect(nothing.state.dialog).toEqual(asked.state.dialog)
    const second = pressAll(asked.state, key('down'), key('down'))
    expect(pressAll(second.state, key('enter')).action).toEqual({
      type: 'answer_question',
      question,
      answer: '64',
    })
    expect(pressAll(second.state, key('up'), key('enter')).action).toMatchObject({ answer: '32' })
  })
})
