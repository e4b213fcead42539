import { lstat, readdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'

/** What an installer writes lies near the top: packages, their folders and its own lists. */
const deepest = 3
const mostEntries = 4_000

/** Tells two states of shared paths apart by names, sizes and times, without reading what they hold. */
export async function sharedState(root: string, paths: readonly string[]): Promise<readonly string[]> {
  const seen: string[] = []
  for (const path of paths.toSorted()) {
    seen.push(path)
    const top = await realpath(join(root, path)).catch(() => null)
    if (top !== null) await look(top, seen)
  }
  return seen
}

async function look(top: string, seen: string[]): Promise<void> {
  let level: readonly string[] = ['']
  for (let depth = 0; depth <= deepest && level.length > 0; depth += 1) {
    const below: string[] = []
    for (const path of level) {
      if (seen.length >= mostEntries) return
      const entry = await lstat(join(top, path)).catch(() => null)
      if (!entry) continue
      seen.push(`${path} ${entry.isDirectory() ? '' : entry.size} ${entry.mtimeMs}`)
      if (entry.isDirectory() && depth < deepest)
        below.push(...(await readdir(join(top, path))).toSorted().map((name) => join(path, name)))
    }
    level = below
  }
}
