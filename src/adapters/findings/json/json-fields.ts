import type { Fault } from '../../../model/fault.ts'
import { cutText } from '../../../model/issue/finding-text.ts'

export type JsonRecord = Readonly<Record<string, unknown>>

/** Reads the fields of parsed JSON: absent and null are null, a wrong type is a fault. */
export interface JsonFields {
  object(value: unknown, name: string): JsonRecord
  text(of: JsonRecord, name: string): string | null
  /** Text that comes again and again, such as a rule's or a file's name: one copy is kept of each. */
  name(of: JsonRecord, name: string): string | null
  integer(of: JsonRecord, name: string): number | null
  child(of: JsonRecord, name: string): JsonRecord | null
  list(of: JsonRecord, name: string): readonly unknown[]
  /** The list's members, which must be objects. */
  children(of: JsonRecord, name: string): readonly JsonRecord[]
}

const nothing: readonly never[] = []
const maxNames = 100_000
const maxNameLength = 4_096

export function createJsonFields(fail: (what: string) => Fault): JsonFields {
  const wrong = (name: string, value: unknown, wanted: string): Fault =>
    fail(`"${name}" is ${describe(value)}; ${wanted} is expected`)

  function object(value: unknown, name: string): JsonRecord {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonRecord
    throw wrong(name, value, 'an object')
  }
  function text(of: JsonRecord, name: string): string | null {
    const value = of[name]
    if (typeof value === 'string') return value
    if (value === undefined || value === null) return null
    throw wrong(name, value, 'text')
  }
  const names = new Map<string, string>()
  function list(of: JsonRecord, name: string): readonly unknown[] {
    const value = of[name]
    if (value === undefined || value === null) return nothing
    if (Array.isArray(value)) return value
    throw wrong(name, value, 'a list')
  }
  return {
    object,
    list,
    text,
    name(of, name) {
      const value = text(of, name)
      const known = value === null ? null : names.get(value)
      if (known !== undefined) return known
      const bounded = value === null ? null : cutText(value, maxNameLength)
      if (bounded !== null && bounded === value && names.size < maxNames) names.set(bounded, bounded)
      return bounded
    },
    integer(of, name) {
      const value = of[name]
      if (Number.isSafeInteger(value)) return value as number
      if (value === undefined || value === null) return null
      throw wrong(name, value, 'a whole number')
    },
    child(of, name) {
      const value = of[name]
      return value === undefined || value === null ? null : object(value, name)
    },
    children(of, name) {
      const values = list(of, name)
      for (const value of values) object(value, name)
      return values as readonly JsonRecord[]
    },
  }
}

function describe(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'string') return 'text'
  if (typeof value === 'number' || typeof value === 'boolean') return `${typeof value} ${value}`
  return 'an object'
}
