/** Text of tools, agents and repositories as it may stand in Markdown: it is shown, and it is not obeyed. */

/** A span of code stays as it is; elsewhere what begins emphasis, HTML, a link or a picture is shown as written. */
const special = /(?<!`)(`+)[^`\n]+\1(?!`)|[\\*<[]/g
const blockStart = /^([ \t]*)(#|>|=|```|~~~)/gm

/** A paragraph: nothing in it is a link, a picture, a heading, a fence or HTML. */
export const plainText = (text: string): string =>
  text
    .replaceAll(special, (found) => (found.startsWith('`') ? found : `\\${found}`))
    .replaceAll(blockStart, String.raw`$1\$2`)

/** The same on one line. */
export const plainLine = (text: string): string => plainText(text.replaceAll(/\s+/g, ' ').trim())

/** What calls a person, or refers to another issue and may close it, on a forge; spans of code are left alone. */
const calling =
  /(?<!`)(`+)[^`\n]+\1(?!`)|@(?=[\w-])|#(?=\d)|\bGH-(?=\d)|\/(?:issues|pull|discussions)\/(?=\d)/gi

/** Text of others on a forge: shown as a paragraph, and it calls nobody, refers to nothing and closes nothing. */
export const quietText = (text: string): string =>
  plainText(text).replaceAll(calling, (found) => (found.startsWith('`') ? found : `${found}&#8203;`))

/** The same on one line. */
export const quietLine = (text: string): string => quietText(text.replaceAll(/\s+/g, ' ').trim())

/** Code on one line, whatever backticks it holds. */
export function inlineCode(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ')
  const mark = '`'.repeat(longestRun(line) + 1)
  const space = line.startsWith('`') || line.endsWith('`') ? ' ' : ''
  return `${mark}${space}${line}${space}${mark}`
}

/** A block of code, with a fence that the code cannot close. */
export function codeFence(text: string, language = ''): string {
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1))
  return `${fence}${language}\n${text.replace(/\n$/, '')}\n${fence}`
}

const longestRun = (text: string): number =>
  Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
