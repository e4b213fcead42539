import type { z } from 'zod'
import { keysAt, knownKeys } from './known-keys.ts'
import { nearest } from './nearest.ts'
import { formatKey, showText, showValue, type KeyPath } from './problem.ts'

/** A problem before it is known where in a file it stands. */
export interface Explained {
  readonly path: KeyPath
  /** Whether the key itself is at fault or its value. */
  readonly at: 'key' | 'value'
  readonly text: string
}

type Issue = z.core.$ZodIssue

/** The search for the intended key takes time: of thousands of wrong keys only the first are worth it. */
export const mostExplained = 50

/** What a schema's issue means for the person who wrote the value. */
export function explainIssue(issue: Issue, path: KeyPath, value: unknown): readonly Explained[] {
  const explain = (text: string): readonly Explained[] => [{ path, at: 'value', text }]
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key, index) => {
      const here = [...path, key]
      return { path: here, at: 'key', text: index < mostExplained ? unknownKey(here) : 'unknown key' }
    })
  if (issue.code === 'invalid_union') return explainUnion(issue, path, value)
  if (value === undefined) return [{ path, at: 'key', text: 'is required' }]
  if (issue.message.startsWith('expected ')) return explain(`${issue.message}, found ${showValue(value)}`)
  if (issue.code === 'invalid_type')
    return explain(`expected ${noun(issue.expected)}, found ${showValue(value)}`)
  if (issue.code === 'invalid_value') return explain(wrongWord(issue.values.map(String), value))
  if (issue.code === 'too_small' && issue.origin === 'string') return explain('must not be empty')
  if (issue.code === 'too_small')
    return explain(`expected ${String(issue.minimum)} or more, found ${showValue(value)}`)
  if (issue.code === 'too_big')
    return explain(`expected ${String(issue.maximum)} or less, found ${showValue(value)}`)
  return explain(issue.message)
}

/** An agent is a name or a mapping: the message explains only the one that was meant. */
function explainUnion(
  issue: Issue & { code: 'invalid_union' },
  path: KeyPath,
  value: unknown,
): readonly Explained[] {
  const meant =
    typeof value === 'string' || path[0] !== 'agents'
      ? issue.errors.at(isMapping(value) ? -1 : 0)
      : isMapping(value)
        ? issue.errors.at(-1)
        : undefined
  if (!meant)
    return [
      {
        path,
        at: 'value',
        text: `expected an agent's name or a mapping with "use", found ${showValue(value)}`,
      },
    ]
  return meant.flatMap((inner) =>
    explainIssue(inner, [...path, ...toPath(inner.path)], valueAt(value, toPath(inner.path))),
  )
}

/** Says what the key was probably meant to be, here or elsewhere. */
export function unknownKey(path: KeyPath): string {
  const parent = path.slice(0, -1)
  const word = String(path.at(-1))
  const here = keysAt(parent)
  const sibling = nearest(word, here)
  if (sibling !== null) return `unknown key; did you mean ${formatKey([...parent, sibling])}?`
  const names = [...new Set(knownKeys.map((known) => known.path.at(-1) ?? ''))]
  const name = nearest(word, names)
  const elsewhere = knownKeys.filter((known) => known.path.at(-1) === name)
  if (elsewhere.length > 0)
    return `unknown key; did you mean ${listWords(elsewhere.map((known) => formatKey(known.path)))}?`
  return here.length > 0 ? `unknown key; known here: ${here.join(', ')}` : 'unknown key'
}

/** `a, b or c` */
export const listWords = (words: readonly string[]): string =>
  words.join(', ').replace(/, ([^,]*)$/, ' or $1')

function wrongWord(words: readonly string[], value: unknown): string {
  const near = typeof value === 'string' ? nearest(value, words) : null
  const hint = near === null ? '' : `; did you mean ${near}?`
  return `expected ${listWords(words)}, found ${showValue(value)}${hint}`
}

const nouns: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping of keys to values',
  record: 'a mapping of keys to values',
}
const noun = (expected: string): string => nouns[expected] ?? showText(expected)

export const isMapping = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Schemas give paths of property keys; ours hold names and indexes only. */
export const toPath = (path: readonly PropertyKey[]): KeyPath =>
  path.map((part) => (typeof part === 'number' ? part : String(part)))

/** The value at a path, or undefined. */
export function valueAt(value: unknown, path: KeyPath): unknown {
  let inner = value
  for (const key of path) {
    if (typeof inner !== 'object' || inner === null || !Object.hasOwn(inner, key)) return undefined
    inner = (inner as Readonly<Record<string | number, unknown>>)[key]
  }
  return inner
}
