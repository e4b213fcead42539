import type { Fault } from '../../../model/fault.ts'
import { createItemBatch } from './item-batch.ts'
import { createRawValue } from './raw-value.ts'

/** Which parts of a document are wanted: whole values, or the members of objects and lists on the way to them. */
export type Shape = 'take' | { readonly fields: Readonly<Record<string, Shape>> } | { readonly items: Shape }

export type JsonPath = readonly (string | number)[]

export interface JsonVisitor {
  take(path: JsonPath, value: unknown, offset: number): void
  /** An object or list that the shape entered has ended. */
  leave(path: JsonPath): void
}

export interface SplitterOptions {
  readonly maxValueBytes: number
  readonly maxDepth: number
  readonly fail: (what: string, offset: number) => Fault
}

export interface JsonSplitter {
  push(chunk: Uint8Array): void
  end(): void
}

/** What is expected next. `raw` is the inside of a value that is followed, not entered. */
type Expected = 'value' | 'value-or-end' | 'key' | 'key-or-end' | 'colon' | 'comma-or-end' | 'raw' | 'nothing'

const COMMA = 0x2c
const COLON = 0x3a
const QUOTE = 0x22
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const NULL_START = 0x6e
const byteOrderMark = [0xef, 0xbb, 0xbf]
const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

/** Walks a JSON file of any size and hands over only the parts that `shape` names, one by one. */
export function createJsonSplitter(
  shape: Shape,
  visitor: JsonVisitor,
  options: SplitterOptions,
): JsonSplitter {
  const path: (string | number)[] = []
  const entered: Exclude<Shape, 'take'>[] = []
  let expected: Expected = 'value'
  let purpose: 'key' | 'take' | 'skip' = 'skip'
  let valueOffset = 0
  let passedBytes = 0
  const raw = createRawValue({ maxBytes: options.maxValueBytes, maxDepth: options.maxDepth, exceeded })

  function exceeded(what: 'bytes' | 'depth'): void {
    if (what === 'depth') throw fail(`nests deeper than ${options.maxDepth} levels`, valueOffset)
    const limit = `${Math.round(options.maxValueBytes / 1_000_000)} MB`
    if (purpose !== 'skip') throw fail(`holds one value of more than ${limit}`, valueOffset)
  }

  const batch = createItemBatch()
  let chunk: Buffer = Buffer.alloc(0)

  /** Hands over the items that wait: the last whole ones of the list that is being read. */
  function takeBatch(): void {
    if (batch.size() === 0) return
    const last = path.length - 1
    const here = path[last] as number
    batch.take(chunk, (item, index, start) => {
      const offset = passedBytes + start
      path[last] = index
      visitor.take(path, 'text' in item ? parse(item.text, offset) : item.value, offset)
    })
    path[last] = here
  }

  /** What was whole before the fault comes first: it may have a fault of its own. */
  function fail(what: string, offset: number): Fault {
    takeBatch()
    return options.fail(path.length > 0 ? `${what}, at ${formatPath(path)}` : what, offset)
  }

  function shapeHere(): Shape | 'skip' {
    const parent = entered.at(-1)
    if (parent === undefined) return shape
    if ('items' in parent) return parent.items
    const key = path.at(-1) as string
    return Object.hasOwn(parent.fields, key) ? (parent.fields[key] as Shape) : 'skip'
  }

  function beginValue(byte: number, offset: number): boolean {
    const wanted = shapeHere()
    if (typeof wanted === 'object') {
      const isList = 'items' in wanted
      if (byte === (isList ? OPEN_LIST : OPEN_OBJECT)) {
        entered.push(wanted)
        path.push(isList ? 0 : '')
        expected = isList ? 'value-or-end' : 'key-or-end'
        return true
      }
      if (byte !== NULL_START || entered.length === 0) {
        const kind = kindOf(byte)
        const what = `holds ${kind} where ${isList ? 'a list' : 'an object'} is expected`
        throw fail(kind === null ? 'is not valid JSON' : what, offset)
      }
    }
    follow(wanted === 'take' ? 'take' : 'skip', byte, offset)
    return false
  }

  function follow(why: typeof purpose, byte: number, offset: number): void {
    purpose = why
    valueOffset = offset
    expected = 'raw'
    raw.begin(byte)
  }

  function endRaw(text: string | null): void {
    expected = purpose === 'key' ? 'colon' : entered.length === 0 ? 'nothing' : 'comma-or-end'
    if (text === null) return
    const value = parse(text, valueOffset)
    if (purpose === 'key') path[path.length - 1] = value as string
    else if (purpose === 'take') visitor.take(path, value, valueOffset)
  }

  function parse(text: string, offset: number): unknown {
    try {
      return JSON.parse(text)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      throw fail(`is not valid JSON (${reason.slice(0, 120)})`, offset)
    }
  }

  function endEntered(): void {
    takeBatch()
    entered.pop()
    path.pop()
    visitor.leave(path)
    expected = entered.length === 0 ? 'nothing' : 'comma-or-end'
  }

  /** One byte of structure between values; true when it was used up. */
  function step(byte: number, offset: number): boolean {
    const isList = typeof path.at(-1) === 'number'
    const closes = byte === (isList ? CLOSE_LIST : CLOSE_OBJECT)
    if (closes && (expected === 'comma-or-end' || expected === 'value-or-end' || expected === 'key-or-end')) {
      endEntered()
      return true
    }
    if ((expected === 'key' || expected === 'key-or-end') && byte === QUOTE) {
      follow('key', byte, offset)
      return false
    }
    if (expected === 'colon' && byte === COLON) {
      expected = 'value'
      return true
    }
    if (expected === 'comma-or-end' && byte === COMMA) {
      expected = isList ? 'value' : 'key'
      if (isList) path[path.length - 1] = (path.at(-1) as number) + 1
      return true
    }
    if (expected === 'value' && entered.length === 0 && offset < 3 && byteOrderMark[offset] === byte)
      return true
    if (expected === 'value' || expected === 'value-or-end') return beginValue(byte, offset)
    throw fail(expected === 'nothing' ? 'goes on after its end' : 'is not valid JSON', offset)
  }

  /** The end of a value that is followed: an item that lies whole in the chunk waits for its neighbours. */
  function endFollowed(end: number): void {
    const start = valueOffset - passedBytes
    const index = path.at(-1)
    if (
      purpose === 'take' &&
      typeof index === 'number' &&
      start >= 0 &&
      end - start <= options.maxValueBytes
    ) {
      expected = 'comma-or-end'
      if (batch.add(index, start, end)) takeBatch()
      return
    }
    takeBatch()
    endRaw(raw.text(chunk, end))
  }

  function push(given: Uint8Array): void {
    chunk = Buffer.from(given.buffer, given.byteOffset, given.length)
    let at = 0
    while (at < chunk.length) {
      if (expected === 'raw') {
        const end = raw.read(chunk, at)
        if (end === -1) break
        endFollowed(end)
        at = end
      } else if (isSpace(chunk[at] as number) || step(chunk[at] as number, passedBytes + at)) at += 1
    }
    takeBatch()
    passedBytes += chunk.length
  }

  return {
    push,
    end() {
      // A number at the very end is complete only when something follows it.
      push(Uint8Array.of(0x0a))
      if (expected !== 'nothing') throw fail('is cut off: the file ends too early', passedBytes - 1)
    },
  }
}

/** What a value is by its first byte; null when no value begins so. */
function kindOf(byte: number): string | null {
  if (byte === QUOTE) return 'text'
  if (byte === OPEN_OBJECT) return 'an object'
  if (byte === OPEN_LIST) return 'a list'
  if (byte === NULL_START) return 'null'
  if (byte === 0x2d || (byte >= 0x30 && byte <= 0x39)) return 'a number'
  return byte === 0x74 || byte === 0x66 ? 'true or false' : null
}

/** `runs[0].results[12]` */
export const formatPath = (path: JsonPath): string =>
  path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`
    return text === '' ? part : `${text}.${part}`
  }, '')
