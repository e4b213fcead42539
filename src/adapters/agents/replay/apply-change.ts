import { lstat, mkdir, rmdir, symlink, unlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Change } from './recording.ts'
import { describeEntry, nullIfGone } from './snapshot.ts'

/** Deletions make room for what comes in their place, such as a folder where a file was. */
export const inOrder = (changes: readonly Change[]): readonly Change[] =>
  changes.toSorted((a, b) => Number(b.kind === 'deleted') - Number(a.kind === 'deleted'))

/** Makes one recorded change inside the folder, or says why not; no link is followed, nothing else is lost. */
export async function applyChange(
  root: string,
  change: Change,
): Promise<{ readonly refused: string } | null> {
  const { path } = change
  const parent = await openFolder(root, dirname(path), change.kind !== 'deleted')
  if (parent === 'not_a_folder') return { refused: `${dirname(path)} is not a folder in the workspace` }
  const place = join(root, path)
  const found = parent === 'absent' ? null : await describeEntry(Buffer.from(place))
  if ((found?.digest ?? null) !== change.before)
    return { refused: `${path} is not what it was when the run was recorded` }
  const bytes = change.kind === 'deleted' ? null : decode(change)
  if (bytes === 'broken') return { refused: `the recorded content of ${path} is broken` }
  if (found) await unlink(place)
  if (change.kind === 'deleted' || bytes === null) return removeEmptyFolders(root, dirname(path))
  if ((await lstat(place).catch(nullIfGone))?.isDirectory()) await rmdir(place)
  if (change.kind === 'link') await symlink(bytes, place)
  else await writeFile(place, bytes, { flag: 'wx', mode: change.executable ? 0o755 : 0o644 })
  return null
}

/** Node skips what is not base64, so only what encodes to the same text was whole. */
function decode({ content, encoding }: Exclude<Change, { kind: 'deleted' }>): Buffer | 'broken' {
  const bytes = Buffer.from(content, encoding)
  return bytes.toString(encoding) === content ? bytes : 'broken'
}

/** Looks at each folder on the way by itself, since the kernel would follow a link among them. */
async function openFolder(
  root: string,
  folder: string,
  make: boolean,
): Promise<'open' | 'absent' | 'not_a_folder'> {
  let path = root
  for (const name of folder === '.' ? [] : folder.split('/')) {
    path = join(path, name)
    const found = await lstat(path).catch(nullIfGone)
    if (!found && !make) return 'absent'
    if (!found) await mkdir(path)
    else if (!found.isDirectory()) return 'not_a_folder'
  }
  return 'open'
}

async function removeEmptyFolders(root: string, folder: string): Promise<null> {
  for (let path = folder; path !== '.'; path = dirname(path)) {
    try {
      await rmdir(join(root, path))
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'ENOTEMPTY' || code === 'EEXIST' || code === 'ENOENT') return null
      throw error
    }
  }
  return null
}
