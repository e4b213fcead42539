import hljs from 'highlight.js/lib/common'

/** A piece of a line and its kind, such as `hljs-string`. */
export interface Token {
  readonly text: string
  readonly className: string
}

const languages: Readonly<Record<string, string>> = {
  js: 'javascript',
  jsx: 'javascript',
  mjs: 'javascript',
  cjs: 'javascript',
  ts: 'typescript',
  tsx: 'typescript',
  mts: 'typescript',
  py: 'python',
  rb: 'ruby',
  rs: 'rust',
  yml: 'yaml',
  md: 'markdown',
  sh: 'bash',
  html: 'xml',
  kt: 'kotlin',
  cs: 'csharp',
  h: 'c',
  cc: 'cpp',
  hpp: 'cpp',
  toml: 'ini',
}

export function languageOf(path: string): string | null {
  const extension = /\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase() ?? ''
  const name = languages[extension] ?? extension
  return hljs.getLanguage(name) ? name : null
}

/** Longer lines are minified or data; colours would not help. */
const longestLine = 1_000

/** Splits one line of code into tokens. They are text: no part of it becomes markup. */
export function tokenize(line: string, language: string | null): readonly Token[] {
  if (language === null || line.length > longestLine) return [{ text: line, className: '' }]
  const html = hljs.highlight(line, { language, ignoreIllegals: true }).value
  const open: string[] = []
  const tokens: Token[] = []
  for (const [, className, text] of html.matchAll(/<span class="([^"]*)">|<\/span>|([^<]+)/g)) {
    if (className !== undefined) open.push(className)
    else if (text === undefined) open.pop()
    else tokens.push({ text: decode(text), className: open.at(-1) ?? '' })
  }
  return tokens
}

const entities: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#x27;': "'",
  '&amp;': '&',
}
const decode = (text: string): string =>
  text.replace(/&(?:lt|gt|quot|amp|#x27);/g, (entity) => entities[entity] ?? entity)
