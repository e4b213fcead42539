import type { Source } from './engine/found.ts'

const maxLineLength = 5_000

/** Why a text was made by a program or copied in, and not written here by hand; null where nothing shows it. */
export function whyMade({ path, text }: Source): string | null {
  const lines = text.split('\n').filter(({ length }) => length > longLine)
  const code = lines.map(withoutTexts)
  const isLong = ({ length }: string): boolean => length > maxLineLength
  // A text of several lines in Python may hold a long one; elsewhere no hand wrote it.
  if (path.endsWith('.py') ? standsIn(code, isLong, text) : code.some(isLong))
    return `minified or generated: a line is longer than ${maxLineLength} characters`
  if (standsIn(code, isCrowded, text) || (!path.endsWith('.py') && code.some(isPacked)))
    return 'minified or generated: its lines are long'
  if (isCopied(path, text.slice(0, 800), text)) return 'a library of somebody else'
  return isGenerated(text) ? 'marked as generated' : null
}

/** Nobody writes lines of code that are longer by hand. */
const longLine = 400

/** A line without what it says in quotes or in an expression that fills it: a drawing or a list of names is no code. */
const withoutTexts = (line: string): string =>
  /^\s*\/\^.*\/[a-z]*[,;]?$/.test(line)
    ? ''
    : line.replaceAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`/g, '""')

/** Whether a fifth of a text stands in such lines. */
const standsIn = (lines: readonly string[], isSuch: (line: string) => boolean, text: string): boolean =>
  lines.filter(isSuch).reduce((sum, { length }) => sum + length, 0) * 5 > text.length

/** What is in quotes may hide the rest of a line that a program has packed. */
const isPacked = (line: string): boolean => line.length > 2_000 && isCrowded(line)

const isCrowded = (line: string): boolean => line.length > longLine && /[;,{}]\S*[;,{}]\S*[;,{}]/.test(line)

/** A library that was copied in tells its name, version and licence at the top. */
const copied =
  /^\s*(?:\/\*|\/\/)[\s\S]{0,200}?v?\d+\.\d+(?:\.\d+)?[\s\S]{0,400}?(?:licen[cs]e|copyright|\(c\))/i

/** A file in a folder of libraries was copied in, too. */
const licensed = /^\s*\/[*/][\s\S]{0,600}?(?:licen[cs]e|copyright|\(c\)|\bMIT\b)/i

/** Names that nobody gives a script of their own. */
const copiedNames =
  /(?:^|\/)(?:jquery[.-][^/]*|(?:angular|backbone|codemirror|d3|doctools|handlebars|iframeresizer|knockout|lodash|modernizr|moment|raphael|searchtools|select2|socket\.io|three|underscore)(?:[.-][^/]*)?\.js)$/i

function isCopied(path: string, head: string, text: string): boolean {
  const isServed = /(?:^|\/)(?:static|public|assets|www|htdocs)\/|.\/js\//.test(path)
  const isLicensed = licensed.test(head)
  const isShelved = /\/libs?\//.test(path) || /^\s*\/\*!/.test(text) || /\bplugin\b/i.test(head)
  const isPlugin = isServed && copiedNames.test(path)
  const isPublished = /^\s*\/\*!/.test(text) && isLicensed && /\bdefine\.amd\b/.test(text)
  return isPublished || isPlugin || (isServed && ((isShelved && isLicensed) || copied.test(head)))
}

/** What a comment says of the file it stands in; a comment about something else that is generated says it otherwise. */
const madeBy =
  /@generated\b|\bdo not (?:\w+ )?(?:edit|modify)\b|webpackBootstrap|\b(?:this|the) (?:file|code|module|script|source)\b[^.]{0,60}\b(?:auto)?generated\b/i
const startsMade =
  /^\W*(?:(?:code|file|auto-?|automatically)[ -]?generated\b|Generated (?:by|from|with|using|on)\b|GENERATED\b)/
const bundle =
  /&& Object\.prototype\.hasOwnProperty\.call\(\w+, 'default'\) \? \w+\['default'\] : \w+;|^\W*function\(\w\)\{if\(\s*(?:"object"\s*===?\s*)?typeof exports|^\/\*{6}\/|\b__webpack_require__\b|^\(function\s*\(\)\s*\{function \w\(\w,\w,\w\)/m
/** The helpers that Babel puts into its output. */
const transpiled =
  /"@babel\/helpers - typeof"|['"]function['"] ===? typeof Symbol && ['"]symbol['"] ===? typeof Symbol\.iterator/

const isComment = (line: string): boolean => /^\W*(?:\/[/*]|#|\*)/.test(line)

/** A comment at the top says so, or it begins as what bundlers write. */
function isGenerated(source: string): boolean {
  const top = source.slice(0, 4_000).split('\n', 60)
  const code = top.findIndex((line) => line.trim() !== '' && !isComment(line))
  // What generates a file may stand below the licence that a tool put on top.
  const header = top.slice(0, Math.max(10, code === -1 ? top.length : code)).filter(isComment)
  const said = header.map((line) => line.replace(/^[\s/*#]+/, '')).join(' ')
  const isSaid = madeBy.test(said) || header.some((line) => startsMade.test(line))
  return isSaid || bundle.test(source.slice(0, 2_000)) || transpiled.test(source) || isJoined(source)
}

/** A bundler numbers the names that several of its files have. */
const isJoined = (source: string): boolean =>
  source.includes('$1') &&
  (source.match(/(?<![\w$`'"])[A-Za-z_]\w+\$\d+(?=\s*[=(.])/g)?.length ?? 0) > mostNumbered
const mostNumbered = 30
