import type { AskedSettings } from '../../../src/model/api/fix.ts'

/** The options of a session that a person may set before it starts; an empty one means that the configuration decides. */
export interface FixOptions {
  readonly notes: string
  readonly branch: string
  readonly useExisting: boolean
  readonly path: string
  readonly extraPaths: string
  readonly fixer: string
  readonly challenger: string
  readonly reproducer: string
  readonly strategy: string
  readonly maxRounds: string
  readonly concurrency: string
  readonly budget: string
  readonly scope: string
  readonly minEvidence: string
  /** The least score of the challenger. */
  readonly threshold: string
  /** Whether a test is asked for beforehand: `no`, or `auto` where the configuration asks for none. */
  readonly reproduce: string
  /** The revision to start from. */
  readonly base: string
}

export const emptyOptions: FixOptions = {
  notes: '',
  branch: '',
  useExisting: false,
  path: '',
  extraPaths: '',
  fixer: '',
  challenger: '',
  reproducer: '',
  strategy: '',
  maxRounds: '',
  concurrency: '',
  budget: '',
  scope: '',
  minEvidence: '',
  threshold: '',
  reproduce: '',
  base: '',
}

/** The options that a plan takes as well as a session. */
export function requestOf({ notes, path, extraPaths }: FixOptions) {
  const extra = extraPaths
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean)
  return {
    ...(notes.trim() !== '' && { user_notes: notes.trim() }),
    ...(path.trim() !== '' && { workspace_path: path.trim() }),
    ...(extra.length > 0 && { allowed_extra_paths: extra }),
  }
}

const numbers = {
  maxRounds: { isRight: (value: number) => isWholeIn(value, 0, 100), wanted: 'A whole number from 0 to 100' },
  concurrency: { isRight: (value: number) => isWholeIn(value, 1, 64), wanted: 'A whole number from 1 to 64' },
  threshold: { isRight: (value: number) => value >= 0 && value <= 100, wanted: 'A score from 0 to 100' },
  budget: { isRight: (value: number) => value > 0 && value < Infinity, wanted: 'Dollars, such as 2.50' },
} as const

export type NumberOption = keyof typeof numbers

const isWholeIn = (value: number, least: number, most: number): boolean =>
  Number.isInteger(value) && value >= least && value <= most

/** What an option has to look like that is not empty and looks otherwise; null when it is right. */
export function complaintOf(name: NumberOption, options: FixOptions): string | null {
  const text = options[name].trim()
  return text === '' || numbers[name].isRight(Number(text)) ? null : numbers[name].wanted
}

/** Whether every option can be sent as it was typed. */
export const isComplete = (options: FixOptions): boolean =>
  (Object.keys(numbers) as NumberOption[]).every((name) => complaintOf(name, options) === null)

/** The settings that apply to this session only, without those that are not right yet. */
export function settingsOf(options: FixOptions): AskedSettings {
  const text = (name: string, value: string) => (value === '' ? {} : { [name]: value })
  const number = (name: string, option: NumberOption) =>
    options[option].trim() !== '' && complaintOf(option, options) === null
      ? { [name]: Number(options[option]) }
      : {}
  return {
    ...text('fixer', options.fixer),
    ...text('challenger', options.challenger),
    ...text('reproducer', options.reproducer),
    ...text('strategy', options.strategy),
    ...text('scope', options.scope),
    ...text('min_evidence', options.minEvidence),
    ...text('base', options.base.trim()),
    ...(options.reproduce !== '' && { reproduce: options.reproduce === 'no' ? false : ('auto' as const) }),
    ...number('threshold', 'threshold'),
    ...number('max_rounds', 'maxRounds'),
    ...number('concurrency', 'concurrency'),
    ...number('budget_usd', 'budget'),
  }
}
