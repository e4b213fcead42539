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

/** The settings that apply to this session only. */
export function settingsOf(options: FixOptions): AskedSettings {
  const text = (name: string, value: string) => (value === '' ? {} : { [name]: value })
  const number = (name: string, value: string) =>
    value.trim() !== '' && Number.isFinite(Number(value)) ? { [name]: Number(value) } : {}
  return {
    ...text('fixer', options.fixer),
    ...text('challenger', options.challenger),
    ...text('reproducer', options.reproducer),
    ...text('strategy', options.strategy),
    ...text('scope', options.scope),
    ...text('min_evidence', options.minEvidence),
    ...number('max_rounds', options.maxRounds),
    ...number('concurrency', options.concurrency),
    ...number('budget_usd', options.budget),
  }
}
