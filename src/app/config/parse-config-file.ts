import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, type Document, type Node, type YAMLError } from 'yaml'
import type { WrittenConfig } from '../../model/config-written.ts'
import { keepValid } from './keep-valid.ts'
import { formatKey, printable, type KeyPath, type Place, type Problem } from './problem.ts'

/** What one file says: the entries that are valid, where each stands, and what is wrong with the others. */
export interface ParsedFile {
  readonly written: WrittenConfig
  readonly problems: readonly Problem[]
  readonly placeOf: (path: KeyPath, at: 'key' | 'value') => Place
}

const maxAliases = 100
const nestedTooDeeply = 'is nested too deeply'

/** Reads YAML text; `name` is what messages call the file. */
export function parseConfigFile(name: string, text: string): ParsedFile {
  const lines = new LineCounter()
  // Other levels would print to the terminal or leave out that a second document follows.
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: 'error' })
  const placeAt = (offset: number): Place => {
    const { line, col } = lines.linePos(offset)
    return { where: `${name}:${line}:${col}`, offset }
  }
  const placeOf: ParsedFile['placeOf'] = (path, at) => placeAt(offsetOf(document, path, at))
  const syntax = [...document.errors, ...document.warnings].map((error) => explainSyntax(error, text, placeAt))
  const tooDeep = syntax.find((problem) => problem.text === nestedTooDeeply)
  if (tooDeep) return { written: {}, problems: [tooDeep], placeOf }
  if (syntax.length > 0) return { written: {}, problems: oncePerPlace(syntax), placeOf }
  const read = toValue(document)
  if ('refused' in read) return { written: {}, problems: [{ ...placeAt(0), key: '', text: read.refused }], placeOf }
  const { written, explained } = keepValid(read.value)
  const problems = explained.map(({ path, at, text: said }) => ({ ...placeOf(path, at), key: formatKey(path), text: said }))
  return { written, problems, placeOf }
}

/** One slip in the syntax is often told in several ways. */
const oncePerPlace = (problems: readonly Problem[]): readonly Problem[] => [
  ...new Map(problems.toReversed().map((problem) => [problem.where, problem])).values(),
].toReversed()

function explainSyntax(error: YAMLError, text: string, placeAt: (offset: number) => Place): Problem {
  const [start, end] = error.pos
  const place = placeAt(start)
  if (error.code === 'DUPLICATE_KEY') {
    const word = /^\s*["']?([^\s"':,}]+)/.exec(text.slice(start, Math.max(end, start + 80)))?.[1] ?? ''
    return { ...place, key: printable(word), text: 'is given twice in one mapping' }
  }
  if (error.code === 'MULTIPLE_DOCS') return { ...place, key: '', text: 'expected one YAML document, found a second one' }
  if (error.code === 'RESOURCE_EXHAUSTION') return { ...place, key: '', text: nestedTooDeeply }
  return { ...place, key: '', text: `is not YAML: ${printable(error.message)}` }
}

/** The document's plain value, or why it has none: aliases that multiply, lead nowhere or lead back. */
export function toValue(document: Document): { readonly value: unknown } | { readonly refused: string } {
  try {
    const value: unknown = document.toJS({ maxAliasCount: maxAliases })
    JSON.stringify(value)
    return { value }
  } catch (error) {
    if (error instanceof ReferenceError) return { refused: `its aliases cannot be followed: ${printable(error.message)}` }
    if (error instanceof TypeError) return { refused: 'an alias leads back to itself' }
    if (error instanceof RangeError) return { refused: nestedTooDeeply }
    throw error
  }
}

/** Where the key or value at a path begins; the nearest thing around it when it is not there. */
function offsetOf(document: Document, path: KeyPath, at: 'key' | 'value'): number {
  let node: unknown = document.contents
  let offset = startOf(node) ?? 0
  for (const [index, part] of path.entries()) {
    if (isAlias(node)) node = node.resolve(document)
    if (isSeq(node) && typeof part === 'number') node = node.items[part]
    else if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(part))
      const key = startOf(pair?.key)
      if (at === 'key' && index === path.length - 1 && key !== null) return key
      node = pair?.value ?? null
      offset = startOf(node) ?? key ?? offset
      continue
    } else return offset
    offset = startOf(node) ?? offset
  }
  return offset
}

const startOf = (node: unknown): number | null => (node as Node | null | undefined)?.range?.[0] ?? null
