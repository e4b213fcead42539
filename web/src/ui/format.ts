const dollars = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD', minimumFractionDigits: 2 })
const smallDollars = new Intl.NumberFormat('en', {
  style: 'currency',
  currency: 'USD',
  minimumFractionDigits: 4,
})
const numbers = new Intl.NumberFormat('en')
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })
const times = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' })
const shortDays = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', timeZone: 'UTC' })
const longDays = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' })
const days = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' })

export const formatCost = (usd: number): string =>
  usd > 0 && usd < 0.01 ? smallDollars.format(usd) : dollars.format(usd)
/** Rounds down, so that a score below the threshold never looks as if it reached it. */
export const formatScore = (score: number): string => String(Math.floor(score))
export const formatNumber = (value: number): string => numbers.format(value)
export const formatTokens = (value: number): string => compact.format(value)
export const formatTime = (iso: string): string => times.format(new Date(iso))
/** A day such as `2026-11-19`; it is the same day everywhere. */
export const formatDay = (day: string): string => shortDays.format(new Date(`${day.slice(0, 10)}T00:00:00Z`))
/** The same with its year, for days that are far away. */
export const formatFarDay = (day: string): string =>
  longDays.format(new Date(`${day.slice(0, 10)}T00:00:00Z`))
export const formatDate = (iso: string): string => days.format(new Date(iso))

export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000))
  if (seconds < 60) return `${seconds}s`
  const minutes = Math.floor(seconds / 60)
  return minutes < 60 ? `${minutes}m ${seconds % 60}s` : `${Math.floor(minutes / 60)}h ${minutes % 60}m`
}

export function formatAgo(iso: string, nowMs: number): string {
  const seconds = (nowMs - Date.parse(iso)) / 1_000
  if (seconds < 60) return 'just now'
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ago`
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h ago`
  return `${Math.floor(seconds / 86_400)} d ago`
}

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${formatNumber(count)} ${count === 1 ? one : many}`

/** `in_progress` → `In progress`. */
export const formatWord = (word: string): string => {
  const spaced = word.replaceAll('_', ' ').replace(/\bpr\b/, 'PR')
  return `${spaced.charAt(0).toUpperCase()}${spaced.slice(1)}`
}

/** Begins with a capital letter, unless it begins with a path or a name that is none. */
export const formatSentence = (text: string): string =>
  text.replace(/^[a-z]+(?=[ ,:;]|$)/, (word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)

const places: Readonly<Record<string, string>> = {
  moved: 'moved since it was found',
  unanchored: 'not in the code',
  stale: 'the code is gone',
  uncommitted: 'in code that is not committed',
}

/** Whether the place that a finding names is there; null when it is exactly as named. */
export const formatAnchor = (anchor: string): string | null => places[anchor] ?? null

interface Named {
  readonly branch: string | null
  readonly issues_requested: number
  readonly ended_at: string | null
}

/** A session goes by its branch; one that has none goes by what it was asked for. */
export const sessionName = ({ branch, issues_requested, ended_at }: Named): string =>
  branch ?? `${plural(issues_requested, 'issue')}, ${ended_at === null ? 'no branch yet' : 'nothing landed'}`

export const shortSha = (sha: string): string => sha.slice(0, 8)
