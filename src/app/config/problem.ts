import { Fault } from '../../model/fault.ts'

export type KeyPath = readonly (string | number)[]

/** Where something is written: `fixpoint.yaml:12:3`, `FIXPOINT_SANDBOX`, `--threshold`. */
export interface Place {
  readonly where: string
  /** Orders the problems of one file as one reads it. */
  readonly offset: number
}

/** One thing that is wrong in what a person wrote. */
export interface PlacedProblem extends Place {
  /** Empty when it is not about one key. */
  readonly key: string
  readonly text: string
}

const mostListed = 50

/** All problems in one fault, each on a line of its own. */
export function configFault(problems: readonly PlacedProblem[]): Fault {
  const lines = problems.slice(0, mostListed).map(formatProblem)
  const more = problems.length > mostListed ? [`… and ${problems.length - mostListed} more`] : []
  return new Fault('config_invalid', [...lines, ...more].join('\n'), {
    hint: 'The reference of Fixpoint, docs/reference/configuration.md, explains every key.',
    details: { problems: problems.map(({ where, key, text }) => ({ where, key, text })) },
  })
}

const formatProblem = ({ where, key, text }: PlacedProblem): string =>
  `${where}  ${key === '' ? '' : `${key}: `}${text}`

/** `['verify', 'commands', 0, 'run']` → `verify.commands[0].run`. */
export const formatKey = (path: KeyPath): string =>
  path
    .map((part, index) =>
      typeof part === 'number' ? `[${part}]` : `${index === 0 ? '' : '.'}${showText(part)}`,
    )
    .join('')

/** A value as a message shows it: short, quoted, and harmless on a terminal. */
export function showValue(value: unknown): string {
  if (value === null || value === undefined) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'a mapping'
  if (typeof value === 'string') return `"${showText(value)}"`
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : typeof value
}

const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu

/** Cut to a readable length, with control and direction characters written as escapes. */
export const showText = (text: string): string =>
  (text.length > 60 ? `${text.slice(0, 59)}…` : text).replaceAll(
    unprintable,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  )
