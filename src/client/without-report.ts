import { printable } from './printable.ts'

/** Where the words of an agent stand: in speech (0), so many braces deep in an object, or in a block of JSON. */
export type ReportDepth = number | 'block'

const wholeObject = /^\s*\{".*\}\s*$/
const objectBegins = /^\s*\{\s*(?:"|$)/
const blockBegins = /^\s*```json\b/
const blockEnds = /^\s*```\s*$/
const texts = /"(?:[^"\\]|\\.)*"/g

function depthAfter(depth: ReportDepth, line: string): ReportDepth {
  if (depth === 'block') return blockEnds.test(line) ? 0 : 'block'
  if (depth === 0 && blockBegins.test(line)) return 'block'
  if (depth === 0 && !objectBegins.test(line)) return 0
  const signs = line.replaceAll(texts, '')
  return Math.max(0, depth + signs.split('{').length - signs.split('}').length)
}

/**
 * What an agent says to people. The report that ends its run is JSON for programs, on one line or on many which may come
 * one by one; the transcript keeps it.
 */
export function withoutReport(
  said: string,
  before: ReportDepth = 0,
): { readonly text: string; readonly depth: ReportDepth } {
  const kept: string[] = []
  let depth = before
  for (const line of printable(said).split('\n')) {
    const after = depthAfter(depth, line)
    if (depth === 0 && after === 0 && !wholeObject.test(line)) kept.push(line)
    depth = after
  }
  return { text: kept.join('\n'), depth }
}
