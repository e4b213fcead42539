import { lstat, realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'

/** Where a path of an agent leads to in the end, or null when that is not a place in the workspace that it may use. */
export async function resolveInside(workspace: string, path: string): Promise<string | null> {
  if (path.includes('\0')) return null
  const root = await realpath(workspace)
  const target = await followLinks(resolve(root, path))
  return target !== null && isInside(root, target) ? target : null
}

/** In the workspace, and not in what git keeps there. */
export function isInside(root: string, target: string): boolean {
  const inside = relative(root, target)
  if (inside === '' || isAbsolute(inside)) return false
  const parts = inside.split(sep)
  return parts[0] !== '..' && !parts.some((part) => part.toLowerCase() === '.git')
}

/** The real path, also of something that is yet to be made; null when a link leads nowhere or in circles. */
async function followLinks(path: string): Promise<string | null> {
  try {
    return await realpath(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return null
  }
  // It is there and yet it is not: a link to something that could be made outside.
  if (await lstat(path).catch(() => null)) return null
  const parent = dirname(path) === path ? null : await followLinks(dirname(path))
  return parent === null ? null : join(parent, basename(path))
}
