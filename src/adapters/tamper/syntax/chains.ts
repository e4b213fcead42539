import type { SyntaxSpan } from './outline.ts'

/** One call of a chain: `.toBe(3)` in `expect(x).not.toBe(3)` has the words `not`, `toBe`. */
export type Link = {
  readonly words: readonly string[]
  /** Between the parentheses. */
  readonly argsStart: number
  readonly argsEnd: number
}

/** Calls that start at the same place, each on the result of the one before. */
export type Chain = {
  readonly span: SyntaxSpan
  readonly links: readonly Link[]
  readonly end: number
  readonly tail: readonly string[]
}

const wordsAt = /[\w$.?!\s]*/y
const tailAt = /(?:\s*\??\.\s*[A-Za-z_$][\w$]*)*/y

/** The chains of a text, by their outermost call; inner calls of a chain have none of their own. */
export function chainsOf(
  source: string,
  spans: readonly SyntaxSpan[],
  callKind: string,
): ReadonlyMap<SyntaxSpan, Chain> {
  const calls = spans.filter(({ kind }) => kind === callKind)
  const byStart = Map.groupBy(calls, ({ start }) => start)
  return new Map(
    [...byStart.values()].flatMap((together) => {
      const [outermost] = together
      return outermost ? [[outermost, chainOf(source, outermost, together)] as const] : []
    }),
  )
}

function chainOf(source: string, outermost: SyntaxSpan, together: readonly SyntaxSpan[]): Chain {
  let from = outermost.start
  const links = together.toReversed().map((call) => {
    const link = linkOf(source, from, call.end)
    from = call.end
    return link
  })
  tailAt.lastIndex = outermost.end
  const tail = tailAt.exec(source)?.[0] ?? ''
  return { span: outermost, links, end: outermost.end + tail.length, tail: wordsOf(tail) }
}

function linkOf(source: string, from: number, end: number): Link {
  wordsAt.lastIndex = from
  const text = wordsAt.exec(source)?.[0] ?? ''
  const after = from + text.length
  const paren =
    source[after] === '(' || source[after] === '`' ? after : source.slice(after, end).indexOf('(') + after
  const argsStart = Math.max(paren, after)
  return {
    words: wordsOf(text),
    argsStart: Math.min(argsStart + 1, end),
    argsEnd: Math.max(end - 1, argsStart),
  }
}

const wordsOf = (text: string): string[] => text.match(/[\w$]+/g) ?? []
