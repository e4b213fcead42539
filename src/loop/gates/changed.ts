import type { Issue } from '../../model/issue/issue.ts'
import { isEmptyPatch, listPaths, touchedPaths, type Patch, type PatchFile } from '../../model/proof/patch.ts'
import { isDocument, pathKind } from '../../model/path-kind.ts'
import type { CodeDifference, FileChange } from '../ports.ts'
import type { GateDefinition, GateVerdict, JudgedIssue, JudgedPatch } from './gate-definition.ts'
import { splitLines } from '../triage/anchor.ts'
import { locateCode } from '../triage/revisit.ts'
import { askOrigins } from './origin.ts'

export const changedGate: GateDefinition = {
  name: 'changed',
  description:
    'did any file change at all, by more than comments and blanks, and by no more than a patch may hold?',
  asks: { whom: 'person', question: 'Every changed line looks like a comment or blank. Is this the fix?' },
  needs: 'patch',
  async judge(judged) {
    const { patch, changes, issue } = judged
    const paths = touchedPaths(patch)
    const undone = patch.undone ? `; undone: ${patch.undone.join(', ')}` : ''
    const noChange = (what: string): GateVerdict => ({
      status: 'failed',
      reason: `no changes applied: ${what}${undone}`,
      isFinal: true,
    })
    const floods = patch.refused.filter(({ is_flood }) => is_flood)
    if (floods[0])
      return {
        status: 'failed',
        reason: `${floods[0].reason}; left out: ${listPaths(floods.map(({ path }) => path))}${undone}`,
        paths: floods.map(({ path }) => path),
        isFinal: true,
      }
    if (isEmptyPatch(patch)) return noChange('the fix was reported, but no file changed')
    // Where no finding says what to fix, the blanks may have been the problem.
    if (issue && changesBlanksOnly(patch, changes) && !isAboutBlanks(issue))
      return { ...noChange(`only white space, line ends or modes differ in ${listPaths(paths)}`), paths }
    const difference = await differenceOf(judged)
    if (difference === 'none')
      return { ...noChange(`only comments and blanks differ in the code of ${listPaths(paths)}`), paths }
    if (difference === 'apparently_none')
      return {
        status: 'failed',
        reason: `every changed line looks like a comment or blank: ${listPaths(paths)}${undone}`,
        paths,
      }
    return { status: 'passed', reason: `${patch.files.length} changed: ${listPaths(paths)}${undone}` }
  },
}

/** How much of a patch is more than remarks; new tests and documents beside remarks do not make a fix. */
async function differenceOf(judged: JudgedPatch): Promise<CodeDifference> {
  const { patch, changes, issue, approved, ports } = judged
  if (!issue || patch.refused.length > 0) return 'some'
  const counted = changes.filter(
    ({ path, oldPath }) => path === issue.file || oldPath === issue.file || counts(path),
  )
  const differences = await ports.inspector.compareCode(counted)
  if (differences.length === 0 || differences.includes('some')) return 'some'
  if (counted.every(({ path }) => approved?.paths.includes(path))) return 'some'
  if (isAboutRemarks(issue) || (await citesRemark(judged, issue))) return 'some'
  if ((await askOrigins(judged, issue)).status === 'passed') return 'some'
  return differences.includes('apparently_none') ? 'apparently_none' : 'none'
}

const counts = (path: string): boolean => !isDocument(path) && !['test', 'snapshot'].includes(pathKind(path))

/** Whether the finding cites nothing but a comment, a docstring or blanks of a file that the patch changes. */
async function citesRemark({ changes, ports }: JudgedPatch, issue: JudgedIssue): Promise<boolean> {
  const { file, line = null, end_line = null, current_code: code = null } = issue
  const before = changes.find(({ path }) => path === file)?.before ?? null
  if (file === null || line === null || before === null) return false
  // Fixes that landed since may have moved the lines.
  const first = code === null ? line : locateCode(code, line, { lines: splitLines(before) })
  if (first === null) return false
  return ports.inspector.isRemark(file, before, { first, last: first + ((end_line ?? line) - line) })
}

const aboutRemarks =
  /^(?:docs?|documentation|comments?)$|[jt]sdoc|javadoc|docstring|licen[cs]e.header|commented.out|(?:missing|outdated|stale|misleading|todo|fixme|warning).{0,20}(?:comment|documentation)/i

/** Whether the finding is about remarks, so that it cites the code they belong to. */
export const isAboutRemarks = ({ category, rule, title }: JudgedIssue): boolean =>
  [category ?? '', rule ?? '', title].some((text) => aboutRemarks.test(text))

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

/** Whether the finding is about blanks. */
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

/** The text without the blanks that mean nothing in its language; in doubt a blank means something. */
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
