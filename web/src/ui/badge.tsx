import type { ReactNode } from 'react'
import { formatWord } from './format.ts'

export type Tone = 'ok' | 'warn' | 'bad' | 'info' | 'accent' | 'muted'

const tones: Readonly<Record<Tone, string>> = {
  ok: 'text-ok',
  warn: 'text-warn',
  bad: 'text-bad',
  info: 'text-info',
  accent: 'text-accent',
  muted: 'text-muted',
}

/** The words of the API, each with its tone; a word that is not listed is quiet. */
const toneOf: Readonly<Record<string, Tone>> = {
  open: 'info',
  in_progress: 'accent',
  resolved: 'ok',
  merged: 'ok',
  failed: 'bad',
  critical: 'bad',
  major: 'warn',
  minor: 'info',
  pending: 'muted',
  validating: 'accent',
  running: 'accent',
  awaiting_clarification: 'warn',
  awaiting_approval: 'warn',
  parked: 'warn',
  stopped: 'warn',
  complete: 'ok',
  completed: 'ok',
  partial: 'warn',
  fixed: 'ok',
  refused: 'bad',
  blocked: 'bad',
  disputed: 'warn',
  held: 'warn',
  not_evaluated: 'warn',
  over_budget: 'warn',
  false_positive: 'info',
  passed: 'ok',
  accepted: 'ok',
  approved: 'ok',
  changes_needed: 'bad',
  ok: 'ok',
  warning: 'warn',
  error: 'bad',
  fixing: 'accent',
  verifying: 'accent',
  challenging: 'accent',
  landing: 'accent',
  done: 'ok',
}

/** A word with its colour; the word alone carries the meaning. */
export function Badge({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }) {
  return (
    <span className={`inline-flex items-center gap-1.5 text-xs font-medium whitespace-nowrap ${tones[tone]}`}>
      <span aria-hidden className="size-1.5 shrink-0 rounded-full bg-current" />
      {children}
    </span>
  )
}

export const StatusBadge = ({ status }: { readonly status: string }) => (
  <Badge tone={toneOf[status] ?? 'muted'}>{formatWord(status)}</Badge>
)

const grades: Readonly<Record<string, string>> = {
  E0: 'E0: judged only',
  E1: 'E1: checks are green',
  E2: 'E2: the tool that raised it is silent now',
  E3: "E3: the fixer's own test or an existing one fails without the fix",
  E4: 'E4: a test that another agent wrote before the fix fails without it',
  manual: 'resolved by a person',
}

/** How well a fix is proven. */
export const Evidence = ({ grade }: { readonly grade: string }) => (
  <span
    title={grades[grade] ?? grade}
    className="rounded border px-1 font-mono text-[11px] leading-4 font-medium text-muted"
  >
    {grade}
  </span>
)
