import { selectedLane, type ScreenState } from './screen-state.ts'
import { row, wrap, type ScreenRow, type Tone } from './rows.ts'

/** More than anyone reads in a terminal; the report has it all. */
const shownLines = 5_000

/** What the newest round of the selected lane changed, long lines on as many rows as they need. */
export function diffRows(state: ScreenState, width: number): readonly ScreenRow[] {
  const code = selectedLane(state)?.code
  if (!code || state.diff?.code !== code) return [row('reading the diff…', 'dim')]
  if (state.diff.text.trim() === '') return [row(`nothing is changed for ${code} yet`, 'dim')]
  return layOut(state.diff, width)
}

type ShownDiff = NonNullable<ScreenState['diff']>

/** A diff looks the same in every frame, until it is read again or the screen gets another width. */
const known = new WeakMap<ShownDiff, { readonly width: number; readonly rows: readonly ScreenRow[] }>()

function layOut(diff: ShownDiff, width: number): readonly ScreenRow[] {
  const before = known.get(diff)
  if (before?.width === width) return before.rows
  const lines = diff.text.trimEnd().split('\n')
  const shown = lines
    .slice(0, shownLines)
    .flatMap((line) => wrap(line, width).map((part) => row(part, toneOf(line))))
  const left = lines.length - shownLines
  const rows = left > 0 ? [...shown, row(`… ${left} more lines`, 'dim')] : shown
  known.set(diff, { width, rows })
  return rows
}

function toneOf(line: string): Tone {
  if (/^(\+\+\+|---|diff |index |new file|deleted file|rename |similarity )/.test(line)) return 'strong'
  if (line.startsWith('@@')) return 'accent'
  if (line.startsWith('+')) return 'good'
  return line.startsWith('-') ? 'bad' : 'plain'
}
