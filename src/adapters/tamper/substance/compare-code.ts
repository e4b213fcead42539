import type { CodeDifference, FileChange, LineRange } from '../../../loop/ports.ts'
import { isCode } from '../../../model/path-kind.ts'
import { codeLines } from './code-lines.ts'
import { parseWhole } from '../syntax/outline.ts'
import { blankRemarks, writeCode } from './written-code.ts'

/** How the two sides of a file differ when comments and blanks are left out. */
export function compareCode({ path, status, before, after }: FileChange): CodeDifference {
  if (!isCode(path) || before === null || after === null || status !== 'modified') return 'some'
  const [old, now] = [parseWhole(before, path), parseWhole(after, path)]
  if (old && now) return writeCode(old, before) === writeCode(now, after) ? 'none' : 'some'
  const [oldLines, lines] = [codeLines(before, path), codeLines(after, path)]
  return oldLines.join('\n') === lines.join('\n') ? 'apparently_none' : 'some'
}

/** Whether these lines, counted from 1, hold nothing but comments, docstrings and blanks. */
export function isRemark(path: string, source: string, { first, last }: LineRange): boolean {
  const root = parseWhole(source, path)
  const lines = root ? blankRemarks(root, source).split('\n') : codeLines(source, path, 'keep')
  const cited = lines.slice(first - 1, last)
  return cited.length > 0 && cited.every((line) => line.trim() === '')
}
