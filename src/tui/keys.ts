import type { KeyPress, Pressed } from './key-press.ts'
import {
  isAtRest,
  lanesOf,
  selectedApproval,
  selectedLane,
  withSelected,
  type Dialog,
  type ScreenState,
} from './screen-state.ts'
import type { Question } from '../model/issue/questions.ts'

/** How many lines a page is; the screen says. */
export interface Page {
  readonly lines: number
  /** How far the pane can be scrolled. */
  readonly maxScroll: number
}

/** Pure: what a key does to the screen, and what it asks for. */
export function press(state: ScreenState, key: KeyPress, page: Page): Pressed {
  if (key.name === 'interrupt') return { state, action: { type: 'interrupt' } }
  return state.dialog ? pressInDialog(state, state.dialog, key) : pressOnScreen(state, key, page)
}

function pressOnScreen(state: ScreenState, key: KeyPress, page: Page): Pressed {
  const quiet = { ...state, notice: null }
  switch (key.name) {
    case 'up':
    case 'down':
      return {
        state:
          state.focus === 'lanes'
            ? move(quiet, key.name)
            : scroll(quiet, { direction: key.name, lines: 1 }, page),
      }
    case 'pageUp':
    case 'home':
      return {
        state: scroll(quiet, { direction: 'up', lines: key.name === 'home' ? Infinity : page.lines }, page),
      }
    case 'pageDown':
    case 'end':
      return {
        state: scroll(quiet, { direction: 'down', lines: key.name === 'end' ? Infinity : page.lines }, page),
      }
    case 'tab':
      return { state: { ...quiet, focus: state.focus === 'lanes' ? 'pane' : 'lanes' } }
    case 'text':
      return pressLetter(quiet, key.text)
    case 'enter':
    case 'escape':
    case 'erase':
    case 'interrupt':
      return { state: quiet }
  }
}

function pressLetter(state: ScreenState, letter: string): Pressed {
  const ask = (dialog: Dialog): Pressed => ({ state: { ...state, dialog } })
  const approval = selectedApproval(state)
  const nothing = `nothing of ${selectedLane(state)?.code ?? 'this session'} waits for an answer`
  switch (letter) {
    case 'd':
    case 'l':
      return { state: { ...state, pane: letter === 'd' ? 'diff' : 'log', scroll: 0 } }
    case 'k':
    case 'j':
      return { state: move(state, letter === 'k' ? 'up' : 'down') }
    case 'a':
      return approval ? ask({ kind: 'approve', approval }) : { state: { ...state, notice: nothing } }
    case 'r':
      return approval ? ask({ kind: 'reject', approval, text: '' }) : { state: { ...state, notice: nothing } }
    case 'e':
      return nextQuestion(state)
    case 'c':
      return state.view.isOver ? { state: { ...state, notice: 'it is over' } } : ask({ kind: 'cancel' })
    case 'q':
      return state.mode === 'watch' || isAtRest(state)
        ? { state, action: { type: 'leave' } }
        : ask({ kind: 'quit' })
    case '?':
    case 'h':
      return ask({ kind: 'help' })
    default:
      return { state }
  }
}

/** The question about the selected lane first, else the oldest. */
function nextQuestion(state: ScreenState): Pressed {
  const code = selectedLane(state)?.code
  const question = state.questions.find(({ issue_code }) => issue_code === code) ?? state.questions[0]
  if (!question) return { state: { ...state, notice: 'no question is open' } }
  return {
    state: { ...withSelected(state, question.issue_code), dialog: { kind: 'answer', question, text: '' } },
  }
}

function move(state: ScreenState, direction: 'up' | 'down'): ScreenState {
  const codes = lanesOf(state).map(({ code }) => code)
  const at = codes.indexOf(selectedLane(state)?.code ?? '')
  const next = Math.min(codes.length - 1, Math.max(0, at + (direction === 'up' ? -1 : 1)))
  return next === at ? state : withSelected(state, codes[next] ?? null)
}

interface Scrolling {
  readonly direction: 'up' | 'down'
  readonly lines: number
}

/** The log hangs at its end and the diff at its start, so that up and down mean the same in both. */
function scroll(state: ScreenState, { direction, lines }: Scrolling, { maxScroll }: Page): ScreenState {
  const sign = (direction === 'up') === (state.pane === 'log') ? 1 : -1
  const wanted = Math.min(state.scroll, maxScroll) + sign * lines
  return { ...state, scroll: Math.min(maxScroll, Math.max(0, wanted)) }
}

/** Pure: what a key does while something is asked. */
function pressInDialog(state: ScreenState, dialog: Dialog, key: KeyPress): Pressed {
  const closed = { ...state, dialog: null, notice: null }
  if (key.name === 'escape' || dialog.kind === 'help') return { state: closed }
  if (dialog.kind === 'reject' || dialog.kind === 'answer') return pressInText(state, dialog, key)
  const isYes = key.name === 'text' && /^y$/i.test(key.text)
  const isNo = key.name === 'text' && /^n$/i.test(key.text)
  if (!isYes) return { state: isNo ? closed : state }
  if (dialog.kind === 'quit') return { state: closed, action: { type: 'interrupt' } }
  if (dialog.kind === 'cancel') return { state: closed, action: { type: 'cancel' } }
  const { approval } = dialog
  return { state: closed, action: { type: 'answer_approval', approval, answer: { approve: true } } }
}

type TextDialog = Extract<Dialog, { readonly text: string }>

function pressInText(state: ScreenState, dialog: TextDialog, key: KeyPress): Pressed {
  const typed = (text: string): Pressed => ({
    state: { ...state, notice: null, dialog: { ...dialog, text } },
  })
  if (key.name === 'text') return typed(`${dialog.text}${key.text.replaceAll(/\s+/g, ' ')}`)
  if (key.name === 'erase') return typed([...dialog.text].slice(0, -1).join(''))
  if (dialog.kind === 'answer' && (key.name === 'up' || key.name === 'down'))
    return typed(nextOption(dialog, key.name))
  if (key.name !== 'enter') return { state }
  const closed = { ...state, dialog: null }
  if (dialog.kind === 'reject') {
    const reason = dialog.text.trim()
    if (reason === '') return { state: { ...state, notice: 'say why: the fixer will read it' } }
    const { approval } = dialog
    return { state: closed, action: { type: 'answer_approval', approval, answer: { reject: reason } } }
  }
  const answer = answerText(dialog.question, dialog.text.trim())
  if (answer === null) return { state: { ...state, notice: 'say something, or leave with escape' } }
  return { state: closed, action: { type: 'answer_question', question: dialog.question, answer } }
}

/** The option after or before the one that stands there; what was typed stays where there is none to choose. */
function nextOption(
  { question: { options }, text }: Extract<Dialog, { readonly kind: 'answer' }>,
  direction: 'up' | 'down',
): string {
  const at = options.indexOf(text)
  const next = direction === 'down' ? at + 1 : at === -1 ? options.length - 1 : at - 1
  return options[Math.max(0, Math.min(options.length - 1, next))] ?? text
}

/** The number of an option stands for it; nothing is no answer. */
function answerText({ options }: Question, text: string): string | null {
  if (text === '') return null
  return (/^\d+$/.test(text) && options[Number(text) - 1]) || text
}
