/** One tag of an XML text; `end` is where the text goes on behind it. */
export interface XmlTag {
  readonly name: string
  readonly kind: 'open' | 'close' | 'empty'
  readonly attributes: ReadonlyMap<string, string>
  readonly end: number
}

const entities = new Map(Object.entries({ lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }))

/** The tag that begins at `start`; null when the text ends before it does. */
function readXmlTag(text: string, start: number): XmlTag | null {
  const end = findTagEnd(text, start)
  if (end === -1) return null
  const body = text.slice(start + 1, end)
  const name = /^\/?([\p{L}\d_:.-]*)/u.exec(body)?.[1] ?? ''
  const kind = body.startsWith('/') ? 'close' : body.endsWith('/') ? 'empty' : 'open'
  const attributes = new Map<string, string>()
  for (const [, key = '', double, single] of body.matchAll(/\s([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g))
    attributes.set(key, decodeEntities(double ?? single ?? ''))
  return { name, kind, attributes, end: end + 1 }
}

/** The `>` that closes a tag, which may hold others inside its quotes. */
function findTagEnd(text: string, start: number): number {
  let quote: string | null = null
  for (let at = start; at < text.length; at += 1) {
    const char = text.charAt(at)
    if (quote !== null) {
      if (char === quote) quote = null
    } else if (char === '>') return at
    else if (char === '"' || char === "'") quote = char
  }
  return -1
}

const decodeEntities = (text: string): string =>
  text.includes('&')
    ? text.replaceAll(
        /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{1,8}));/gi,
        (whole: string, ...found: unknown[]) => {
          const [decimal, hex, name] = found as [string?, string?, string?]
          if (name !== undefined) return entities.get(name) ?? whole
          const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)
          return code <= 0x10_ffff ? String.fromCodePoint(code) : whole
        },
      )
    : text

const skipped = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
] as const

/** The next tag at or behind `from`, past comments and CDATA; null when the text ends before it does. */
export function nextXmlTag(text: string, from: number): XmlTag | null {
  let start = text.indexOf('<', from)
  while (start !== -1) {
    const passed = skipped.find(([opening]) => text.startsWith(opening, start))
    if (passed === undefined) return readXmlTag(text, start)
    const end = text.indexOf(passed[1], start)
    start = end === -1 ? -1 : text.indexOf('<', end)
  }
  return null
}
