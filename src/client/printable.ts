const escapes =
  /\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]{0,4096}(?:\u0007|\u001B\\)?|[PX^_][^\u001B]{0,4096}(?:\u001B\\)?|.)/gsu
const controls =
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u061C\u200B\u200E\u200F\u2028-\u202E\u2060-\u2069\uFEFF]/g

/** Text of agents, tools and repositories as it may reach a terminal: no control sequence, no hidden direction marks. */
export const printable = (text: string): string => text.replaceAll(escapes, '').replaceAll(controls, '')

/** Printable text on one line, at most so long. */
export function oneLine(text: string, length = 120): string {
  const line = printable(text).replaceAll(/\s+/g, ' ').trim()
  return line.length > length ? `${line.slice(0, length - 1)}…` : line
}
