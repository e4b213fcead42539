import type { TreeId } from '../../../model/id.ts'
import type { PatchFile } from '../../../model/proof/patch.ts'
import type { Git } from '../git/git.ts'
import { nameOfBytes } from '../git/names.ts'
import { parseCountedDiff, SYMLINK, type LineCounts, type RawChange } from '../git/raw-diff.ts'
import { diffOptions, readDiff, toDiffText } from './diff-text.ts'
import type { ObjectReader } from '../plumbing/object-reader.ts'

/** What differs between two trees. */
export interface TreeDiffs {
  /** The files, renames found. */
  files(base: TreeId, tree: TreeId): Promise<PatchFile[]>
  /** The unified diff, cut at a line end when it is longer than `maxBytes`. */
  text(from: TreeId, to: TreeId, maxBytes: number): Promise<string>
}

const MAX_TARGET_BYTES = 64 * 1024
const MAX_READ_BYTES = 32 * 1024 * 1024
/** Who asks for the files of a patch asks for its text next; a few are on their way at once. */
const REMEMBERED = 16
const REMEMBERED_BYTES = 1024 * 1024

/** Reads files and text of a diff with one process, and keeps the text until it is asked for. */
export function createTreeDiffs(git: Git, objects: ObjectReader): TreeDiffs {
  const texts = new Map<string, Buffer>()
  const remember = (key: string, text: Buffer): void => {
    if (text.length > REMEMBERED_BYTES) return
    texts.set(key, text)
    const [oldest] = texts.keys()
    if (texts.size > REMEMBERED && oldest !== undefined) texts.delete(oldest)
  }
  return {
    async files(base, tree) {
      if (base === tree) return []
      const counted = ['diff-tree', ...diffOptions, '--raw', '--numstat']
      const options = { maxBytes: MAX_READ_BYTES, overflow: 'cut' } as const
      const read = await git.run([...counted, '-p', base, tree], options)
      const { changes, text } = parseCountedDiff(
        read.isCut ? (await git.run([...counted, base, tree])).stdout : read.stdout,
      )
      if (!read.isCut) remember(`${base} ${tree}`, text)
      return Promise.all(changes.map(({ change, counts }) => toPatchFile(objects, change, counts)))
    },
    async text(from, to, maxBytes) {
      const known = texts.get(`${from} ${to}`)
      if (known === undefined) return readDiff(git, { from, to, maxBytes })
      texts.delete(`${from} ${to}`)
      return toDiffText(known, maxBytes)
    },
  }
}

async function toPatchFile(objects: ObjectReader, change: RawChange, counts: LineCounts): Promise<PatchFile> {
  return {
    path: nameOfBytes(change.path),
    status: statusOf(change),
    old_path: change.oldPath === null ? null : nameOfBytes(change.oldPath),
    mode: change.mode,
    old_mode: change.oldMode,
    link_target: change.mode === SYMLINK ? await readTarget(objects, change.oid) : null,
    binary: counts.isBinary,
    additions: counts.additions,
    deletions: counts.deletions,
  }
}

function statusOf({ status, oid, oldOid }: RawChange): PatchFile['status'] {
  if (status === 'A') return 'added'
  if (status === 'D') return 'deleted'
  if (status === 'R') return 'renamed'
  if (status === 'T') return 'type_changed'
  return oid === oldOid ? 'mode_changed' : 'modified'
}

const readTarget = async (objects: ObjectReader, oid: string): Promise<string> =>
  nameOfBytes((await objects.blob(oid)).subarray(0, MAX_TARGET_BYTES))
