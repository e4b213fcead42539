import { Fault } from '../../model/fault.ts'
import type { WrittenFinding } from '../../model/issue/finding.ts'
import { findReportFormat } from './formats.ts'
import { gunzip, isGzip } from './gunzip.ts'
import { readMapped } from './mapped/mapped-reader.ts'
import type { Mapping } from './mapped/mapping.ts'
import type {
  ReaderContext,
  Reading,
  ReportEnd,
  ReportFormat,
  ReportLimits,
} from './reading/report-format.ts'
import {
  beginningText,
  createPeekedSource,
  emptyFault,
  firstPeek,
  lookAt,
  recogniseFormat,
  type PeekedSource,
  type Recognised,
} from './recognise.ts'

export interface ReadReportOptions {
  /** The absolute folder that absolute paths in the report begin with. */
  readonly root: string
  /** What the report is called in messages, and who its findings are by when it does not say. */
  readonly sourceName: string
  /** A format's name; detected by content when not given. */
  readonly format?: string | undefined
  /** For JSON or XML of a kind that has no reader; with it, nothing is detected. */
  readonly mapping?: Mapping | undefined
  readonly limits?: Partial<ReportLimits>
}

export interface Report extends ReportEnd {
  /** A format's name, or `mapped`. */
  readonly format: string
  readonly findings: WrittenFinding[]
}

const defaultLimits: ReportLimits = {
  maxBytes: 1_000_000_000,
  maxValueBytes: 16_000_000,
  maxDepth: 512,
  maxFindings: 500_000,
  maxTextLength: 500_000_000,
}

/** Reads a report of any known format, packed or not, in one pass; a broken one fails as a whole. */
export async function readReport(
  written: AsyncIterable<Uint8Array>,
  options: ReadReportOptions,
): Promise<Report> {
  const limits = { ...defaultLimits, ...options.limits }
  const given = options.format === undefined ? null : findReportFormat(options.format)
  const findings: WrittenFinding[] = []
  const reading: Reading = { context: createContext(findings, options, limits), limits, kind: 'text' }
  const peeked = await unpack(createPeekedSource(written), reading)
  if (options.mapping) {
    const begins = beginningText((await peeked.peek(firstPeek)).bytes)
    const end = await readMapped(peeked.source, options.mapping, { ...reading, begins })
    return { ...end, format: 'mapped', findings }
  }
  const { format, kind } = given
    ? await checkBeginning(given, peeked, reading)
    : await recogniseFormat(peeked, reading)
  const reader = await format.load()
  return { ...(await reader.read(peeked.source, { ...reading, kind })), format: format.name, findings }
}

/** Believes the person who names the format, unless the file is plainly no report. */
async function checkBeginning(
  format: ReportFormat,
  peeked: PeekedSource,
  { context }: Reading,
): Promise<Recognised> {
  const { bytes, isWhole } = await peeked.peek(firstPeek)
  const beginning = lookAt(bytes, context)
  if (beginning === null && isWhole && !format.isByLine) throw emptyFault(context)
  return { format, kind: beginning?.kind ?? 'text' }
}

async function unpack(peeked: PeekedSource, reading: Reading): Promise<PeekedSource> {
  const { bytes } = await peeked.peek(firstPeek)
  const unpacked = isGzip(bytes) ? gunzip(peeked.source, reading.context) : peeked.source
  const plain = createPeekedSource(upTo(unpacked, reading))
  const encoding = utf16Of((await plain.peek(2)).bytes)
  return encoding === null ? plain : createPeekedSource(toUtf8(plain.source, encoding))
}

/** UTF-16 is known by its mark, which programs on Windows write. */
function utf16Of(bytes: Uint8Array): string | null {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : null
}

async function* toUtf8(source: AsyncIterable<Uint8Array>, encoding: string): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder(encoding)
  for await (const chunk of source) yield Buffer.from(decoder.decode(chunk, { stream: true }))
  yield Buffer.from(decoder.decode())
}

const splitHint = 'Import it in parts, such as one file per tool or folder.'

async function* upTo(
  source: AsyncIterable<Uint8Array>,
  { context, limits: { maxBytes } }: Reading,
): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const chunk of source) {
    bytes += chunk.length
    if (bytes > maxBytes)
      throw context.fail(`is larger than ${Math.round(maxBytes / 1_000_000)} MB`, splitHint)
    yield chunk
  }
}

/** Collects findings up to the limits. */
function createContext(
  findings: WrittenFinding[],
  { root, sourceName, format }: ReadReportOptions,
  limits: ReportLimits,
): ReaderContext {
  let admitted = 0
  let textLength = 0
  const fail = (what: string, hint: string): Fault =>
    new Fault('input_invalid', `${sourceName} ${what}`, { hint, details: { report: sourceName } })
  return {
    root,
    sourceName,
    askedFormat: format ?? null,
    fail,
    admit() {
      admitted += 1
      if (admitted > limits.maxFindings)
        throw fail(`holds more than ${limits.maxFindings} findings`, splitHint)
    },
    add(finding) {
      const { description, suggested_fix: fix, file } = finding
      textLength += description.length + (fix?.length ?? 0) + (file?.length ?? 0)
      if (textLength > limits.maxTextLength) throw fail('holds more text than can be kept', splitHint)
      findings.push(finding)
    },
  }
}
