import type { PendingApproval } from '../model/api/sessions.ts'
import type { Question } from '../model/issue/questions.ts'
import type { ScreenState } from './screen-state.ts'
import type { PatchAnswer } from './session-access.ts'

/** One key, or a text that was typed or pasted at once. */
export interface KeyPress {
  readonly name:
    | 'up'
    | 'down'
    | 'pageUp'
    | 'pageDown'
    | 'home'
    | 'end'
    | 'tab'
    | 'enter'
    | 'escape'
    | 'erase'
    | 'interrupt'
    | 'text'
  readonly text: string
}

/** What a key asks for besides another look of the screen. */
export type Action =
  | { readonly type: 'leave' }
  | { readonly type: 'interrupt' }
  | { readonly type: 'cancel' }
  | { readonly type: 'answer_approval'; readonly approval: PendingApproval; readonly answer: PatchAnswer }
  | { readonly type: 'answer_question'; readonly question: Question; readonly answer: string }

export interface Pressed {
  readonly state: ScreenState
  readonly action?: Action
}
