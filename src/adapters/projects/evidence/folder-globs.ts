import { inFolder, pathFrom, type CheckoutFiles } from './checkout.ts'
import type { Guess } from './detection.ts'

export interface MatchedFolder {
  readonly value: string
  readonly glob: string
}

/** Folders below one that hold a manifest and are named by globs of a monorepo; a glob with `!` takes folders out. */
export function foldersMatching(
  checkout: CheckoutFiles,
  folder: string,
  { manifest, globs }: { readonly manifest: string; readonly globs: readonly string[] },
): readonly MatchedFolder[] {
  const included = globs.filter((glob) => !glob.startsWith('!'))
  const excluded = globs.filter((glob) => glob.startsWith('!')).map((glob) => glob.slice(1))
  return checkout.files.flatMap((file) => {
    const path = pathFrom(folder, file)
    if (!path?.endsWith(`/${manifest}`)) return []
    const own = path.slice(0, -manifest.length - 1)
    const glob = included.find((one) => matchesFolder(one, own))
    if (glob === undefined || excluded.some((one) => matchesFolder(one, own))) return []
    return [{ value: inFolder(folder, own), glob }]
  })
}

/** The members of a workspace whose manifest lists them in quotes between brackets, as TOML does. */
export function listedMembers(
  checkout: CheckoutFiles,
  folder: string,
  { manifest, list }: { readonly manifest: string; readonly list: string },
): readonly Guess<string>[] {
  const globs = [...list.matchAll(/["']([^"']+)["']/g)].map(([, glob = '']) => glob)
  const why = `members of ${inFolder(folder, manifest)}`
  return foldersMatching(checkout, folder, { manifest, globs }).map(({ value }) => ({ value, why }))
}

/** `packages/*` is one level, `packages/**` any; the rest of the glob language is not used for folders. */
function matchesFolder(glob: string, folder: string): boolean {
  const parts = glob.replace(/^\.\//, '').replace(/\/$/, '').split('/')
  const names = folder.split('/')
  const isDeep = parts.at(-1) === '**'
  const heads = isDeep ? parts.slice(0, -1) : parts
  if (isDeep ? names.length < heads.length : names.length !== heads.length) return false
  return heads.every((part, index) => matchesName(part, names[index] ?? ''))
}

function matchesName(part: string, name: string): boolean {
  const [start = '', end, ...more] = part.split('*')
  if (end === undefined || more.length > 0) return part === name || part === '**'
  return name.length >= start.length + end.length && name.startsWith(start) && name.endsWith(end)
}
