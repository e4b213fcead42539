import type { IssueFilter } from '../../../src/client/index.ts'
import type { IssueClass, IssueStatus } from '../../../src/model/issue/issue.ts'
import type { Severity } from '../../../src/model/issue/severity.ts'

export const statuses = [
  'open',
  'in_progress',
  'failed',
  'resolved',
  'merged',
  'ignored',
  'duplicate',
] as const satisfies readonly IssueStatus[]
/** Whether a status is shown as a filter only when some issues have it. */
export const isRare = (status: string): boolean => ['merged', 'ignored', 'duplicate'].includes(status)
export const severities = ['critical', 'major', 'minor', 'info'] as const satisfies readonly Severity[]
export const classes = ['BE', 'FE', 'GEN'] as const satisfies readonly IssueClass[]

/** The search part of the list's address. Lists are joined by commas. */
export interface IssueSearch {
  readonly status?: string
  readonly severity?: string
  readonly class?: string
  readonly rule?: string
  readonly tool?: string
  readonly source?: string
  readonly path?: string
  readonly since?: string
  /** The review that raised the issues first. */
  readonly task_id?: string
  readonly q?: string
  /** A column, such as `file`, or `-file` for the reverse order. */
  readonly sort?: string
  readonly group?: string
}

const names = [
  'status',
  'severity',
  'class',
  'rule',
  'tool',
  'source',
  'path',
  'since',
  'task_id',
  'q',
  'sort',
  'group',
] as const satisfies readonly (keyof IssueSearch)[]

/** An address without a status shows the issues that are still to do. */
const toDo = 'open,in_progress,failed'
const everyStatus = 'all'

export function readSearch(given: Record<string, unknown>): IssueSearch {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = given[name]
      return typeof value === 'string' && value !== '' ? [[name, value]] : []
    }),
  )
}

const listOf = <Word extends string>(text: string | undefined, known: readonly Word[]): readonly Word[] => {
  const words = new Set((text ?? '').split(','))
  return known.filter((word) => words.has(word))
}

export interface Chosen {
  readonly status: readonly IssueStatus[]
  readonly severity: readonly Severity[]
  readonly class: readonly IssueClass[]
}

/** The chosen values of each group; a group without a choice means all values. */
export const chosenIn = (search: IssueSearch): Chosen => ({
  status: listOf(search.status ?? toDo, statuses),
  severity: listOf(search.severity, severities),
  class: listOf(search.class, classes),
})

export function filterOf(search: IssueSearch): IssueFilter {
  const { status, severity, class: kinds } = chosenIn(search)
  return {
    ...(status.length > 0 && { status }),
    ...(severity.length > 0 && { severity }),
    ...(kinds.length > 0 && { class: kinds }),
    ...(search.rule !== undefined && { rule: [search.rule] }),
    ...(search.tool !== undefined && { tool: [search.tool] }),
    ...(search.source !== undefined && { source: [search.source] }),
    ...(search.path !== undefined && { path: search.path }),
    ...(search.since !== undefined && { since: search.since }),
    ...(search.task_id !== undefined && { task_id: search.task_id }),
    ...(search.q !== undefined && { q: search.q }),
  }
}

/** The search with one property set to a value, or cleared when it already has that value. */
export function choose(
  search: IssueSearch,
  name: 'rule' | 'tool' | 'source' | 'path' | 'since' | 'task_id' | 'sort' | 'group',
  value: string,
): IssueSearch {
  const { [name]: before, ...rest } = search
  return before === value || value === '' ? rest : { ...rest, [name]: value }
}

/** The search with one word added or removed. */
export function toggle(search: IssueSearch, group: keyof Chosen, word: string): IssueSearch {
  const now: readonly string[] = chosenIn(search)[group]
  const next = (now.includes(word) ? now.filter((one) => one !== word) : [...now, word]).join(',')
  const { [group]: _dropped, ...rest } = search
  if (group === 'status') return next === toDo ? rest : { ...rest, status: next === '' ? everyStatus : next }
  return next === '' ? rest : { ...rest, [group]: next }
}

export const isNarrowed = ({ sort: _sort, group: _group, ...filters }: IssueSearch): boolean =>
  Object.keys(filters).length > 0
