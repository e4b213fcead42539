import type { WrittenFinding } from '../../../model/issue/finding.ts'
import { parseSeverity, type ReadSeverity } from '../../../model/issue/severity.ts'
import { findingOf } from '../reading/reported-problem.ts'
import { readDocument, readLines, type DocumentReader } from '../reading/read-json.ts'
import type { ReaderContext, Reading, ReportEnd } from '../reading/report-format.ts'
import type { Shape } from '../json/json-splitter.ts'
import { readMappedElements } from './mapped-elements.ts'
import type { MappedPart, Mapping } from './mapping.ts'
import { select, toText } from './selector.ts'

/** Reads a file by a mapping; without a list in the mapping, a file that is no list holds one object per line. */
export async function readMapped(
  source: AsyncIterable<Uint8Array>,
  mapping: Mapping,
  { begins, ...reading }: Reading & { readonly begins: string },
): Promise<ReportEnd> {
  if (begins.startsWith('<')) return readMappedXml(source, mapping, reading)
  if (mapping.list === null && !begins.startsWith('['))
    return readLines(source, createItemTaker(reading.context, mapping).take, reading)
  const reader = createMappedReader(reading.context, mapping)
  return readDocument(source, { shape: mappedShape(mapping), reader }, reading)
}

/** In XML the list names elements from the root on, the last of which are the findings. */
async function readMappedXml(
  source: AsyncIterable<Uint8Array>,
  mapping: Mapping,
  reading: Reading,
): Promise<ReportEnd> {
  const { context } = reading
  const names = mapping.list?.flat() ?? []
  if (names.length === 0)
    throw context.fail(
      'is XML, and the mapping does not name the elements that are findings',
      'Such as list=results.file.error.',
    )
  let position = 0
  const take = (items: readonly unknown[]): void => {
    context.admit()
    context.add(readItem(items, mapping, { context, position }))
    position += 1
  }
  await readMappedElements(source, { names, take }, reading)
  return { notFindings: 0, incomplete: [], coverage: null }
}

/** The outermost list is read item by item; lists inside of items are small. */
function mappedShape({ list, isOfObjects }: Mapping): Shape {
  const [names = []] = list ?? []
  const last: Shape = isOfObjects ? 'take' : { items: 'take' }
  return names.reduceRight<Shape>((inner, name) => ({ fields: { [name]: inner } }), last)
}

/** The members of an object, each with its name as `@name`. */
const namedItems = (value: object): readonly object[] =>
  Object.entries(value).map(([name, item]: [string, unknown]) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? { ...item, '@name': name }
      : { '@name': name, '@value': item },
  )

function createMappedReader(context: ReaderContext, mapping: Mapping): DocumentReader {
  const names = mapping.list?.[0] ?? []
  const { take, finish } = createItemTaker(context, mapping)
  let hasList = false
  return {
    take(path, value) {
      if (!mapping.isOfObjects) return take(value, Number(path.at(-1)))
      hasList = true
      if (typeof value !== 'object' || value === null)
        throw context.fail(`holds no object at "${names.join('.')}"`, 'Correct "list" of the mapping.')
      for (const [position, item] of namedItems(value).entries()) take(item, position)
    },
    leave(path) {
      if (path.length === names.length) hasList = true
    },
    finish() {
      if (!hasList)
        throw context.fail(`holds no list at "${names.join('.')}"`, 'Correct "list" of the mapping.')
      finish()
      return { notFindings: 0, incomplete: [], coverage: null }
    },
  }
}

interface ItemTaker {
  readonly take: (value: unknown, position: number) => void
  /** Refuses a file none of whose items has the list inside: that is a wrong mapping, and no report of nothing. */
  readonly finish: () => void
}

/** Takes the findings of one item: itself, or what the lists inside it hold. */
function createItemTaker(context: ReaderContext, mapping: Mapping): ItemTaker {
  const inner = (mapping.list ?? []).slice(1)
  let hasItems = false
  let hasList = inner.length === 0
  const found = (): void => {
    hasList = true
  }
  return {
    take(value, position) {
      hasItems = true
      for (const items of unfold([value], inner, { context, found })) {
        context.admit()
        context.add(readItem(items, mapping, { context, position }))
      }
    },
    finish() {
      const names = inner.map((parts) => parts.join('.')).join('[].')
      if (hasItems && !hasList)
        throw context.fail(`holds no list at "${names}" of any item`, 'Correct "list" of the mapping.')
    },
  }
}

interface Unfolding {
  readonly context: ReaderContext
  /** Called for each innermost list. */
  readonly found: () => void
}

/** The items of lists inside of lists, each behind those around it. */
function unfold(
  items: readonly unknown[],
  lists: readonly (readonly string[])[],
  unfolding: Unfolding,
): readonly (readonly unknown[])[] {
  const [names, ...deeper] = lists
  if (names === undefined) return [items]
  const list = select({ path: { up: 0, parts: names } }, items)
  if (list === undefined || list === null) return []
  if (typeof list !== 'object')
    throw unfolding.context.fail(
      `holds no list at "${names.join('.')}" of an item`,
      'Correct "list" of the mapping.',
    )
  if (deeper.length === 0) unfolding.found()
  const inside: readonly unknown[] = Array.isArray(list) ? list : namedItems(list)
  return inside.flatMap((item) => unfold([...items, item], deeper, unfolding))
}

function readItem(
  items: readonly unknown[],
  mapping: Mapping,
  { context, position }: { readonly context: ReaderContext; readonly position: number },
): WrittenFinding {
  const textAt = (part: MappedPart): string | null => {
    const selector = mapping.parts[part]
    const value = selector && select(selector, items)
    return value === undefined || value === null ? null : toText(value)
  }
  const message = textAt('message')
  if (message === null || message.trim() === '')
    throw context.fail(`has no message in item ${position}`, 'Correct "message" of the mapping.')
  const lines = linesOf(textAt('line'), textAt('end_line'), mapping.firstLine)
  const reference = textAt('reference')
  return findingOf(
    {
      source: { kind: 'tool', name: mapping.source ?? context.sourceName },
      message,
      rule: textAt('rule'),
      severity: severityOf(textAt('severity'), mapping),
      category: textAt('category') ?? 'general',
      path: textAt('file'),
      ...lines,
      column: textAt('column'),
      suggestion: textAt('suggestion'),
      references: reference === null ? [] : [reference],
    },
    context.root,
  )
}

/** A mapping that names no severity means a tool that has none. */
function severityOf(word: string | null, { severities, parts }: Mapping): ReadSeverity {
  if (parts.severity === undefined) return parseSeverity('warning')
  const own = severities[(word ?? '').trim().toLowerCase()]
  return own === undefined ? parseSeverity(word) : { severity: own, note: null }
}

/** Reads `12`, `"12"` and `"12-15"`. */
function linesOf(line: string | null, endLine: string | null, first: 0 | 1) {
  const range = /^\s*(\d{1,9})(?:\s*[-–:]\s*(\d{1,9}))?/.exec(line ?? '')
  const toLine = (text: string | undefined | null) =>
    text === undefined || text === null || text.trim() === '' ? null : Number(text) + 1 - first
  return { line: toLine(range?.[1]), endLine: toLine(endLine ?? range?.[2]) }
}
