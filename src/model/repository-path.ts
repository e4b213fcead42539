export type PlacedPath = { readonly path: string } | { readonly refused: string }

const drive = /^[a-zA-Z]:[\\/]/

/** Turns a path as a tool wrote it into one relative to the repository's root, or says why it cannot be one. */
export function placePath(written: string, root: string): PlacedPath {
  if (written.includes('\0')) return { refused: 'the path holds a NUL byte' }
  const slashed = written.replaceAll('\\', '/')
  const isAbsolute = slashed.startsWith('/') || drive.test(written)
  const inside = isAbsolute ? stripRoot(slashed, root.replaceAll('\\', '/')) : slashed
  if (inside === null) return { refused: 'the path lies outside the repository' }
  const parts: string[] = []
  for (const part of inside.split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') parts.push(part)
    else if (parts.pop() === undefined) return { refused: 'the path lies outside the repository' }
  }
  return parts.length > 0 ? { path: parts.join('/') } : { refused: 'the path names no file' }
}

function stripRoot(path: string, root: string): string | null {
  const folder = root.endsWith('/') ? root : `${root}/`
  return path.startsWith(folder) ? path.slice(folder.length) : null
}

/** Whether a path is a folder itself or lies in it: `packages/ab` is not in `packages/a`. */
export const isWithin = (path: string, folder: string): boolean =>
  folder === '' || folder === '.' || path === folder || path.startsWith(`${folder.replace(/\/+$/, '')}/`)

/** The folders around a file, nearest first: `a/b/c.ts` → `a/b/`, `a/`, and the root as ``. */
export function foldersAbove(path: string): readonly string[] {
  const parts = path.split('/').slice(0, -1)
  return [...parts.map((_, index) => `${parts.slice(0, parts.length - index).join('/')}/`), '']
}
