import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, visit } from 'yaml'
import type { Document, Node, YAMLError, YAMLMap } from 'yaml'
import type { WrittenConfig } from '../../model/config/settings.ts'
import { keepValid } from './keep-valid.ts'
import { formatKey, showText, type KeyPath, type Place, type PlacedProblem } from './problem.ts'

/** What one file says: the entries that are valid, where each stands, and what is wrong with the others. */
export interface ParsedFile {
  readonly written: WrittenConfig
  readonly problems: readonly PlacedProblem[]
  readonly placeOf: (path: KeyPath, at: 'key' | 'value') => Place
}

const maxAliases = 100
const nestedTooDeeply = 'is nested too deeply'

/** Reads YAML text; `name` is what messages call the file. */
export function parseConfigFile(name: string, text: string): ParsedFile {
  const lines = new LineCounter()
  // Other levels would print to the terminal or leave out that a second document follows.
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    logLevel: 'error',
    uniqueKeys: false,
  })
  const placeAt = (offset: number): Place => {
    const { line, col } = lines.linePos(offset)
    return { where: `${name}:${line}:${col}`, offset }
  }
  const offsetOf = offsetFinder(document)
  const placeOf: ParsedFile['placeOf'] = (path, at) => placeAt(offsetOf(path, at))
  const syntax = [
    ...[...document.errors, ...document.warnings].map((error) => explainSyntax(error, placeAt)),
    ...findDoubled(document).map(({ key, offset }) => ({
      ...placeAt(offset),
      key,
      text: 'is given twice in one mapping',
    })),
  ]
  const tooDeep = syntax.find((problem) => problem.text === nestedTooDeeply)
  if (tooDeep) return { written: {}, problems: [tooDeep], placeOf }
  if (syntax.length > 0) return { written: {}, problems: oncePerPlace(syntax), placeOf }
  const read = toValue(document)
  if ('refused' in read)
    return { written: {}, problems: [{ ...placeAt(0), key: '', text: read.refused }], placeOf }
  const { written, explained } = keepValid(read.value)
  const problems = explained.map(({ path, at, text: said }) => ({
    ...placeOf(path, at),
    key: formatKey(path),
    text: said,
  }))
  return { written, problems, placeOf }
}

/** The parser often reports one slip in the syntax in several ways. */
const oncePerPlace = (problems: readonly PlacedProblem[]): readonly PlacedProblem[] =>
  [...new Map(problems.toReversed().map((problem) => [problem.where, problem])).values()].toReversed()

function explainSyntax(error: YAMLError, placeAt: (offset: number) => Place): PlacedProblem {
  const place = placeAt(error.pos[0])
  if (error.code === 'MULTIPLE_DOCS')
    return { ...place, key: '', text: 'expected one YAML document, found a second one' }
  if (error.code === 'RESOURCE_EXHAUSTION') return { ...place, key: '', text: nestedTooDeeply }
  return { ...place, key: '', text: `is not YAML: ${showText(error.message)}` }
}

/** The parser can find these too, but compares each key with all others. */
function findDoubled(document: Document): readonly { readonly key: string; readonly offset: number }[] {
  const doubled: { key: string; offset: number }[] = []
  visit(document, {
    Map: (_, map) => {
      const seen = new Set<string>()
      for (const { key } of map.items) {
        if (!isScalar(key)) continue
        const name = String(key.value)
        if (seen.has(name)) doubled.push({ key: showText(name), offset: startOf(key) ?? 0 })
        seen.add(name)
      }
    },
  })
  return doubled
}

/** The document's plain value, or why it has none: aliases that multiply, lead nowhere or lead back. */
export function toValue(document: Document): { readonly value: unknown } | { readonly refused: string } {
  try {
    const value: unknown = document.toJS({ maxAliasCount: maxAliases })
    JSON.stringify(value)
    return { value }
  } catch (error) {
    if (error instanceof ReferenceError)
      return { refused: `its aliases cannot be followed: ${showText(error.message)}` }
    if (error instanceof TypeError) return { refused: 'an alias leads back to itself' }
    if (error instanceof RangeError) return { refused: nestedTooDeeply }
    throw error
  }
}

type Pairs = ReadonlyMap<string, { readonly key: unknown; readonly value: unknown }>

/** Finds where the key or value at a path begins; the nearest thing around it when it is not there. */
function offsetFinder(document: Document): (path: KeyPath, at: 'key' | 'value') => number {
  const known = new WeakMap<object, Pairs>()
  const pairsOf = (map: YAMLMap): Pairs => {
    const pairs =
      known.get(map) ??
      new Map(map.items.map((pair) => [isScalar(pair.key) ? String(pair.key.value) : '', pair]))
    known.set(map, pairs)
    return pairs
  }
  return (path, at) => {
    let node: unknown = document.contents
    let offset = startOf(node) ?? 0
    for (const [index, part] of path.entries()) {
      if (isAlias(node)) node = node.resolve(document)
      const pair = isMap(node) ? pairsOf(node).get(String(part)) : undefined
      const key = startOf(pair?.key)
      if (at === 'key' && index === path.length - 1 && key !== null) return key
      node = isSeq(node) ? node.items[Number(part)] : pair?.value
      offset = startOf(node) ?? key ?? offset
    }
    return offset
  }
}

const startOf = (node: unknown): number | null => (node as Node | null | undefined)?.range?.[0] ?? null
