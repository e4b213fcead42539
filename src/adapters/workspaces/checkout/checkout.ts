import { lstat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { Checkout, CheckoutChanges } from '../../../loop/ports.ts'
import { Fault } from '../../../model/fault.ts'
import { nameOfBytes, splitNul } from '../git/names.ts'
import { hasCode } from '../git/files.ts'
import { withTemporaryIndex } from '../objects/temporary-index.ts'
import type { GitRepository } from '../repository/open-repository.ts'
import { copyIndex } from '../working-tree/copy-index.ts'
import { snapshotCheckout } from './snapshot.ts'
import { readGitSettings } from './git-settings.ts'

const MAX_NAME_BYTES = 16 * 1024 * 1024
/** Looking costs a walk over the whole checkout: agents that end one after the other share a look. */
const PAUSE_MS = 3_000

type Marks = ReadonlyMap<string, string>

interface Seen {
  /** Files that differ from the index, and untracked ones; null when they cannot be listed. */
  readonly files: Marks | null
  readonly settings: Marks
}

/** The port over the user's own checkout: only looks, through a copy of its index, and starts nothing of it. */
export const createCheckout = (repository: GitRepository): Checkout => ({
  snapshot: (what) => snapshotCheckout(repository, what),
  async watch() {
    let last = await see(repository)
    let lookedAt = performance.now()
    return {
      async look({ isForced }) {
        if (!isForced && performance.now() - lookedAt < PAUSE_MS) return { files: [], settings: [] }
        const now = await see(repository)
        const changes = compare(last, now)
        last = now
        lookedAt = performance.now()
        return changes
      },
    }
  },
})

const see = async (repository: GitRepository): Promise<Seen> => ({
  files: await listDirtyFiles(repository),
  settings: await readGitSettings(repository),
})

const compare = (before: Seen, now: Seen): CheckoutChanges => ({
  // One that is clean now was committed or put back: that is no write of an agent.
  files: before.files && now.files ? freshIn(now.files, before.files) : [],
  settings: [
    ...freshIn(now.settings, before.settings),
    ...[...before.settings.keys()].filter((path) => !now.settings.has(path)),
  ],
})

const freshIn = (now: Marks, before: Marks): readonly string[] =>
  [...now]
    .filter(([path, mark]) => before.get(path) !== mark)
    .map(([path]) => path)
    .toSorted()

async function listDirtyFiles(repository: GitRepository): Promise<Marks | null> {
  const { owned, root, gitDir, home } = repository
  const own = relative(root, home)
  return withTemporaryIndex(repository, async (index) => {
    try {
      await copyIndex(join(gitDir, 'index'), index.GIT_INDEX_FILE)
      const options = { env: { ...index, GIT_WORK_TREE: root }, maxBytes: MAX_NAME_BYTES } as const
      const listed = await owned.run(['ls-files', '-m', '-o', '-z', '--exclude-standard'], options)
      const marks = new Map<string, string>()
      for (const path of splitNul(listed.stdout)) {
        const name = nameOfBytes(path)
        if (!name.startsWith(`${own}/`)) marks.set(name, await markOf(root, path))
      }
      return marks
    } catch (error) {
      // No index, one of a kind that cannot be copied, or more names than can be compared.
      if (error instanceof Fault || hasCode(error, 'ENOENT')) return null
      throw error
    }
  })
}

async function markOf(root: string, path: Buffer): Promise<string> {
  try {
    const stat = await lstat(Buffer.concat([Buffer.from(`${root}/`), path]), { bigint: true })
    return `${stat.mode} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs} ${stat.ino}`
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return 'gone'
    throw error
  }
}
