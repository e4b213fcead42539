import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import type { IssuePage, Ledger } from '../../../loop/ports.ts'
import type { Attempt } from '../../../model/attempt/attempt.ts'
import type { Finding } from '../../../model/issue/finding.ts'
import type { Issue } from '../../../model/issue/issue.ts'
import type { IssueMove } from '../../../model/issue/issue-move.ts'
import { formatCursor, type Cursor } from '../issues/cursor.ts'
import { fillIssue, issueColumns, type StoredIssue } from '../issues/stored-issue.ts'
import { migrationNames } from '../migrations/names.ts'

/** What is asked of one repository in the database file. */
export interface QuickStore {
  /** The first page of all issues, the most urgent first. */
  page(limit: number): IssuePage
  byCode(code: string): Issue | null
  codeOf(id: string): string | null
  ledger(issueId: string): Omit<Ledger, 'events'>
  close(): void
}

/**
 * Opens the file to read with nothing but Node: the store's queries and schemas take ten times as long to load as a page
 * takes to be read. Null where the tables are not of this version, or do not know the repository.
 */
export function openQuickStore(file: string, repository: string): QuickStore | null {
  const database = new DatabaseSync(file, { readOnly: true })
  const all = <Row>(sql: string, ...values: readonly SQLInputValue[]): readonly Row[] =>
    database.prepare(sql).all(...values) as unknown as readonly Row[]
  const applied = all<{ name: string }>('select name from kysely_migration order by name')
  const known = all('select 1 from repository where id = ? and removed_at is null', repository)
  if (applied.map(({ name }) => name).join() !== migrationNames.join() || known.length === 0) return null

  const issuesWhere = (condition: string, ...values: readonly SQLInputValue[]): readonly Issue[] =>
    all<StoredIssue>(`select ${issueColumns.join()} from issue where ${condition}`, ...values).map(fillIssue)
  const data = <Noun>(sql: string, issueId: string): readonly Noun[] =>
    all<{ data: string }>(sql, issueId).map((row) => JSON.parse(row.data) as Noun)
  return {
    page(limit) {
      const places = readPlaces(all, repository, limit + 1)
      const shown = places.slice(0, limit)
      const last = shown.at(-1)
      return {
        issues: inOrder(
          shown.map(({ id }) => id),
          issuesWhere(`id in (${shown.map(() => '?').join()})`, ...shown.map(({ id }) => id)),
        ),
        nextCursor: last && places.length > limit ? formatCursor(last) : null,
      }
    },
    byCode: (code) => issuesWhere('repository_id = ? and code = ?', repository, code)[0] ?? null,
    codeOf: (id) => issuesWhere('id = ?', id)[0]?.code ?? null,
    ledger: (issueId) => ({
      findings: [
        ...data<Finding>('select lead as data from issue where id = ? and lead is not null', issueId),
        ...data<Finding>('select data from finding where issue_id = ?', issueId),
      ].toSorted((a, b) => (a.id < b.id ? -1 : 1)),
      attempts: data<Attempt>('select data from attempt where issue_id = ? order by id', issueId),
      moves: data<IssueMove>('select data from issue_move where issue_id = ? order by number', issueId),
    }),
    close: () => database.close(),
  }
}

function inOrder(ids: readonly string[], issues: readonly Issue[]): readonly Issue[] {
  const found = new Map<string, Issue>(issues.map((issue) => [issue.id, issue]))
  return ids.flatMap((id) => found.get(id) ?? [])
}

type All = <Row>(sql: string, ...values: readonly SQLInputValue[]) => readonly Row[]

/** The heads of all ranges of the index that hold an issue, merged. */
function readPlaces(all: All, repository: string, limit: number): readonly Cursor[] {
  const ranges = all<{ status: string; severity: string }>(
    'select status, severity from issue_total where repository_id = ? and count > 0',
    repository,
  )
  const head =
    'select * from (select rank, id from issue where repository_id = ? and status = ? and severity = ? order by rank, id limit ?)'
  if (ranges.length === 0) return []
  return all<Cursor>(
    `${ranges.map(() => head).join(' union all ')} order by rank, id limit ?`,
    ...ranges.flatMap(({ status, severity }) => [repository, status, severity, limit]),
    limit,
  )
}
