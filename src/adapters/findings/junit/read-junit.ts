import type { ReaderContext, ReportEnd } from '../format-reader.ts'
import { createXmlSplitter } from '../xml/xml-splitter.ts'
import { createJunitReader } from './junit-reader.ts'

const maxTagLength = 1_000_000
const encodingName = /^[^>]{0,200}?\sencoding=["']([\w-]{1,40})["']/

/** Reads a JUnit report to its end. */
export async function readJunit(
  source: AsyncIterable<Uint8Array>,
  { context, maxDepth }: { readonly context: ReaderContext; readonly maxDepth: number },
): Promise<ReportEnd> {
  const reader = createJunitReader(context)
  const splitter = createXmlSplitter(reader, {
    maxTagLength,
    maxDepth,
    fail: (what) => context.fail(what, 'Make the report again; nothing of it was taken.'),
  })
  let decoder: TextDecoder | null = null
  for await (const chunk of source) {
    decoder ??= createDecoder(chunk, context)
    splitter.push(decoder.decode(chunk, { stream: true }))
  }
  splitter.push(decoder?.decode() ?? '')
  splitter.end()
  return reader.finish()
}

function createDecoder(first: Uint8Array, context: ReaderContext): TextDecoder {
  const declared = encodingName.exec(Buffer.from(first.subarray(0, 300)).toString('latin1'))?.[1] ?? 'utf-8'
  try {
    return new TextDecoder(declared)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw context.fail(`is written in "${declared}", which is not known`, 'Save it as UTF-8.')
  }
}
