import type { Issue } from '../../model/issue/issue.ts'
import { isEmptyPatch, listPaths, touchedPaths, type Patch, type PatchFile } from '../../model/proof/patch.ts'
import type { FileChange } from '../ports.ts'
import type { GateDefinition } from './gate-definition.ts'

export const changedGate: GateDefinition = {
  name: 'changed',
  description: 'did any file change at all, by more than blanks?',
  asks: null,
  needs: 'patch',
  judge({ patch, changes, issue }) {
    const paths = touchedPaths(patch)
    const undone = patch.undone ? `; undone: ${patch.undone.join(', ')}` : ''
    if (isEmptyPatch(patch)) {
      const reason = `no changes applied: the fix was reported, but no file changed${undone}`
      return { status: 'failed', reason }
    }
    // Where nothing says what was to be fixed, it may have been the blanks.
    if (issue && changesBlanksOnly(patch, changes) && !isAboutBlanks(issue)) {
      const reason = `no changes applied: only white space, line ends or modes differ in ${listPaths(paths)}${undone}`
      return { status: 'failed', reason, paths }
    }
    return { status: 'passed', reason: `${patch.files.length} changed: ${listPaths(paths)}${undone}` }
  },
}

/** Whether a patch changes nothing but white space, line ends and modes, where those mean nothing. */
export const changesBlanksOnly = ({ files, refused }: Patch, changes: readonly FileChange[]): boolean =>
  files.length > 0 &&
  refused.length === 0 &&
  files.every((file, index) => {
    const change = changes[index]
    return change !== undefined && isBlankChange(file, change)
  })

const aboutBlanks =
  /style|format|prettier|white.?space|indent|blank|spac(?:e|ing)|\btabs?\b|trailing|line.?(?:end|break|length)|linebreak|newline|\beol\b|crlf|semicolon|\basi\b|executable|permission|chmod|file mode/i

/** Whether blanks are what the finding is about. */
export const isAboutBlanks = ({
  category,
  rule,
  title,
}: Pick<Issue, 'rule' | 'title'> & Partial<Pick<Issue, 'category'>>): boolean =>
  [category ?? '', rule ?? '', title].some((text) => aboutBlanks.test(text))

function isBlankChange({ mode, old_mode }: PatchFile, change: FileChange): boolean {
  const { path, status, before, after } = change
  if (before === null || after === null || change.isBinary) return false
  if (mode !== old_mode && isProgram(after)) return false
  if (status === 'mode_changed') return true
  return status === 'modified' && essence(before, path) === essence(after, path)
}

/** Whether somebody could run the file, so that its mode matters. */
const isProgram = (text: string): boolean => text.startsWith('#!')

/** Languages where blanks only part words, and line ends only statements. */
const freeForm = /\.(?:[cm]?[jt]s|json5?|jsonc|java|kts?|cs?|h|cc|cpp|cxx|hpp|go|rs|php|swift|dart)$/i
/** A carriage return is a part of the command there, or a line end is a part of the data. */
const exactLines = /\.(?:(?:ba|z|k)?sh|bat|cmd|ps1|patch|diff|csv|tsv|http|eml)$/i

/** What is left of a text without the blanks that mean nothing in its language; when in doubt they mean something. */
function essence(text: string, path: string): string {
  if (exactLines.test(path) || text.startsWith('#!')) return text
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n/)
  if (freeForm.test(path) && !lines.some(leavesTextOpen)) return lines.map(squeeze).filter(Boolean).join('\n')
  return lines.join('\n')
}

/** A text over several lines keeps the blanks of each. */
const leavesTextOpen = (line: string): boolean =>
  /\\$|<<</.test(line) || ['`', '"'].some((quote) => line.split(quote).length % 2 === 0)

const operator = String.raw`[-+*%=<>!&|^~?.:@]`
const word = String.raw`[\p{L}\p{N}_$]`
/** A blank that parts neither two words nor two signs that mean something else together. */
const needless = new RegExp(`(?<!${word}) (?!${operator})|(?<!${operator}) (?!${word})`, 'gu')

/** Inside of quotes and patterns blanks are text, and a macro's name ends with one. */
const squeeze = (line: string): string =>
  /["'`/\\#]/.test(line) ? line.trim() : line.trim().replaceAll(/\s+/g, ' ').replaceAll(needless, '')
