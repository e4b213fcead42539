import { SaxesParser } from 'saxes'
import type { Fault } from '../../../model/fault.ts'
import type { ReaderContext, Reading, ReportLimits } from './report-format.ts'

export type XmlAttributes = Readonly<Record<string, string | undefined>>

export interface XmlVisitor {
  open(name: string, attributes: XmlAttributes): void
  /** Text between tags; a long one comes in pieces. */
  text(text: string): void
  close(name: string): void
}

const maxTagLength = 1_000_000
const againHint = 'Make the report again; nothing of it was taken.'

/** Faults that many tools make and that can be read all the same: such text is taken as it is written. */
const harmless =
  /^(?:disallowed character\.|undefined entity|malformed character entity|disallowed character in entity name|empty entity name|the string "]]>"|duplicate attribute|(?:an|the) XML declaration must|XML declaration must|version number must match)/

/** Reads an XML file to its end. Nothing is resolved from elsewhere and no entity is defined, so nothing can grow. */
export async function readXml(
  source: AsyncIterable<Uint8Array>,
  visitor: XmlVisitor,
  reading: Reading,
): Promise<void> {
  const { context } = reading
  const parser = createParser(visitor, reading)
  let decoder: TextDecoder | null = null
  for await (const chunk of source) {
    decoder ??= createDecoder(chunk, context)
    parser.push(decoder.decode(chunk, { stream: true }))
  }
  parser.push(decoder?.decode() ?? '')
  parser.end()
}

function createParser(visitor: XmlVisitor, { context, limits }: Reading) {
  const parser = new SaxesParser({ position: false, xmlns: false as const })
  const fail = (what: string) => context.fail(what, againHint)
  const bounds = createBounds(parser, limits, fail)
  function passText(text: string): void {
    bounds.passEvent()
    visitor.text(text)
  }
  parser.on('error', ({ message }) => {
    if (!harmless.test(message)) throw fail(describe(message))
  })
  parser.on('doctype', (text) => {
    bounds.passEvent()
    if (text.includes('[')) throw fail('defines entities of its own, which are not read')
  })
  parser.on('comment', bounds.passEvent)
  parser.on('processinginstruction', bounds.passEvent)
  parser.on('text', passText)
  parser.on('cdata', passText)
  parser.on('opentagstart', bounds.beginTag)
  parser.on('opentag', ({ name, attributes }) => {
    bounds.endTag()
    visitor.open(name, attributes)
  })
  parser.on('closetag', ({ name }) => {
    bounds.closeTag()
    visitor.close(name)
  })
  return {
    push(text: string): void {
      parser.write(text)
      bounds.check()
    },
    end: (): void => void parser.close(),
  }
}

/** Refuses what would fill the memory: tags in tags in tags, and a tag or a text that does not end. */
function createBounds(
  parser: { readonly position: number },
  { maxDepth, maxValueBytes }: ReportLimits,
  fail: (what: string) => Fault,
) {
  // The parser keeps a text, a comment and a CDATA section whole until they end; programs print long ones.
  const maxTextLength = 4 * maxValueBytes
  let depth = 0
  let tagStart: number | null = null
  let lastEvent = 0

  const passEvent = (): void => void (lastEvent = parser.position)
  function check(): void {
    if (tagStart !== null && parser.position - tagStart > maxTagLength)
      throw fail('is not valid XML, or has a tag that is too long')
    if (parser.position - lastEvent > maxTextLength)
      throw fail(`holds one text of more than ${Math.round(maxTextLength / 1_000_000)} MB`)
  }
  return {
    passEvent,
    check,
    beginTag(): void {
      tagStart = parser.position
      depth += 1
      if (depth > maxDepth) throw fail(`nests deeper than ${maxDepth} levels`)
    },
    endTag(): void {
      check()
      tagStart = null
      passEvent()
    },
    closeTag(): void {
      depth -= 1
      passEvent()
    },
  }
}

function describe(message: string): string {
  if (/^unclosed tag|^unexpected end/.test(message)) return 'is cut off: the file ends too early'
  if (/clos(?:e|ing) tag/.test(message)) return 'is not valid XML: a tag closes another element'
  return `is not valid XML: ${message.replace(/\.$/, '').slice(0, 120)}`
}

const encodingName = /^[^>]{0,200}?\sencoding=["']([\w-]{1,40})["']/

function createDecoder(first: Uint8Array, context: ReaderContext): TextDecoder {
  const written = encodingName.exec(Buffer.from(first.subarray(0, 300)).toString('latin1'))?.[1] ?? 'utf-8'
  // UTF-16 came as UTF-8 already, or its declaration could not be read.
  const declared = /^utf-?16/i.test(written) ? 'utf-8' : written
  try {
    return new TextDecoder(declared)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw context.fail(`is written in "${declared}", which is not known`, 'Save it as UTF-8.')
  }
}
