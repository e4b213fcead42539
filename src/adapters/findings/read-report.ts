import type { ReportFormat } from '../../model/config/written.ts'
import type { WrittenFinding } from '../../model/issue/finding.ts'
import { detectFormat, knownFormats } from './detect-format.ts'
import { createEslintReader, eslintShape } from './eslint/eslint-reader.ts'
import type { FormatReader, ReaderContext, ReportEnd } from './format-reader.ts'
import { gunzip, isGzip } from './gunzip.ts'
import type { Shape } from './json/json-splitter.ts'
import { readJson } from './json/read-json.ts'
import { readJunit } from './junit/read-junit.ts'
import { readJsonLines } from './lines/read-json-lines.ts'
import { createItemTaker, createMappedReader, mappedShape } from './mapped/mapped-reader.ts'
import type { Mapping } from './mapped/mapping.ts'
import { createDiagnosticTaker, createRdjsonReader, rdjsonShape } from './rdjson/rdjson-reader.ts'
import { createContext, defaultLimits, readFindings } from './read-findings.ts'

export type Limits = typeof defaultLimits

export interface ReadReportOptions {
  /** The absolute folder that absolute paths in the report begin with. */
  readonly root: string
  /** What the report is called in messages, and who its findings are by when it does not say. */
  readonly sourceName: string
  /** Detected by content when not given. */
  readonly format?: ReportFormat | undefined
  /** For JSON of a kind that has no reader; with it, nothing is detected. */
  readonly mapping?: Mapping | undefined
  readonly limits?: Partial<Limits>
}

export interface Report extends ReportEnd {
  readonly format: ReportFormat | 'mapped'
  readonly findings: readonly WrittenFinding[]
}

interface Opened {
  readonly beginning: Buffer
  readonly isWhole: boolean
  readonly source: AsyncIterable<Uint8Array>
}

const peekBytes = 64 * 1024

/** Reads a report of any known format, packed or not, in one pass; a broken one fails as a whole. */
export async function readReport(
  written: AsyncIterable<Uint8Array>,
  options: ReadReportOptions,
): Promise<Report> {
  const limits = { ...defaultLimits, ...options.limits }
  const findings: WrittenFinding[] = []
  const context = createContext(findings, options, limits)
  const opened = await unpack(await open(written), context)
  const limited = { ...opened, source: upTo(limits.maxBytes, opened.source, context) }
  if (options.mapping)
    return {
      ...(await readMapped(limited, options.mapping, { context, limits })),
      format: 'mapped',
      findings,
    }
  const format = options.format ?? formatOf(opened, context)
  if (format === 'sarif' || format === 'fixpoint' || format === null) {
    const { root, sourceName } = options
    return readFindings(opened.source, { root, sourceName, limits, ...(format && { format }) })
  }
  return { ...(await readers[format](limited.source, { context, limits })), format, findings }
}

interface Reading {
  readonly context: ReaderContext
  readonly limits: Limits
}
type Read = (source: AsyncIterable<Uint8Array>, reading: Reading) => Promise<ReportEnd>

const wholeDocument =
  (shape: Shape, create: (context: ReaderContext) => FormatReader): Read =>
  async (source, reading) => {
    const reader = create(reading.context)
    await readJson(source, shape, reader, reading)
    return reader.finish()
  }

const readers: Readonly<Record<Exclude<ReportFormat, 'sarif' | 'fixpoint'>, Read>> = {
  rdjson: wholeDocument(rdjsonShape, createRdjsonReader),
  eslint: wholeDocument(eslintShape, createEslintReader),
  rdjsonl: (source, reading) => readLines(source, createDiagnosticTaker(reading.context), reading),
  junit: (source, { context, limits }) => readJunit(source, { context, maxDepth: limits.maxDepth }),
}

async function readLines(
  source: AsyncIterable<Uint8Array>,
  take: (value: unknown, line: number) => void,
  { context, limits }: Reading,
): Promise<ReportEnd> {
  await readJsonLines(source, take, { context, maxLineBytes: limits.maxValueBytes })
  return { notFindings: 0, incomplete: [], coverage: null }
}

/** Without a list in the mapping, a file that is no list holds one object per line. */
function readMapped({ beginning, source }: Opened, mapping: Mapping, reading: Reading): Promise<ReportEnd> {
  const isList = beginning
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .trimStart()
    .startsWith('[')
  if (mapping.list === null && !isList)
    return readLines(source, createItemTaker(reading.context, mapping), reading)
  return wholeDocument(mappedShape(mapping), (context) => createMappedReader(context, mapping))(
    source,
    reading,
  )
}

/** Null when only the names further down can tell. */
function formatOf({ beginning, isWhole }: Opened, context: ReaderContext): ReportFormat | null {
  const detected = detectFormat(beginning, isWhole)
  if ('format' in detected) return detected.format
  if ('refused' in detected) throw context.fail(detected.refused, detected.hint)
  if (detected.unknown === 'object') return null
  throw context.fail(
    'is a JSON list of a kind that is not known',
    `Known are ${knownFormats}; say with --map where its findings are, or with --format what it is.`,
  )
}

/** Reads so much that the format shows, and gives it back in front of the rest. */
async function open(written: AsyncIterable<Uint8Array>): Promise<Opened> {
  const iterator = written[Symbol.asyncIterator]()
  const first: Uint8Array[] = []
  let length = 0
  let isWhole = false
  while (length < peekBytes) {
    const next = await iterator.next()
    isWhole = next.done === true
    if (next.done) break
    // A copy, because the source may use its buffer again.
    first.push(Buffer.from(next.value))
    length += next.value.length
  }
  const read = Buffer.concat(first)
  async function* whole(): AsyncGenerator<Uint8Array> {
    yield read
    yield* { [Symbol.asyncIterator]: () => iterator }
  }
  return { beginning: read.subarray(0, peekBytes), isWhole, source: whole() }
}

const unpack = async (opened: Opened, context: ReaderContext): Promise<Opened> =>
  isGzip(opened.beginning) ? open(gunzip(opened.source, context)) : opened

async function* upTo(
  maxBytes: number,
  source: AsyncIterable<Uint8Array>,
  context: ReaderContext,
): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const chunk of source) {
    bytes += chunk.length
    if (bytes > maxBytes)
      throw context.fail(
        `is larger than ${Math.round(maxBytes / 1_000_000)} MB`,
        'Import it in parts, such as one file per tool or folder.',
      )
    yield chunk
  }
}
