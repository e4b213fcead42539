import type { CodeExcerpt } from '../../model/api/issues.ts'
import type { Issue } from '../../model/issue/issue.ts'
import { resolveBase } from '../../app/resolve-base.ts'
import type { App } from '../../app/open-app.ts'

const linesAround = 12
const mostLines = 400
const mostBytes = 5_000_000

/** The lines around an issue, read from git and not from the checkout: no path can lead elsewhere. */
export async function readExcerpt(app: App, issue: Issue): Promise<CodeExcerpt> {
  const base = await resolveBase(app)
  const none = (missing: string): CodeExcerpt => ({
    schema: 'fixpoint.excerpt.v1',
    file: issue.file ?? '',
    commit: base.commit,
    first_line: 1,
    lines: [],
    flagged: null,
    missing,
  })
  if (issue.file === null) return none('the issue names no file')
  const { trees } = await app.ports()
  const bytes = (await trees.readMany(base.tree, [issue.file])).get(issue.file)
  if (!bytes) return none(`${issue.file} is not in this commit`)
  if (bytes.length > mostBytes || bytes.includes(0)) return none(`${issue.file} is too large or not text`)
  const all = new TextDecoder().decode(bytes).split(/\r?\n/)
  const line = issue.line !== null && issue.line <= all.length ? issue.line : null
  const endLine = Math.min(Math.max(issue.end_line ?? 0, line ?? 0), all.length)
  const first = Math.max(1, (line ?? 1) - linesAround)
  const last = Math.min(all.length, first + mostLines - 1, (line === null ? 1 : endLine) + linesAround)
  return {
    ...none(''),
    first_line: first,
    lines: all.slice(first - 1, last),
    flagged: line === null ? null : { line, end_line: endLine },
    missing: null,
  }
}
