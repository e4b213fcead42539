import { isUtf8 } from 'node:buffer'
import { readFile, readlink } from 'node:fs/promises'
import type { Change } from './recording.ts'
import { pathIn, takeSnapshot, type Entry, type Snapshot } from './snapshot.ts'

export type FoundChanges = { readonly changes: readonly Change[] } | { readonly refused: string }

const largestBytes = 64 * 1024 * 1024

/** What is in the folder now and was not in it, or was other, when the snapshot was taken. */
export async function findChanges(root: string, before: Snapshot): Promise<FoundChanges> {
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
