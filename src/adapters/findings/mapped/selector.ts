/** A way to a value: names and positions below an item; each `^` goes up to the item around it. */
export interface Path {
  readonly up: number
  readonly parts: readonly (string | number)[]
}

/** One value, or text with values in braces: `rule=SC{code}`. */
export type Selector = { readonly path: Path } | { readonly pieces: readonly (string | Path)[] }

export function parseSelector(text: string): Selector {
  if (!text.includes('{')) return { path: parsePath(text) }
  const pieces = text.split(/(\{[^{}]*\})/).filter((piece) => piece !== '')
  return { pieces: pieces.map((piece) => (piece.startsWith('{') ? parsePath(piece.slice(1, -1)) : piece)) }
}

/** `loc.line`, `labels[0].span.line`, `lines[-1]`, `^.source`; a name may hold what is not a dot or a bracket. */
function parsePath(text: string): Path {
  const up = /^\^*/.exec(text.trim())?.[0].length ?? 0
  const names = text.trim().slice(up)
  const parts = [...names.matchAll(/\[(-?\d{1,9})\]|[^.[\]]+/g)].map(([name, position]) =>
    position === undefined ? name : Number(position),
  )
  return { up, parts }
}

/** What a selector finds in an item, whose surroundings stand before it in `items`; undefined when it is not there. */
export function select(selector: Selector, items: readonly unknown[]): unknown {
  if ('path' in selector) return follow(selector.path, items)
  const found = selector.pieces.map((piece) => (typeof piece === 'string' ? piece : follow(piece, items)))
  return found.some((value) => value === undefined || value === null) ? undefined : found.map(toText).join('')
}

const follow = ({ up, parts }: Path, items: readonly unknown[]): unknown =>
  parts.reduce<unknown>(
    (value, part) => (typeof part === 'number' ? itemAt(value, part) : memberAt(value, part)),
    items.at(-1 - up),
  )

const itemAt = (value: unknown, position: number): unknown =>
  Array.isArray(value) ? value.at(position) : undefined

const memberAt = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined

/** A value in words; an element of XML that has more than its text is that text. */
export function toText(value: unknown): string {
  const words = memberAt(value, '@text') ?? value
  return typeof words === 'string' ? words : JSON.stringify(words)
}
