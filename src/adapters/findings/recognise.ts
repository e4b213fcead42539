import { reportFormats } from './formats.ts'
import { isGzip } from './gunzip.ts'
import { readDocument } from './reading/read-json.ts'
import type { Beginning, ReaderContext, Reading, ReportFormat, ReportKind } from './reading/report-format.ts'

/** A source whose beginning is looked at before it is read. */
export interface PeekedSource {
  /** At least so many bytes from its start, or all that there is. */
  peek(bytes: number): Promise<{ readonly bytes: Buffer; readonly isWhole: boolean }>
  /** The whole source, from its start. */
  readonly source: AsyncIterable<Uint8Array>
}

export const firstPeek = 64 * 1024
const peekGrowth = 4

export function createPeekedSource(written: AsyncIterable<Uint8Array>): PeekedSource {
  const iterator = written[Symbol.asyncIterator]()
  let read: Buffer = Buffer.alloc(0)
  let isWhole = false
  async function* whole(): AsyncGenerator<Uint8Array> {
    yield read
    yield* { [Symbol.asyncIterator]: () => iterator }
  }
  return {
    async peek(bytes) {
      // A copy, because the source may use its buffer again.
      const pieces = [read]
      for (let length = read.length; length < bytes && !isWhole;) {
        const next = await iterator.next()
        isWhole = next.done === true
        if (next.done) break
        pieces.push(Buffer.from(next.value))
        length += next.value.length
      }
      read = pieces.length > 1 ? Buffer.concat(pieces) : read
      return { bytes: read, isWhole }
    },
    source: whole(),
  }
}

export interface Recognised {
  readonly format: ReportFormat
  readonly kind: ReportKind
}

/** Tells a report's format by its beginning, of which more is read until the format shows. */
export async function recogniseFormat(peeked: PeekedSource, reading: Reading): Promise<Recognised> {
  const candidates = await Promise.all(
    reportFormats.map(async (format) => ({ format, reader: await format.load() })),
  )
  for (let size = firstPeek; ; size *= peekGrowth) {
    const { bytes, isWhole } = await peeked.peek(size)
    const beginning = lookAt(bytes, reading.context)
    const found = beginning && candidates.find(({ reader }) => reader.recognise(beginning))
    if (found) return { format: found.format, kind: beginning.kind }
    if (isWhole || size >= reading.limits.maxValueBytes) throw await unknownFault(beginning, peeked, reading)
  }
}

export const beginningText = (bytes: Buffer): string =>
  bytes
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .trimStart()

/** What the first bytes of a file show, or null when there are only blanks; what no reader can read is refused. */
export function lookAt(bytes: Buffer, context: ReaderContext): Beginning | null {
  const text = beginningText(bytes)
  if (text === '') return null
  if (text.charCodeAt(0) === 0) throw context.fail('is not UTF-8 text', 'Save it as UTF-8.')
  if (isGzip(bytes)) throw context.fail('is compressed twice', 'Unpack it first, such as with gunzip.')
  // `[ERROR] a.java:1: …` is no list.
  const kind = /^\[(?!true|false|null)[A-Za-z]/.test(text) ? 'text' : (kinds[text.charAt(0)] ?? 'text')
  const isJson = kind === 'object' || kind === 'list'
  return { kind, keys: isJson ? firstKeys(text) : [], root: kind === 'xml' ? rootOf(text) : null, text }
}

/** The name of the first element, behind declarations and comments. */
const rootOf = (text: string): string | null =>
  /<([A-Za-z_][\w:.-]*)/.exec(text.replaceAll(/<!--[\s\S]*?-->|<\?[\s\S]*?\?>/g, ''))?.[1] ?? null

const kinds: Readonly<Record<string, Beginning['kind']>> = { '{': 'object', '[': 'list', '<': 'xml' }

/** The names in the first object of a JSON text, as far as the text goes. */
function firstKeys(text: string): readonly string[] {
  const keys: string[] = []
  let depth = 0
  let isName = false
  for (let at = Math.max(0, text.indexOf('{')); at < text.length; at += 1) {
    const char = text.charAt(at)
    if (char === '"') {
      const end = endOfString(text, at + 1)
      if (end === -1) break
      if (depth === 1 && isName) keys.push(text.slice(at + 1, end))
      isName = false
      at = end
    } else if (char === ',') isName = depth === 1
    else if (char === '{' || char === '[') {
      depth += 1
      isName = char === '{' && depth === 1
    } else if ((char === '}' || char === ']') && (depth -= 1) === 0) break
  }
  return keys
}

/** The offset of the quote that ends a string; -1 when the text ends first. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start); end !== -1; end = text.indexOf('"', end + 1)) {
    let before = end
    while (before > start && text.charAt(before - 1) === '\\') before -= 1
    if ((end - before) % 2 === 0) return end
  }
  return -1
}

const emptyHint = 'Check that the tool has written its report.'

export const emptyFault = (context: ReaderContext) => context.fail('is empty', emptyHint)

/** Reads the rest of the file first, so that broken JSON is called broken and not of an unknown kind. */
async function unknownFault(beginning: Beginning | null, { source }: PeekedSource, reading: Reading) {
  const { context } = reading
  if (beginning === null) return emptyFault(context)
  if (beginning.kind === 'text')
    return context.fail(
      'is no report: it is neither JSON nor XML, nor lines of the form file:line: message',
      'fixpoint import --help lists what is read; other JSON and XML need a mapping (--map).',
    )
  if (beginning.kind === 'xml' && beginning.root === null)
    return context.fail('is not valid XML: it has no element', 'Make the report again.')
  if (beginning.kind === 'xml')
    return context.fail(
      `is XML of a kind that is not known: it begins with <${(beginning.root ?? '').slice(0, 60)}>`,
      'fixpoint import --help lists what is read; say with --map where its findings are.',
    )
  const isList = beginning.kind === 'list'
  if (isList && /^\[\s*\]\s*$/.test(beginning.text))
    return context.fail(
      'is an empty list, which many tools write when they find nothing',
      'Say with --format which tool wrote it.',
    )
  const nothing = {
    take: () => undefined,
    leave: () => undefined,
    finish: () => ({ notFindings: 0, incomplete: [], coverage: null }),
  }
  if (!isList) await readDocument(source, { shape: { fields: {} }, reader: nothing }, reading)
  return context.fail(
    `is ${isList ? 'a JSON list' : 'JSON'} of a kind that is not known`,
    'fixpoint import --help lists what is read; say with --map where its findings are, or with --format what it is.',
  )
}
