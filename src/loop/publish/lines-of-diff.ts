/** The lines of the changed side that a unified diff shows, by file: comments can stand on these only. */
export function linesOfDiff(diff: string): ReadonlyMap<string, ReadonlySet<number>> {
  const files = new Map<string, Set<number>>()
  let current: Set<number> | null = null
  let line = 0
  let left = 0
  for (const text of diff.split('\n')) {
    const hunk = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@/.exec(text)
    if (hunk) {
      line = Number(hunk[1])
      left = Number(hunk[2] ?? 1)
    } else if (left > 0 && current && (text.startsWith('+') || text.startsWith(' ') || text === '')) {
      current.add(line)
      line += 1
      left -= 1
    } else if (left === 0 && text.startsWith('+++ ')) {
      const path = pathOf(text.slice('+++ '.length))
      current = path === null ? null : new Set()
      if (path !== null && current) files.set(path, current)
    }
  }
  return files
}

/** git writes `b/path`, quoted where the name has unusual characters; a quoted one gets no comments. */
const pathOf = (text: string): string | null => /^b\/(.+?)\t?$/.exec(text)?.[1] ?? null
