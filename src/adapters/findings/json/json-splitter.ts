import type { Fault } from '../../../model/fault.ts'
import { createItemBatch } from './item-batch.ts'
import { RawValue } from './raw-value.ts'

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
export class JsonSplitter {
  private readonly shape: Shape
  private readonly visitor: JsonVisitor
  private readonly options: SplitterOptions
  private readonly raw: RawValue
  private readonly batch = createItemBatch()
  private readonly path: (string | number)[] = []
  private readonly entered: Exclude<Shape, 'take'>[] = []
  private expected: Expected = 'value'
  private purpose: 'key' | 'take' | 'skip' = 'skip'
  private valueOffset = 0
  private passedBytes = 0
  private chunk: Buffer = Buffer.alloc(0)

  constructor(shape: Shape, visitor: JsonVisitor, options: SplitterOptions) {
    this.shape = shape
    this.visitor = visitor
    this.options = options
    this.raw = new RawValue({
      maxBytes: options.maxValueBytes,
      maxDepth: options.maxDepth,
      exceeded: (what) => this.exceeded(what),
    })
  }

  push(given: Uint8Array): void {
    const chunk = Buffer.from(given.buffer, given.byteOffset, given.length)
    this.chunk = chunk
    let at = 0
    while (at < chunk.length) {
      if (this.expected === 'raw') {
        const end = this.raw.read(chunk, at)
        if (end === -1) break
        this.endFollowed(end)
        at = end
      } else if (isSpace(chunk[at] as number) || this.step(chunk[at] as number, this.passedBytes + at))
        at += 1
    }
    this.takeBatch()
    this.passedBytes += chunk.length
  }

  end(): void {
    // A number at the very end is complete only when something follows it.
    this.push(Uint8Array.of(0x0a))
    if (this.expected !== 'nothing')
      throw this.fail('is cut off: the file ends too early', this.passedBytes - 1)
  }

  /** One byte of structure between values; true when it was used up. */
  private step(byte: number, offset: number): boolean {
    const { path, expected } = this
    const isList = typeof path.at(-1) === 'number'
    const closes = byte === (isList ? CLOSE_LIST : CLOSE_OBJECT)
    if (closes && (expected === 'comma-or-end' || expected === 'value-or-end' || expected === 'key-or-end')) {
      this.endEntered()
      return true
    }
    if ((expected === 'key' || expected === 'key-or-end') && byte === QUOTE) {
      this.follow('key', byte, offset)
      return false
    }
    if (expected === 'colon' && byte === COLON) {
      this.expected = 'value'
      return true
    }
    if (expected === 'comma-or-end' && byte === COMMA) {
      this.expected = isList ? 'value' : 'key'
      if (isList) path[path.length - 1] = (path.at(-1) as number) + 1
      return true
    }
    if (expected === 'value' && this.entered.length === 0 && offset < 3 && byteOrderMark[offset] === byte)
      return true
    if (expected === 'value' || expected === 'value-or-end') return this.beginValue(byte, offset)
    throw this.fail(expected === 'nothing' ? 'goes on after its end' : 'is not valid JSON', offset)
  }

  private beginValue(byte: number, offset: number): boolean {
    const wanted = this.shapeHere()
    if (typeof wanted === 'object') {
      const isList = 'items' in wanted
      if (byte === (isList ? OPEN_LIST : OPEN_OBJECT)) {
        this.entered.push(wanted)
        this.path.push(isList ? 0 : '')
        this.expected = isList ? 'value-or-end' : 'key-or-end'
        return true
      }
      if (byte !== NULL_START || this.entered.length === 0) {
        const kind = kindOf(byte)
        const what = `holds ${kind} where ${isList ? 'a list' : 'an object'} is expected`
        throw this.fail(kind === null ? 'is not valid JSON' : what, offset)
      }
    }
    this.follow(wanted === 'take' ? 'take' : 'skip', byte, offset)
    return false
  }

  private shapeHere(): Shape | 'skip' {
    const parent = this.entered.at(-1)
    if (parent === undefined) return this.shape
    if ('items' in parent) return parent.items
    const key = this.path.at(-1) as string
    return Object.hasOwn(parent.fields, key) ? (parent.fields[key] as Shape) : 'skip'
  }

  private follow(purpose: 'key' | 'take' | 'skip', byte: number, offset: number): void {
    this.purpose = purpose
    this.valueOffset = offset
    this.expected = 'raw'
    this.raw.begin(byte)
  }

  /** The end of a value that is followed: an item that lies whole in the chunk waits for its neighbours. */
  private endFollowed(end: number): void {
    const start = this.valueOffset - this.passedBytes
    const index = this.path.at(-1)
    const isWhole = start >= 0 && end - start <= this.options.maxValueBytes
    if (this.purpose === 'take' && typeof index === 'number' && isWhole) {
      this.expected = 'comma-or-end'
      if (this.batch.add(index, start, end)) this.takeBatch()
      return
    }
    this.takeBatch()
    this.endRaw(this.raw.text(this.chunk, end))
  }

  private endRaw(text: string | null): void {
    const { path, purpose, valueOffset } = this
    this.expected = purpose === 'key' ? 'colon' : this.entered.length === 0 ? 'nothing' : 'comma-or-end'
    if (text === null) return
    const value = this.parse(text, valueOffset)
    if (purpose === 'key') path[path.length - 1] = value as string
    else if (purpose === 'take') this.visitor.take(path, value, valueOffset)
  }

  private endEntered(): void {
    this.takeBatch()
    this.entered.pop()
    this.path.pop()
    this.visitor.leave(this.path)
    this.expected = this.entered.length === 0 ? 'nothing' : 'comma-or-end'
  }

  /** Hands over the items that wait: the last whole ones of the list that is being read. */
  private takeBatch(): void {
    if (this.batch.size() === 0) return
    const { path, visitor } = this
    const last = path.length - 1
    const here = path[last] as number
    this.batch.take(this.chunk, (item, index, start) => {
      const offset = this.passedBytes + start
      path[last] = index
      visitor.take(path, 'text' in item ? this.parse(item.text, offset) : item.value, offset)
    })
    path[last] = here
  }

  private parse(text: string, offset: number): unknown {
    try {
      return JSON.parse(text)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      throw this.fail(`is not valid JSON (${reason.slice(0, 120)})`, offset)
    }
  }

  private exceeded(what: 'bytes' | 'depth'): void {
    const { maxDepth, maxValueBytes } = this.options
    if (what === 'depth') throw this.fail(`nests deeper than ${maxDepth} levels`, this.valueOffset)
    const limit = `${Math.round(maxValueBytes / 1_000_000)} MB`
    if (this.purpose !== 'skip') throw this.fail(`holds one value of more than ${limit}`, this.valueOffset)
  }

  /** First hands over the items that were whole before the fault: one of them may have a fault of its own. */
  private fail(what: string, offset: number): Fault {
    this.takeBatch()
    return this.options.fail(this.path.length > 0 ? `${what}, at ${formatPath(this.path)}` : what, offset)
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
