import type { ReaderContext } from '../format-reader.ts'
import { createJsonSplitter, type JsonVisitor, type Shape } from './json-splitter.ts'

export interface JsonLimits {
  readonly maxValueBytes: number
  readonly maxDepth: number
}

/** Reads one JSON document to its end, handing over the parts that `shape` names. */
export async function readJson(
  source: AsyncIterable<Uint8Array>,
  shape: Shape,
  visitor: JsonVisitor,
  { context, limits }: { readonly context: ReaderContext; readonly limits: JsonLimits },
): Promise<void> {
  const splitter = createJsonSplitter(shape, visitor, {
    ...limits,
    fail: (what, offset) =>
      context.fail(`${what} (byte ${offset})`, 'Make the report again; nothing of it was taken.'),
  })
  for await (const chunk of source) splitter.push(chunk)
  splitter.end()
}
