import { sql, type RawBuilder } from 'kysely'
import type { IssueSelection } from '../../../loop/ports.ts'
import { searchable } from './issue-rows.ts'

type Condition = RawBuilder<boolean>

/** What narrows a list beside its repository, status and severity. */
export function conditionsOf(
  filter: Omit<IssueSelection, 'repositoryId' | 'status' | 'severity'>,
): Condition[] {
  const { class: classes, rule, tool, source, path, since, taskId, text } = filter
  return [
    ...(taskId === undefined ? [] : [sql<boolean>`task_id = ${taskId}`]),
    ...(classes === undefined ? [] : [isOfClass(classes)]),
    ...(rule === undefined ? [] : [isAmong('rule', rule)]),
    ...(source === undefined ? [] : [isAmong('source', source)]),
    ...(tool === undefined
      ? []
      : [anyOf(tool.map((name) => sql<boolean>`instr(tools, ${`\n${name}\n`}) > 0`))]),
    ...(path === undefined ? [] : [isAt(path)]),
    ...(since === undefined ? [] : [sql<boolean>`created_at >= ${since}`]),
    ...(text ? [sql<boolean>`instr(search, ${searchable(text)}) > 0`] : []),
  ]
}

/** The conditions together; true where there is none. */
export const allOf = (conditions: readonly Condition[]): Condition =>
  conditions.length === 0 ? sql<boolean>`1 = 1` : sql<boolean>`(${sql.join(conditions, sql` and `)})`

const anyOf = (conditions: readonly Condition[]): Condition =>
  conditions.length === 0 ? sql<boolean>`1 = 0` : sql<boolean>`(${sql.join(conditions, sql` or `)})`

/** A code begins with its class. */
const isOfClass = (classes: NonNullable<IssueSelection['class']>): Condition =>
  anyOf(classes.map((name) => sql<boolean>`code like ${`${name}-%`}`))

/** Nothing is named by the empty word. */
const isAmong = (column: 'rule' | 'source', values: readonly string[]): Condition =>
  anyOf(
    values.map((value) =>
      value === '' ? sql<boolean>`${sql.ref(column)} is null` : sql<boolean>`${sql.ref(column)} = ${value}`,
    ),
  )

/** A star stands for any text; without one the path names a file, or a folder with all that is in it. */
function isAt(path: string): Condition {
  const plain = path.replace(/^\.\//, '').replace(/\/+$/, '')
  if (plain === '' || plain === '.') return sql<boolean>`1 = 1`
  if (!/[*?]/.test(plain))
    return sql<boolean>`(file = ${plain} or file like ${`${escaped(plain)}/%`} escape '!')`
  const pattern = escaped(plain)
    .replaceAll(/\*\*\/|\*+/g, '%')
    .replaceAll('?', '_')
  return sql<boolean>`file like ${pattern} escape '!'`
}

const escaped = (text: string): string => text.replaceAll(/[!%_]/g, (sign) => `!${sign}`)
