import { Fault } from '../../../model/fault.ts'
import type { CommitId, TreeId } from '../../../model/id.ts'
import type { Revision } from '../../../model/attempt/attempt.ts'
import { createGitReader } from '../../process/git-reader.ts'
import type { Git } from './git.ts'
import { readCommitOf, readTreeOf } from './name-reader.ts'

/** One name in a tree object; names have a character per byte. */
export interface TreeEntry {
  readonly mode: string
  readonly oid: string
}

/** Reads single objects, without a process for each. */
export interface ObjectReader {
  blob(oid: string): Promise<Buffer>
  /** The commit that a name means here; null when it means none. */
  commit(name: string): Promise<Revision | null>
  /** The tree of a commit that is here. */
  treeOf(commit: CommitId): Promise<TreeId>
  /** What a tree object holds, in git's order. */
  tree(oid: string): Promise<ReadonlyMap<string, TreeEntry>>
  /** What stands at a path below a tree, or null. */
  find(tree: string, path: string): Promise<TreeEntry | null>
}

export const FOLDER_MODE = '40000'

const MAX_BYTES = 512 * 1024 * 1024
/** So many names of trees are remembered, and the newest tree in any case; a session reads the same few over and over. */
const REMEMBERED_NAMES = 100_000

export function createObjectReader(git: Git): ObjectReader {
  const ask = createGitReader(git.call(['cat-file', '--batch']))
  const read = async (oid: string, type: string): Promise<Buffer> => {
    const object = await ask(oid, MAX_BYTES)
    if (object?.type === type) return object.bytes
    throw new Fault('git_failed', `there is no ${type} ${oid} in ${git.gitDir}`)
  }
  const remembered = new Map<string, ReadonlyMap<string, TreeEntry>>()
  let names = 0
  const remember = (oid: string, entries: ReadonlyMap<string, TreeEntry>): void => {
    remembered.set(oid, entries)
    names += entries.size
    for (const [oldest, { size }] of remembered) {
      if (names <= REMEMBERED_NAMES || oldest === oid) return
      remembered.delete(oldest)
      names -= size
    }
  }
  /** Those who ask at the same time share one answer. */
  const asked = new Map<string, Promise<ReadonlyMap<string, TreeEntry>>>()
  const readTree = async (oid: string): Promise<ReadonlyMap<string, TreeEntry>> => {
    const entries = parseTree(await read(oid, 'tree'), oid.length / 2)
    remember(oid, entries)
    return entries
  }
  const reader: ObjectReader = {
    blob: (oid) => read(oid, 'blob'),
    commit: (name) => readCommitOf(ask, name),
    treeOf: (commit) => readTreeOf(ask, commit),
    async tree(oid) {
      const known = remembered.get(oid) ?? asked.get(oid)
      if (known) return known
      const reading = readTree(oid).finally(() => asked.delete(oid))
      asked.set(oid, reading)
      return reading
    },
    async find(tree, path) {
      let found: TreeEntry = { mode: FOLDER_MODE, oid: tree }
      for (const name of path.split('/')) {
        if (found.mode !== FOLDER_MODE) return null
        const entry = (await reader.tree(found.oid)).get(name)
        if (!entry) return null
        found = entry
      }
      return found
    },
  }
  return reader
}

function parseTree(bytes: Buffer, oidBytes: number): ReadonlyMap<string, TreeEntry> {
  const entries = new Map<string, TreeEntry>()
  for (let at = 0; at < bytes.length;) {
    const space = bytes.indexOf(0x20, at)
    const end = bytes.indexOf(0, space)
    entries.set(bytes.toString('latin1', space + 1, end), {
      mode: bytes.toString('latin1', at, space),
      oid: bytes.toString('hex', end + 1, end + 1 + oidBytes),
    })
    at = end + 1 + oidBytes
  }
  return entries
}

/** A file that is not the same in two trees; null where it is not there. */
export interface Difference {
  readonly path: string
  readonly before: TreeEntry | null
  readonly after: TreeEntry | null
}

/** Compares two trees file by file; folders with the same name and content are not looked into. */
export const listDifferences = (objects: TreeObjects, before: string, after: string): Promise<Difference[]> =>
  differencesBelow(objects, '', { before, after })

type TreeObjects = Pick<ObjectReader, 'tree'>

async function differencesBelow(
  objects: TreeObjects,
  prefix: string,
  { before, after }: { readonly before: string | null; readonly after: string | null },
): Promise<Difference[]> {
  if (before === after) return []
  const [old, now] = await Promise.all([entriesOf(objects, before), entriesOf(objects, after)])
  const found: Difference[] = []
  for (const name of new Set([...old.keys(), ...now.keys()])) {
    const [a, b] = [old.get(name) ?? null, now.get(name) ?? null]
    if (a?.oid === b?.oid && a?.mode === b?.mode) continue
    const path = `${prefix}${name}`
    if (!isFolder(a) && !isFolder(b)) found.push({ path, before: a, after: b })
    else {
      const below = await differencesBelow(objects, `${path}/`, { before: folderOf(a), after: folderOf(b) })
      const [fileA, fileB] = [isFolder(a) ? null : a, isFolder(b) ? null : b]
      if (fileA || fileB) found.push({ path, before: fileA, after: fileB })
      found.push(...below)
    }
  }
  return found
}

const isFolder = (entry: TreeEntry | null): boolean => entry?.mode === FOLDER_MODE
const folderOf = (entry: TreeEntry | null): string | null => (entry?.mode === FOLDER_MODE ? entry.oid : null)

const entriesOf = async (objects: TreeObjects, oid: string | null) =>
  oid === null ? new Map<string, TreeEntry>() : objects.tree(oid)
