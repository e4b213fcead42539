const comment = String.raw`\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)`
const quoted = String.raw`"(?:[^"\\\n]|\\[^])*"?|'(?:[^'\\\n]|\\[^])*'?`
const template = '`(?:[^`\\\\]|\\\\[^])*`?'
/** A pattern stands where a value begins; it may hold quotes that open nothing. */
const pattern = String.raw`(?:[=(,:[!&|?{};]|\breturn)[ \t]{0,9}\/(?![/*])(?:[^/\\\n[]|\\[^\n]|\[(?:[^\]\\\n]|\\[^\n]){0,200}\]){1,200}\/`
const keyword = String.raw`(?<![\p{L}\p{N}_$.])(import|require|from)(?![\p{L}\p{N}_$])`

/** Whatever could hide a keyword is skipped as a whole; every alternative may end unclosed, so nothing is scanned twice. */
const scanner = new RegExp(`${comment}|${quoted}|${template}|${pattern}|${keyword}`, 'gu')
/** Blanks and whole comments; there is only one way to match them, so a miss is found at once. */
const between = String.raw`(?:\s|\/\/[^\n]*(?:\n|$)|\/\*(?:[^*]|\*(?!\/))*\*\/)*`
const literal = String.raw`(?:"([^"\\\n]*)"|'([^'\\\n]*)'|` + '`([^`\\\\$]*)`)'
/** `import 'x'`, `from 'x'` */
const bare = new RegExp(`${between}${literal}`, 'uy')
/** `import('x')`, `require('x')`, `require.resolve('x')` */
const called = new RegExp(String.raw`(?:\.resolve)?${between}\(${between}${literal}`, 'uy')

/** What JavaScript or TypeScript text loads, as it is written: imports, exports from elsewhere, literal `import()` and `require()`. */
export function readJavaScriptImports(text: string): readonly string[] {
  const found = new Set<string>()
  for (const match of text.matchAll(scanner)) {
    const [whole, word] = match
    if (word === undefined) continue
    const end = match.index + whole.length
    const loaded =
      (word === 'require' ? null : literalAt(bare, text, end)) ??
      (word === 'from' ? null : literalAt(called, text, end))
    if (loaded) found.add(loaded)
  }
  return [...found]
}

function literalAt(shape: RegExp, text: string, at: number): string | null {
  shape.lastIndex = at
  const match = shape.exec(text)
  return match ? (match[1] ?? match[2] ?? match[3] ?? null) : null
}
