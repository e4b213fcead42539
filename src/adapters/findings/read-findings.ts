import { Fault } from '../../model/fault.ts'
import type { WrittenFinding } from '../../model/issue/finding.ts'
import { createFixpointReader, fixpointFields } from './fixpoint/fixpoint-reader.ts'
import type { FormatReader, ReaderContext, ReportEnd } from './format-reader.ts'
import { createJsonSplitter, type Shape } from './json/json-splitter.ts'
import { createSarifReader, sarifFields } from './sarif/sarif-reader.ts'

export type FindingsFormat = 'sarif' | 'fixpoint'

export interface ReadFindingsOptions {
  /** The absolute root of the repository that the report is about. */
  readonly root: string
  /** What the report is called in messages, and who its findings are by when it does not say. */
  readonly sourceName: string
  /** Detected by content when not given. */
  readonly format?: FindingsFormat
  readonly limits?: Partial<typeof defaultLimits>
}

export interface FindingsReport extends ReportEnd {
  readonly format: FindingsFormat
  readonly findings: readonly WrittenFinding[]
}

/** What a report may take, whatever its format. */
export const defaultLimits = {
  maxBytes: 1_000_000_000,
  maxValueBytes: 16_000_000,
  maxDepth: 512,
  maxFindings: 500_000,
  /** Of the texts of all findings together: a short file can make long ones out of a rule's message. */
  maxTextLength: 500_000_000,
}

const formats = {
  sarif: { fields: sarifFields, create: createSarifReader },
  fixpoint: { fields: fixpointFields, create: createFixpointReader },
} as const

/** Reads a whole report in one pass, or fails as a whole: nothing of a broken report is given. */
export async function readFindings(
  source: AsyncIterable<Uint8Array>,
  options: ReadFindingsOptions,
): Promise<FindingsReport> {
  const limits = { ...defaultLimits, ...options.limits }
  const findings: WrittenFinding[] = []
  const context = createContext(findings, options, limits)
  const router = createRouter(context, options.format)
  const splitter = createJsonSplitter(router.shape, router, {
    ...limits,
    fail: (what, offset) =>
      context.fail(`${what} (byte ${offset})`, 'Make the report again; nothing of it was taken.'),
  })
  let bytes = 0
  let hasBegun = false
  for await (const chunk of source) {
    bytes += chunk.length
    if (bytes > limits.maxBytes) throw context.fail(`is larger than ${megabytes(limits.maxBytes)}`, splitHint)
    hasBegun ||= checkBeginning(chunk, context)
    splitter.push(chunk)
  }
  if (!hasBegun) throw context.fail('is empty', 'Check that the tool has written its report.')
  splitter.end()
  return { ...router.finish(), findings }
}

const splitHint = 'Import it in parts, such as one file per tool or folder.'
const megabytes = (bytes: number): string => `${Math.round(bytes / 1_000_000)} MB`

/** Collects findings up to the limits. */
export function createContext(
  findings: WrittenFinding[],
  options: Pick<ReadFindingsOptions, 'root' | 'sourceName'>,
  limits: typeof defaultLimits,
): ReaderContext {
  let admitted = 0
  let textLength = 0
  const fail = (what: string, hint: string): Fault =>
    new Fault('input_invalid', `${options.sourceName} ${what}`, {
      hint,
      details: { report: options.sourceName },
    })
  return {
    root: options.root,
    sourceName: options.sourceName,
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

interface Router extends Omit<FormatReader, 'finish'> {
  readonly shape: Shape
  finish(): ReportEnd & { readonly format: FindingsFormat }
}

/** Gives the parts of the file to the reader of the format that they belong to: the first known name at the top decides. */
function createRouter(context: ReaderContext, given: FindingsFormat | undefined): Router {
  const names = given ? [given] : (['sarif', 'fixpoint'] as const)
  let chosen: { readonly format: FindingsFormat; readonly reader: FormatReader } | null = null

  function readerOf(part: string): FormatReader {
    const format = names.find((name) => Object.hasOwn(formats[name].fields, part))
    if (format === undefined || (chosen && chosen.format !== format)) {
      throw context.fail(`mixes formats: "${part}" does not belong there`, 'Import one report per file.')
    }
    chosen ??= { format, reader: formats[format].create(context) }
    return chosen.reader
  }

  return {
    shape: {
      fields: Object.assign({}, ...names.map((name) => formats[name].fields)) as Record<string, Shape>,
    },
    take: (path, value, offset) => readerOf(String(path[0])).take(path, value, offset),
    leave: (path) => (path.length === 0 ? undefined : readerOf(String(path[0])).leave(path)),
    finish() {
      if (chosen) return { ...chosen.reader.finish(), format: chosen.format }
      const what = given ? `is not a report in the format "${given}"` : 'is JSON of a kind that is not known'
      throw context.fail(
        what,
        'Known are SARIF 2.1.0 and {"schema": "fixpoint.findings.v1", "findings": […]}; for other JSON give --map.',
      )
    },
  }
}

/** Says what a file is that plainly is no JSON object; true when it has begun as one. */
function checkBeginning(chunk: Uint8Array, context: ReaderContext): boolean {
  const first = chunk.find((byte) => byte > 0x20 || byte === 0 || byte === 0x1f)
  if (first === undefined) return false
  if (first === 0x7b || first === 0xef) return true
  const jsonHint = 'A report is one JSON object: SARIF 2.1.0 or fixpoint.findings.v1.'
  if (first === 0x1f) throw context.fail('is compressed', 'Unpack it first, such as with gunzip.')
  if (first === 0 || first >= 0xfe)
    throw context.fail('is not UTF-8 text', 'Save it as UTF-8, not as UTF-16.')
  if (first === 0x5b) throw context.fail('is a JSON list', jsonHint)
  throw context.fail(first === 0x3c ? 'is XML, not JSON' : 'is not JSON', jsonHint)
}
