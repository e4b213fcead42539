import { isMap, isSeq, parseDocument } from 'yaml'
import type { z } from 'zod'
import type { Variables } from '../../adapters/process/clean-environment.ts'
import { settingFlags, type WrittenConfig } from '../../model/config/settings.ts'
import { isMapping, type Explained } from './explain-issue.ts'
import { knownKeys, schemaAt, unwrap } from './known-keys.ts'
import { nearest } from './nearest.ts'
import { parseEntry } from './keep-valid.ts'
import { toValue } from './parse-config-file.ts'
import { formatKey, showText, type KeyPath, type Place, type PlacedProblem } from './problem.ts'

/** One setting given outside of files, by a flag or a variable. Text is read as the setting's type. */
export interface Override {
  /** As the person wrote it: `--threshold`, `FIXPOINT_FIX_MAX_ROUNDS`. */
  readonly where: string
  /** Dotted: `challenge.threshold`. */
  readonly key: string
  readonly value: unknown
}

/** What flags or variables say, in the shape of a file. */
export interface ParsedOverrides {
  readonly written: WrittenConfig
  readonly problems: readonly PlacedProblem[]
  readonly placeOf: (path: KeyPath) => Place
}

const prefix = 'FIXPOINT_'

/** Variables that are not settings: Fixpoint's home, what agents are told by, the server and its token. */
export const reservedVariables: readonly string[] = [
  'FIXPOINT_HOME',
  'FIXPOINT_TASK',
  'FIXPOINT_TOKEN',
  'FIXPOINT_DATABASE',
  'FIXPOINT_URL',
]

/** The variable that sets the key at a path. */
export const variableOf = (path: readonly string[]): string => `${prefix}${path.join('_').toUpperCase()}`
const variables = new Map(knownKeys.map(({ path }) => [variableOf(path), path]))

/** The settings among the variables of the environment. */
export function parseVariables(env: Variables): ParsedOverrides {
  const given = Object.entries(env).filter(
    ([name, value]) => name.startsWith(prefix) && value !== undefined && !reservedVariables.includes(name),
  )
  const unknown = given.filter(([name]) => !variables.has(name)).map(([name]) => unknownVariable(name))
  const overrides = given.flatMap(([where, value]) => {
    const path = variables.get(where)
    return path ? [{ where, key: path.join('.'), value }] : []
  })
  const parsed = parseOverrides(overrides)
  return { ...parsed, problems: [...unknown, ...parsed.problems] }
}

function unknownVariable(name: string): PlacedProblem {
  const known = [...variables.keys(), ...reservedVariables]
  const word = name.slice(prefix.length)
  const bare = nearest(
    word,
    known.map((one) => one.slice(prefix.length)),
  )
  const near = bare === null ? known.find((one) => one.endsWith(`_${word}`)) : `${prefix}${bare}`
  const hint = near === undefined ? '' : `; did you mean ${near}?`
  return { where: showText(name), offset: 0, key: '', text: `unknown setting${hint}` }
}

/** The settings among the options of a command, as the command line names these: `--max-fix-cycles` is `maxFixCycles`. */
export function flagOverrides(options: object): readonly Override[] {
  const given: Readonly<Record<string, unknown>> = { ...options }
  return settingFlags.flatMap(({ flag, key }) => {
    const value = given[flag.slice(2).replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())]
    return value === undefined ? [] : [{ where: flag, key, value }]
  })
}

/** The settings of flags, or of any other list. A later one wins. */
export function parseOverrides(overrides: readonly Override[]): ParsedOverrides {
  const problems: PlacedProblem[] = []
  const places = new Map<string, Place>()
  let written: Record<string, unknown> = {}
  overrides.forEach(({ where, key, value }, offset) => {
    const path = key.split('.')
    const schema = schemaAt(path)
    if (!schema) return problems.push({ where, offset, key, text: 'unknown key' })
    const explained: Explained[] = []
    const given = typeof value === 'string' ? readText(schema, value) : value
    const entry = parseEntry({ schema, path, entry: given }, explained)
    for (const { path: at, text } of explained) problems.push({ where, offset, key: formatKey(at), text })
    if (entry === undefined) return
    places.set(key, { where, offset })
    written = place(written, path, entry)
  })
  const placeOf = (path: KeyPath): Place =>
    [...places].findLast(
      ([key]) => `${formatKey(path)}.`.startsWith(`${key}.`) || key.startsWith(`${formatKey(path)}.`),
    )?.[1] ?? {
      where: '',
      offset: 0,
    }
  return { written, problems, placeOf }
}

/** A copy with the value at a path. A role that was only a name makes room for its other keys. */
function place(target: unknown, path: readonly string[], value: unknown): Record<string, unknown> {
  const [key = '', ...rest] = path
  const under = typeof target === 'string' ? { use: target } : isMapping(target) ? target : {}
  if (rest.length > 0) return { ...under, [key]: place(under[key], rest, value) }
  return {
    ...under,
    [key]: isMapping(under[key]) && typeof value === 'string' ? { ...under[key], use: value } : value,
  }
}

/** Text as the setting's type; what cannot be read stays text, and the schema says what was expected. */
function readText(schema: z.ZodType, text: string): unknown {
  const { type } = unwrap(schema)
  if (text.trim() === '') return null
  if (type === 'number') return /^[+-]?(\d+\.?\d*|\.\d+)$/.test(text.trim()) ? Number(text) : text
  if (type === 'boolean' || type === 'literal')
    return text === 'true' ? true : text === 'false' ? false : text
  if (type === 'array')
    return (
      readFlow(text) ??
      text
        .split(',')
        .map((item) => item.trim())
        .filter(Boolean)
    )
  if (type === 'record' || type === 'union') return readFlow(text) ?? text
  return text
}

/** A list or mapping that is written as in a file: `[{ name: test, run: npm test }]`. */
function readFlow(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return null
  const document = parseDocument(text, { prettyErrors: false, logLevel: 'error' })
  if (document.errors.length > 0 || !(isMap(document.contents) || isSeq(document.contents))) return null
  const read = toValue(document)
  return 'value' in read ? read.value : null
}
