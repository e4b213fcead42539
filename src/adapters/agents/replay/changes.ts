import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import {
  lstat,
  readdir,
  readFile,
  readlink,
  mkdir,
  rmdir,
  symlink,
  unlink,
  writeFile,
} from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { isUtf8 } from 'node:buffer'
import { dirname, join } from 'node:path'
import { isDotGit, type Change } from './recording.ts'

/** A file or link as it is on disk. */
interface Entry {
  readonly kind: 'file' | 'link'
  readonly digest: string
  readonly executable: boolean
  readonly bytes: number
}

/** The files and links of a folder; each path holds one character per byte, since names need not be UTF-8. */
export type Snapshot = ReadonlyMap<string, Entry>

const skippedFolders = new Set(['node_modules', '.venv'])
const readWholeBytes = 2 ** 20

/** Reads every file below the folder but git's own and installed packages; links are not followed. */
export async function takeSnapshot(root: string): Promise<Snapshot> {
  const entries = new Map<string, Entry>()
  const pending = ['']
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    const children = await readdir(pathIn(root, folder), { withFileTypes: true, encoding: 'buffer' })
    for (const child of children) {
      const name = child.name.toString('latin1')
      const path = folder === '' ? name : `${folder}/${name}`
      if (isDotGit(child.name.toString('utf8')) || (child.isDirectory() && skippedFolders.has(name))) continue
      if (child.isDirectory()) pending.push(path)
      const entry = await describeEntry(pathIn(root, path))
      if (entry) entries.set(path, entry)
    }
  }
  return entries
}

const pathIn = (root: string, path: string): Buffer =>
  Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, 'latin1')])

/** What is at a path, or null when it is nothing that a patch can hold. */
async function describeEntry(path: Buffer): Promise<Entry | null> {
  const found = await lstat(path).catch(nullIfGone)
  if (found?.isSymbolicLink()) {
    const digest = createHash('sha256')
      .update(await readlink(path, 'buffer'))
      .digest('hex')
    return { kind: 'link', digest: `link ${digest}`, executable: false, bytes: 0 }
  }
  if (!found?.isFile()) return null
  const executable = (found.mode & 0o100) !== 0
  return { kind: 'file', digest: await digestOf(path, found.size), executable, bytes: found.size }
}

async function digestOf(path: Buffer, bytes: number): Promise<string> {
  const hash = createHash('sha256')
  if (bytes <= readWholeBytes) hash.update(await readFile(path))
  else await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}

export function nullIfGone(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null
  throw error
}

type FoundChanges = { readonly changes: readonly Change[] } | { readonly refused: string }

const largestBytes = 64 * 1024 * 1024

/** What was added, changed or deleted in the folder since the snapshot was taken. */
export async function changesSince(root: string, before: Snapshot): Promise<FoundChanges> {
  const after = await takeSnapshot(root)
  const put = [...after].filter(([path, entry]) => isOther(entry, before.get(path)))
  const deleted = [...before.keys()].filter((path) => !after.has(path))
  const bytes = put.reduce((sum, [, entry]) => sum + entry.bytes, 0)
  if (bytes > largestBytes)
    return { refused: `it changed ${Math.ceil(bytes / 2 ** 20)} MB, and no more than 64 MB are recorded` }
  const unreadable = [...put.map(([path]) => path), ...deleted].find(
    (path) => !isUtf8(Buffer.from(path, 'latin1')),
  )
  if (unreadable !== undefined)
    return { refused: `it changed a file whose name is not UTF-8: ${JSON.stringify(unreadable)}` }
  const changes: Change[] = deleted.map((path) => ({
    kind: 'deleted',
    path: textOf(path),
    before: digestIn(before, path),
  }))
  for (const [path, entry] of put)
    changes.push(await readChange(root, { path, entry, before: digestIn(before, path) }))
  return { changes: changes.toSorted((a, b) => (a.path < b.path ? -1 : 1)) }
}

const isOther = (now: Entry, then: Entry | undefined): boolean =>
  now.digest !== then?.digest || now.executable !== then.executable

const digestIn = (snapshot: Snapshot, path: string): string | null => snapshot.get(path)?.digest ?? null

const textOf = (path: string): string => Buffer.from(path, 'latin1').toString('utf8')

async function readChange(
  root: string,
  { path, entry, before }: { readonly path: string; readonly entry: Entry; readonly before: string | null },
): Promise<Change> {
  const place = pathIn(root, path)
  const bytes = entry.kind === 'link' ? await readlink(place, 'buffer') : await readFile(place)
  const encoding = isUtf8(bytes) ? 'utf8' : 'base64'
  const content = bytes.toString(encoding)
  const change = { path: textOf(path), before, encoding, content } as const
  return entry.kind === 'link'
    ? { kind: 'link', ...change }
    : { kind: 'file', executable: entry.executable, ...change }
}

/** Deletions make room for what comes in their place, such as a folder where a file was. */
export const inOrder = (changes: readonly Change[]): readonly Change[] =>
  changes.toSorted((a, b) => Number(b.kind === 'deleted') - Number(a.kind === 'deleted'))

/** Makes one recorded change inside the folder, or says why not; no link is followed, nothing else is lost. */
export async function applyChange(
  root: string,
  change: Change,
): Promise<{ readonly refused: string } | null> {
  const { path } = change
  const parent = await openFolder(root, dirname(path), change.kind === 'deleted' ? 'leave' : 'make')
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

/** Node skips characters that are not base64, so content is whole only when it encodes to the same text again. */
function decode({ content, encoding }: Exclude<Change, { kind: 'deleted' }>): Buffer | 'broken' {
  const bytes = Buffer.from(content, encoding)
  return bytes.toString(encoding) === content ? bytes : 'broken'
}

/** Looks at each folder on the way by itself, since the kernel would follow a link among them. */
async function openFolder(
  root: string,
  folder: string,
  absent: 'make' | 'leave',
): Promise<'open' | 'absent' | 'not_a_folder'> {
  let path = root
  for (const name of folder === '.' ? [] : folder.split('/')) {
    path = join(path, name)
    const found = await lstat(path).catch(nullIfGone)
    if (!found && absent === 'leave') return 'absent'
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
