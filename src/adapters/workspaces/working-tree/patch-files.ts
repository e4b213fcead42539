import type { TreeId } from '../../../model/id.ts'
import type { PatchFile } from '../../../model/patch.ts'
import type { Git } from '../git/git.ts'
import { nameOfBytes } from '../git/names.ts'
import { parseCountedDiff, SYMLINK, type LineCounts, type RawChange } from '../git/raw-diff.ts'

const DIFF = ['diff-tree', '-r', '-z', '-M', '--no-ext-diff', '--no-textconv', '--raw', '--numstat']
const MAX_TARGET_BYTES = 64 * 1024

/** The files that differ between two trees, renames found. */
export async function listPatchFiles(git: Git, base: TreeId, tree: TreeId): Promise<PatchFile[]> {
  if (base === tree) return []
  const found = parseCountedDiff((await git.run([...DIFF, base, tree])).stdout)
  const files: PatchFile[] = []
  for (const { change, counts } of found) files.push(await toPatchFile(git, change, counts))
  return files
}

async function toPatchFile(git: Git, change: RawChange, counts: LineCounts): Promise<PatchFile> {
  return {
    path: nameOfBytes(change.path),
    status: statusOf(change),
    old_path: change.oldPath === null ? null : nameOfBytes(change.oldPath),
    mode: change.mode,
    old_mode: change.oldMode,
    link_target: change.mode === SYMLINK ? await readTarget(git, change.oid) : null,
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

async function readTarget(git: Git, oid: string): Promise<string> {
  const { stdout } = await git.run(['cat-file', 'blob', oid], { maxBytes: MAX_TARGET_BYTES, overflow: 'cut' })
  return nameOfBytes(stdout)
}
