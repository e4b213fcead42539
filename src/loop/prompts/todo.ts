import type { TreeId } from '../../model/id.ts'
import type { Issue } from '../../model/issue/issue.ts'
import type { Plan } from '../../model/session/plan.ts'
import { foldersAbove } from '../../model/repository-path.ts'
import type { Ports } from '../ports.ts'
import { numberedExcerpt } from './excerpt.ts'
import { readCode } from '../read-code.ts'

const mostRelated = 20

/** The plan as the file `master_todo.json`: steps in order, with what of each step may run at the same time. */
export const masterTodo = (plan: Plan): string => `${JSON.stringify(plan, null, 2)}\n`

/** Everything a fixer of one issue needs, as the file `fix_todo_<code>.json`. */
export async function fixTodo(issue: Issue, tree: TreeId, { trees }: Pick<Ports, 'trees'>): Promise<string> {
  const text = await readCode(trees, tree, issue)
  const todo = {
    issue: {
      code: issue.code,
      title: issue.title,
      description: issue.description,
      severity: issue.severity,
      category: issue.category,
      rule: issue.rule,
      file: issue.file,
      line: issue.line,
      end_line: issue.end_line,
      suggested_fix: issue.suggested_fix,
      references: issue.references,
    },
    clarifications: issue.clarifications,
    context: {
      snippet: text === null ? null : numberedExcerpt(text, issue),
      related_files: issue.file ? relatedFiles(issue.file, await trees.list(tree)) : [],
      patterns: issue.plan?.files ?? [],
    },
    plan: issue.plan,
  }
  return `${JSON.stringify(todo, null, 2)}\n`
}

/** Files that share the name before the first dot, as tests and styles do, then those of the same folder. */
function relatedFiles(file: string, all: ReadonlySet<string>): readonly string[] {
  const folder = foldersAbove(file)[0] ?? ''
  const stem = nameOf(file)
  const others = [...all].filter((path) => path !== file)
  const named = others.filter((path) => nameOf(path) === stem)
  const beside = others.filter((path) => path.startsWith(folder) && !path.slice(folder.length).includes('/'))
  return [...new Set([...named, ...beside])].slice(0, mostRelated)
}

const nameOf = (path: string): string => (path.split('/').at(-1) ?? '').split('.')[0] ?? ''
