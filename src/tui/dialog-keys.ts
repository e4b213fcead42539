import type { Question } from '../model/issue/questions.ts'
import type { KeyPress, Pressed } from './key-press.ts'
import type { Dialog, ScreenState } from './screen-state.ts'

/** Pure: what a key does while something is asked. */
export function pressInDialog(state: ScreenState, dialog: Dialog, key: KeyPress): Pressed {
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
