import { lineCounter } from '../syntax/outline.ts'
import { type Inspection, nothingSeen, quote } from './tampering.ts'
import { type Occurrence, additions } from './occurrences.ts'

const library = String.raw`\b(?:assert|expect|chai|should|TestCase)\b`
const replaced = new RegExp(
  [
    String.raw`${library}\s*(?:\.\s*[\w$]{1,80}|\[[^\]\n]{1,200}\])\s*=(?![=>])`,
    String.raw`\b(?:Object\.(?:assign|defineProperty|defineProperties)|Reflect\.(?:set|defineProperty)|setattr|mock\.method|spyOn|stub|patch\.object)\s*\(\s*(?:[\w$]{1,80}\s*\.\s*)?${library}`,
  ].join('|'),
  'g',
)

/** Places where a test, or what tests load, puts something else into the library that they assert with. */
export function inspectReplacedAssertions(before: string, after: string): Inspection {
  const found = additions(find(before), find(after))
  if (found.length === 0) return nothingSeen
  const lineOf = lineCounter(after)
  return {
    signs: found.map(({ index, text }) => ({
      kind: 'assertion_loosened' as const,
      line: lineOf(index),
      what: `what tests assert with was replaced: ${quote(text)}`,
    })),
    moveKeys: [],
  }
}

const find = (source: string): Occurrence[] =>
  [...source.matchAll(replaced)].map(({ index, 0: text }) => ({
    index,
    text,
    key: text.replaceAll(/\s+/g, ''),
  }))
