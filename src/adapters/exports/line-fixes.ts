import { parsePatch, type StructuredPatch } from 'diff'

/** Lines of one file to replace: from `startLine` up to, but not with, `endLine`. */
export interface LineFix {
  readonly file: string
  readonly replacements: readonly LineReplacement[]
}

export interface LineReplacement {
  readonly startLine: number
  readonly endLine: number
  readonly text: string
}

/** The replacements that a diff stands for; null when the files are no longer as the diff found them. */
export function lineFixesOf(
  diff: string,
  readLines: (file: string) => readonly string[] | null,
): readonly LineFix[] | null {
  const fixes = parsePatch(diff).map((patch) => lineFixOf(patch, readLines))
  return fixes.length > 0 && fixes.every((fix) => fix !== null) ? fixes : null
}

function lineFixOf(
  patch: StructuredPatch,
  readLines: (file: string) => readonly string[] | null,
): LineFix | null {
  const file = patch.oldFileName?.replace(/^a\//, '')
  const isOnlyEdited = file !== undefined && patch.newFileName?.replace(/^b\//, '') === file
  const lines = isOnlyEdited ? readLines(file) : null
  if (!isOnlyEdited || lines === null || patch.hunks.length === 0) return null
  const replacements: LineReplacement[] = []
  for (const hunk of patch.hunks) {
    // Whole lines cannot say that the last one has no line end.
    if (hunk.lines.some((line) => line.startsWith('\\'))) return null
    const old = hunk.lines.filter((line) => !line.startsWith('+')).map((line) => line.slice(1))
    if (old.some((text, index) => lines[hunk.oldStart - 1 + index] !== text)) return null
    replacements.push(...runsOf(hunk.lines, hunk.oldStart))
  }
  return { file, replacements }
}

/** Neighbouring removed and added lines are one replacement. */
function runsOf(lines: readonly string[], start: number): readonly LineReplacement[] {
  const runs: { startLine: number; endLine: number; text: string }[] = []
  let at = start
  let isOpen = false
  for (const line of lines) {
    const mark = line.charAt(0)
    if (mark !== '+' && mark !== '-') isOpen = false
    else {
      if (!isOpen) runs.push({ startLine: at, endLine: at, text: '' })
      isOpen = true
      const run = runs.at(-1)
      if (run && mark === '+') run.text += `${line.slice(1)}\n`
      if (run && mark === '-') run.endLine += 1
    }
    if (mark !== '+') at += 1
  }
  return runs
}

interface TextEdit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Edits of parts of lines as one replacement of the whole lines that they touch. */
export function lineFixOfEdits(file: string, text: string, edits: readonly TextEdit[]): LineFix {
  const from = text.lastIndexOf('\n', Math.min(...edits.map(({ start }) => start)) - 1) + 1
  const last = text.indexOf('\n', Math.max(...edits.map(({ start, end }) => Math.max(start, end - 1))))
  const to = last === -1 ? text.length : last + 1
  const startLine = text.slice(0, from).split('\n').length
  const endLine = startLine + text.slice(from, to).split('\n').length - (last === -1 ? 0 : 1)
  const changed = edits
    .toSorted((a, b) => b.start - a.start)
    .reduce(
      (done, { start, end, text: by }) => done.slice(0, start - from) + by + done.slice(end - from),
      text.slice(from, to),
    )
  return { file, replacements: [{ startLine, endLine, text: changed }] }
}
