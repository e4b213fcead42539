import { createHash } from 'node:crypto'
import type { AgentTask } from '../../../model/agent/agent.ts'
import type { Recording } from './recording.ts'

/** What a recording and a task must have in common. */
export type RunKey = Pick<Recording, 'role' | 'round' | 'issues'>

const longestCodes = 120

export const runKeyOf = ({ role, round, issues }: AgentTask): RunKey => ({
  role,
  round,
  issues: issues.map(({ code, fingerprint }) => ({ code, fingerprint })),
})

/** The part of a file's name that all runs of one key share: `fixer-BE-001-round-2`. */
export const stemOf = ({ role, round, issues }: RunKey): string =>
  `${role}-${nameCodes(issues.map(({ code }) => code))}-round-${round}`

function nameCodes(codes: readonly string[]): string {
  if (codes.length === 0) return 'all'
  const joined = codes.map((code) => code.replaceAll(/[^A-Za-z0-9.-]/g, '_')).join('+')
  if (joined.length <= longestCodes) return joined
  const rest = createHash('sha256').update(codes.join('\n')).digest('hex').slice(0, 12)
  return `${joined.slice(0, longestCodes / 2)}+${rest}`
}

export const fileNameOf = (stem: string, index: number): string => `${stem}-${index}.json`

/** The stem and the number in a recording's file name, or null when it is none of a recording. */
export function parseFileName(name: string): { readonly stem: string; readonly index: number } | null {
  const [, stem, index] = /^(.+)-(\d{1,9})\.json$/.exec(name) ?? []
  return stem === undefined ? null : { stem, index: Number(index) }
}

export const isSameStep = (one: RunKey, other: RunKey): boolean =>
  one.role === other.role && one.round === other.round

export const hasSameCodes = (one: RunKey, other: RunKey): boolean => isSameSet(one, other, 'code')
export const hasSameFingerprints = (one: RunKey, other: RunKey): boolean =>
  isSameSet(one, other, 'fingerprint')

function isSameSet(one: RunKey, other: RunKey, field: 'code' | 'fingerprint'): boolean {
  const sorted = ({ issues }: RunKey): string =>
    JSON.stringify(issues.map((issue) => issue[field]).toSorted())
  return sorted(one) === sorted(other)
}

export const describeKey = ({ role, round, issues }: RunKey): string =>
  `${role} ${issues.map(({ code }) => code).join(', ') || 'without issues'}, round ${round}`
