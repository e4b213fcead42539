import { z } from 'zod'

export const Severity = z.enum(['critical', 'major', 'minor', 'info'])
export type Severity = z.infer<typeof Severity>

/** Words of other tools, on our four. */
const words: Readonly<Record<string, Severity>> = {
  critical: 'critical',
  blocker: 'critical',
  fatal: 'critical',
  major: 'major',
  high: 'major',
  error: 'major',
  err: 'major',
  serious: 'major',
  minor: 'minor',
  medium: 'minor',
  moderate: 'minor',
  warning: 'minor',
  warn: 'minor',
  low: 'info',
  info: 'info',
  information: 'info',
  note: 'info',
  notice: 'info',
  hint: 'info',
  style: 'info',
  none: 'info',
}

export interface ReadSeverity {
  readonly severity: Severity
  /** Says so when the word was not understood. */
  readonly note: string | null
}

/** Reads any tool's word for a severity; an unknown one is `minor` and says so. */
export function parseSeverity(word: string | null | undefined): ReadSeverity {
  const asked = (word ?? '').trim().toLowerCase()
  const known = Object.hasOwn(words, asked) ? words[asked] : undefined
  if (known) return { severity: known, note: null }
  const said = word ? `severity "${word}" is not known` : 'no severity was given'
  return { severity: 'minor', note: `${said}: taken as minor` }
}

const ranks: Readonly<Record<Severity, number>> = { critical: 3, major: 2, minor: 1, info: 0 }

export const severityRank = (severity: Severity): number => ranks[severity]

export const highestSeverity = (a: Severity, b: Severity): Severity => (ranks[a] >= ranks[b] ? a : b)
