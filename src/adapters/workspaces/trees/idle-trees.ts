import { randomUUID } from 'node:crypto'
import { mkdir, rename, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { TreeId } from '../../../model/id.ts'
import { hasCode } from '../objects/files.ts'
import type { GitRepository } from '../objects/repository.ts'
import { keepTree } from './kept-trees.ts'
import type { UsedTree } from './renew-tree.ts'
import { idleFolder, discard } from './workspace-folder.ts'

/** A used tree that waits, under a name of its own, to become the next workspace. */
export interface IdleTree {
  readonly folder: string
  readonly used: Pick<UsedTree, 'state' | 'excluded'> & { readonly index: string }
}

/** The trees of closed workspaces, kept by one process for as long as it has use for them. */
interface IdleTrees {
  /** Takes over the folder of a workspace that is closed; false when it is not worth keeping. */
  park(folder: string, used: IdleTree['used'], atMost: number): Promise<boolean>
  /** Hands out the one that is nearest to the tree. */
  take(tree: TreeId): IdleTree | null
  clear(): Promise<void>
}

/** Longer than any agent of a session is likely to keep all of its workspaces open. */
const IDLE_MS = 5 * 60_000

export function createIdleTrees(repository: GitRepository): IdleTrees {
  const { home } = repository
  const idle: IdleTree[] = []
  let isTrusted: Promise<boolean> | null = null
  let timer: NodeJS.Timeout | undefined
  const trees: IdleTrees = {
    async park(folder, used, atMost) {
      if (idle.length >= atMost) return false
      isTrusted ??= makeFolder(home)
      const aside = join(idleFolder(home), `idle_${randomUUID()}`)
      const parked = { folder: aside, used }
      if (!(await isTrusted) || idle.length >= atMost || !(await move(folder, aside))) return false
      idle.push(parked)
      clearTimeout(timer)
      timer = setTimeout(() => void trees.clear(), IDLE_MS).unref()
      clearAtEnd(trees)
      return true
    },
    take(tree) {
      const at = idle.findLastIndex(({ used }) => used.state.tree === tree)
      return idle.splice(at, 1)[0] ?? null
    },
    async clear() {
      clearTimeout(timer)
      for (const { folder, used } of idle.splice(0)) {
        const isKept = await keepTree(repository, folder, used.index).catch(() => false)
        if (!isKept) await discard(home, folder)
      }
    },
  }
  return trees
}

async function move(folder: string, aside: string): Promise<boolean> {
  try {
    await rename(folder, aside)
    return true
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false
    throw error
  }
}

/** False when its file system cannot be trusted to tell what was touched. */
async function makeFolder(home: string): Promise<boolean> {
  await mkdir(idleFolder(home), { recursive: true })
  return isTrustedFileSystem(home)
}

/** ext, xfs, btrfs, tmpfs, overlayfs, f2fs, zfs: a change of an inode always changes its ctime there. */
const TRUSTED = [0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0xf2f52010, 0x2fc12fc1]

const isTrustedFileSystem = async (home: string): Promise<boolean> =>
  process.platform === 'linux' && TRUSTED.includes((await statfs(home)).type)

const toClear = new Set<IdleTrees>()

/** A process that ends by itself takes its idle trees along or leaves them to the next one; those of a killed one are leftovers. */
function clearAtEnd(trees: IdleTrees): void {
  if (toClear.size === 0) process.once('beforeExit', () => void clearAll())
  toClear.add(trees)
}

async function clearAll(): Promise<void> {
  for (const trees of toClear) await trees.clear()
  toClear.clear()
}
