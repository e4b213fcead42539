import type { PatchFile } from '../../../model/proof/patch.ts'
import type { TreeId } from '../../../model/id.ts'
import { NewestMap } from '../../../model/newest-map.ts'
import type { Git } from './git.ts'
import { nameOfBytes } from './names.ts'
import type { ObjectReader } from './object-reader.ts'
import { parseCountedDiff, SYMLINK, type LineCounts, type RawChange } from './raw-diff.ts'

/** What differs between two trees. */
export interface TreeDiffs {
  /** The files, renames found. */
  files(base: TreeId, tree: TreeId): Promise<PatchFile[]>
  /** The unified diff, cut at a line end when it is longer than `maxBytes`. */
  text(from: TreeId, to: TreeId, maxBytes: number): Promise<string>
}

const MAX_TARGET_BYTES = 64 * 1024
const MAX_READ_BYTES = 32 * 1024 * 1024
/** A caller that asks for the files of a patch asks for its text next; a few patches are in work at once. */
const REMEMBERED = 16
const REMEMBERED_BYTES = 1024 * 1024

/** Reads files and text of a diff with one process, and keeps the text until it is asked for. */
export function createTreeDiffs(git: Git, objects: ObjectReader): TreeDiffs {
  const texts = new NewestMap<string, Buffer>(REMEMBERED)
  return {
    async files(base, tree) {
      if (base === tree) return []
      const counted = ['diff-tree', ...diffOptions, '--raw', '--numstat']
      const options = { maxBytes: MAX_READ_BYTES, overflow: 'cut' } as const
      const read = await git.run([...counted, '-p', base, tree], options)
      const { changes, text } = parseCountedDiff(
        read.isCut ? (await git.run([...counted, base, tree])).stdout : read.stdout,
      )
      if (!read.isCut && text.length <= REMEMBERED_BYTES) texts.set(`${base} ${tree}`, text)
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

const diffOptions: readonly string[] = [
  '-r',
  '-M',
  '--no-color',
  '--no-ext-diff',
  '--no-textconv',
  '--src-prefix=a/',
  '--dst-prefix=b/',
]

/** The unified diff of two trees, cut at a line end when it is longer than `maxBytes`. */
async function readDiff(
  git: Git,
  { from, to, maxBytes }: { from: TreeId; to: TreeId; maxBytes: number },
): Promise<string> {
  const args = ['diff-tree', ...diffOptions, '-p', from, to]
  const { stdout, isCut } = await git.run(args, { maxBytes, overflow: 'cut' })
  return isCut ? cutAtLine(decode(stdout, maxBytes), maxBytes) : toDiffText(stdout, maxBytes)
}

/** The bytes of a whole diff as text. */
function toDiffText(bytes: Buffer, maxBytes: number): string {
  const text = decode(bytes, maxBytes)
  const isWhole = bytes.length <= maxBytes && text.length === bytes.toString('utf8').length
  return isWhole ? text : cutAtLine(text, maxBytes)
}

// Bytes that are not UTF-8 become U+FFFD, which is longer than they were.
function decode(bytes: Buffer, maxBytes: number): string {
  const text = bytes.toString('utf8')
  return Buffer.byteLength(text) <= maxBytes ? text : Buffer.from(text).subarray(0, maxBytes).toString('utf8')
}

function cutAtLine(text: string, maxBytes: number): string {
  const marker = `[the diff is longer than ${maxBytes} bytes and was cut here]\n`
  const room = Math.max(0, maxBytes - Buffer.byteLength(marker))
  const kept = Buffer.from(text).subarray(0, room)
  const end = kept.lastIndexOf(0x0a) + 1
  return `${kept.subarray(0, end).toString('utf8')}${marker}`.slice(0, maxBytes)
}
