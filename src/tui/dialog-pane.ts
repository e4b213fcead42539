import { isAtRest, selectedApproval, type Dialog, type ScreenState } from './screen-state.ts'
import { fit, row, rule, span, wrap, wrapWords, type ScreenRow, type Tone } from './rows.ts'

/** The last lines: what is asked, what was said, and which keys there are. */
export function dialogRows(state: ScreenState, width: number): readonly ScreenRow[] {
  const notice = state.notice === null ? [] : paragraph(state.notice, width, 'warn').slice(0, 3)
  if (state.dialog) return [...questionRows(state.dialog, width), ...notice]
  return [...notice, ...callRows(state, width), keyRow(state, width)]
}

const helpLines: readonly string[] = [
  'up, down     choose an issue; scroll after tab',
  'page up, page down, home, end   scroll',
  'd, l         diff or log of the chosen issue',
  'a, r         approve or reject its held patch',
  'e            answer an open question',
  'c            cancel the session',
  'q, Ctrl-C    leave; fix stops, and can be resumed',
]

function questionRows(dialog: Dialog, width: number): readonly ScreenRow[] {
  switch (dialog.kind) {
    case 'help':
      return [
        rule('Keys', width, 'accent'),
        ...helpLines.flatMap((line) => paragraph(line, width)),
        row('any key closes this', 'dim'),
      ]
    case 'quit':
      return asked('Stop?', 'Running steps finish first; fixpoint resume goes on later.', width)
    case 'cancel':
      return asked('Cancel?', 'The session ends now and its issues are open again.', width)
    case 'approve': {
      const { gate, issue_code, reason, files } = dialog.approval
      const what =
        gate === 'dispute'
          ? `Agree that ${issue_code} is a false positive?`
          : `Approve exactly these files of ${issue_code}: ${files.join(', ')}?`
      return asked(what, reason, width)
    }
    case 'reject': {
      const { gate, issue_code, reason } = dialog.approval
      const what = gate === 'dispute' ? `${issue_code} is no false positive` : `Reject ${issue_code}`
      return typed({ what: `${what}: why? The fixer will read it.`, why: reason, text: dialog.text }, width)
    }
    case 'answer': {
      const { question, context, options, assumption, issue_code } = dialog.question
      const numbered = options
        .map((option, index) => `${option === dialog.text ? '›' : ' '}${index + 1}) ${option}`)
        .join('  ')
      const assumed = assumption === null ? '' : `without an answer: ${assumption}`
      const more = [context ?? '', numbered, assumed].filter(Boolean).join('\n')
      const keys = options.length > 0 ? '↑↓ or a number chooses   ' : ''
      return typed({ what: `${issue_code}: ${question}`, why: more, text: dialog.text, keys }, width)
    }
  }
}

const paragraph = (text: string, width: number, tone: Tone = 'plain'): readonly ScreenRow[] =>
  wrapWords(text, width).map((line) => row(line, tone))

const asked = (what: string, why: string, width: number): readonly ScreenRow[] => [
  rule('Sure?', width, 'accent'),
  ...paragraph(what, width, 'strong').slice(0, 4),
  ...paragraph(why, width).slice(0, 4),
  row('y yes   n no', 'accent'),
]

interface TextQuestion {
  readonly what: string
  readonly why: string
  /** What was typed so far; its end stays in sight. */
  readonly text: string
  /** Keys beside those that every question has. */
  readonly keys?: string
}

const typed = ({ what, why, text, keys = '' }: TextQuestion, width: number): readonly ScreenRow[] => [
  rule('Answer', width, 'accent'),
  ...paragraph(what, width, 'strong').slice(0, 4),
  ...(why === '' ? [] : paragraph(why, width).slice(0, 5)),
  ...wrap(`> ${text}█`, width)
    .slice(-3)
    .map((line) => row(line, 'accent')),
  row(`${keys}enter sends   escape leaves`, 'dim'),
]

/** A reminder of what waits for a person, until it is answered. */
function callRows(state: ScreenState, width: number): readonly ScreenRow[] {
  const approval = selectedApproval(state)
  if (approval) {
    const text = `${approval.issue_code} needs you (${approval.gate}): ${approval.reason}`
    const keys =
      approval.gate === 'dispute'
        ? 'a agrees with the fixer and ignores it, r disagrees and leaves it open'
        : 'd shows the diff, a approves, r rejects'
    return [...paragraph(text, width, 'warn').slice(0, 2), fit([span(keys, 'warn')], width)]
  }
  const others = [
    ...state.approvals.map(({ issue_code }) => `${issue_code} (↑↓)`),
    ...state.questions.map(({ issue_code }) => `a question about ${issue_code} (e)`),
  ]
  return others.length > 0 ? [fit([span(`waits for you: ${others.join(', ')}`, 'warn')], width)] : []
}

/** The keys that do something now. */
function keyRow(state: ScreenState, width: number): ScreenRow {
  const asked = selectedApproval(state)
  const keys = [
    state.mode === 'drive' && !isAtRest(state) ? 'q stop' : 'q quit',
    '? help',
    '↑↓ issue',
    state.pane === 'log' ? 'd diff' : 'l log',
    'tab focus',
    ...(asked ? (asked.gate === 'dispute' ? ['a agree', 'r disagree'] : ['a approve', 'r reject']) : []),
    ...(state.questions.length > 0 ? ['e answer'] : []),
    ...(state.view.isOver ? [] : ['c cancel']),
  ]
  return fit([span(keys.join('  '), 'dim')], width)
}
