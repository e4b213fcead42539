import { z } from 'zod'
import { Fault } from '../../../model/fault.ts'
import { Severity } from '../../../model/issue/severity.ts'
import { parseSelector, type Selector } from './selector.ts'

const selector = z.string().trim().min(1)

/** How to find the parts of a finding in JSON of a kind that has no reader of its own, as a person writes it. */
const WrittenMapping = z.strictObject({
  list: z.string().trim().optional(),
  message: selector,
  file: selector.optional(),
  line: selector.optional(),
  end_line: selector.optional(),
  column: selector.optional(),
  severity: selector.optional(),
  rule: selector.optional(),
  category: selector.optional(),
  suggestion: selector.optional(),
  reference: selector.optional(),
  /** Who the findings are by. */
  source: z.string().trim().min(1).max(100).optional(),
  /** What the tool calls the first line of a file. */
  first_line: z.union([z.literal(0), z.literal(1)]).optional(),
  /** The tool's own words for severities. */
  severities: z.record(z.string(), Severity).optional(),
})
type WrittenMapping = z.infer<typeof WrittenMapping>

export type MappedPart = Exclude<keyof WrittenMapping, 'list' | 'source' | 'first_line' | 'severities'>

export interface Mapping {
  /** Where the findings are: names down to a list, then further lists in its items. Null: the file is the list. */
  readonly list: readonly (readonly string[])[] | null
  /** Whether the first of them is an object whose members are the findings. */
  readonly isOfObjects: boolean
  readonly parts: Readonly<Partial<Record<MappedPart, Selector>>>
  readonly source: string | null
  readonly firstLine: 0 | 1
  readonly severities: Readonly<Record<string, Severity>>
}

const exampleHint =
  'Such as --map "list=results,file=path,line=loc.line,message=msg,severity=level,rule=code".'

/** Reads a mapping out of a parsed file, or of `key=value` pairs with commas between them. */
export function parseMapping(written: unknown, name: string): Mapping {
  const value = typeof written === 'string' ? readPairs(written, name) : written
  const parsed = WrittenMapping.safeParse(value)
  if (!parsed.success) {
    const said = parsed.error.issues.map(
      ({ path, message }) => `${path.join('.') || 'the mapping'}: ${message}`,
    )
    throw new Fault('usage', `${name} is no mapping: ${said.join('; ')}`, { hint: exampleHint })
  }
  const { list, source, first_line: firstLine, severities, ...parts } = parsed.data
  return {
    list: list === undefined || list === '' ? null : parseList(list),
    isOfObjects: /^[^[\]]*\{\}/.test(list ?? ''),
    parts: Object.fromEntries(
      Object.entries(parts).flatMap(([key, text]) =>
        text === undefined ? [] : [[key, parseSelector(text)]],
      ),
    ),
    source: source ?? null,
    firstLine: firstLine ?? 1,
    severities: Object.fromEntries(
      Object.entries(severities ?? {}).map(([word, severity]) => [word.toLowerCase(), severity]),
    ),
  }
}

/** `results`, `data.results`, `files[].messages`, `[].warnings`: brackets stand after a list whose items hold the next one. */
const parseList = (text: string): readonly (readonly string[])[] =>
  text
    .replaceAll('{}', '[]')
    .replace(/\[\]$/, '')
    .split('[]')
    .map((names) => names.split('.').filter((part) => part !== ''))

function readPairs(text: string, name: string): Record<string, unknown> {
  const mapping: Record<string, unknown> = {}
  const severities: Record<string, string> = {}
  for (const pair of text.split(',')) {
    const at = pair.indexOf('=')
    if (at === -1)
      throw new Fault('usage', `${name} is no mapping: "${pair.trim()}" is not key=value`, {
        hint: exampleHint,
      })
    const [key, value] = [pair.slice(0, at).trim(), pair.slice(at + 1).trim()]
    if (key.startsWith('severities.')) severities[key.slice('severities.'.length)] = value
    else mapping[key] = key === 'first_line' ? Number(value) : value
  }
  return Object.keys(severities).length > 0 ? { ...mapping, severities } : mapping
}
