import { join } from 'node:path'
import { TreeId } from '../../../model/id.ts'
import { splitNul } from '../git/names.ts'
import { withTemporaryIndex } from '../objects/temporary-index.ts'
import type { GitRepository } from '../repository/open-repository.ts'
import { copyIndex } from '../working-tree/copy-index.ts'

const MAX_NAME_BYTES = 64 * 1024 * 1024
const SLASH = 0x2f

/** The tree of what is staged, or of the checkout as it is on disk; made from a copy of the index, which stays as it is. */
export async function snapshotCheckout(
  repository: GitRepository,
  what: 'staged' | 'uncommitted',
): Promise<TreeId> {
  const { owned, root, gitDir } = repository
  return withTemporaryIndex(repository, async (index) => {
    await copyIndex(join(gitDir, 'index'), index.GIT_INDEX_FILE)
    const env = { ...index, GIT_WORK_TREE: root }
    if (what === 'uncommitted') {
      const list = ['ls-files', '-m', '-d', '-o', '-z', '--exclude-standard']
      const { stdout } = await owned.run(list, { env, maxBytes: MAX_NAME_BYTES })
      // A nested repository is listed as a folder: it is not ours to read.
      const paths = [
        ...new Set(
          splitNul(stdout)
            .filter((path) => path.at(-1) !== SLASH)
            .map(toText),
        ),
      ]
      const input = Buffer.from(paths.map((path) => `${path}\0`).join(''), 'latin1')
      await owned.run(['update-index', '--add', '--remove', '-z', '--stdin'], { env, stdin: input })
    }
    return TreeId.parse(await owned.text(['write-tree'], { env }))
  })
}

const toText = (path: Buffer): string => path.toString('latin1')
