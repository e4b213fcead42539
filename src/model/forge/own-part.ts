/** The part of a text on a forge that belongs to Fixpoint: between two marks that nobody sees. What people write around it stays. */

const end = '<!-- fixpoint:end -->'
const beginOf = (about: string): string => `<!-- fixpoint:begin ${about} -->`

/** GitHub refuses a longer body. */
export const mostBody = 65_536

/** `about` names the part, so that it is found again: it holds letters, digits and `_ . : / -` only. */
export const ownPart = (about: string, text: string): string =>
  `${beginOf(about)}\n${withoutMarks(text).trim()}\n${end}`

/** Quoted text of others must not end our part or begin another one. */
const withoutMarks = (text: string): string => text.replaceAll(/<!-- *fixpoint:/g, '<!-- fixpoint :')

/** The text with our part replaced, or added below what is there; cut openly where the whole would be too long. */
export function replaceOwnPart(text: string, about: string, part: string): string {
  const found = locate(text, about)
  const before = found ? text.slice(0, found.from) : text.trim() === '' ? '' : `${text.trimEnd()}\n\n`
  const after = found ? text.slice(found.to) : ''
  return `${before}${fit(about, part, mostBody - before.length - after.length)}${after}`
}

/** Whether a text has the part of this name. */
export const hasOwnPart = (text: string, about: string): boolean => locate(text, about) !== null

function locate(text: string, about: string): { readonly from: number; readonly to: number } | null {
  const from = text.indexOf(beginOf(about))
  const at = from < 0 ? -1 : text.indexOf(end, from)
  return at < 0 ? null : { from, to: at + end.length }
}

const cutNote =
  '\n\n_Cut here: the whole is longer than GitHub takes. `fixpoint sessions report` shows all of it._'

function fit(about: string, part: string, room: number): string {
  const whole = ownPart(about, part)
  if (whole.length <= room) return whole
  const shown = Math.max(0, room - (whole.length - part.length) - cutNote.length - 100)
  const newline = part.lastIndexOf('\n', shown)
  return ownPart(about, `${part.slice(0, newline > 0 ? newline : shown)}${cutNote}`)
}
