import { createHash, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { deflateSync } from 'node:zlib'
import type { TreeId } from '../../../model/id.ts'
import type { Git } from '../git/git.ts'

// Fixed, so that the same trees make the same commit.
const WHO = 'Fixpoint <fixpoint@localhost> 0 +0000'

/**
 * Makes a commit that only tells `git merge-tree` which trees to merge. No ref ever leads to it, so it is written as
 * a plain object file, which saves three processes for every patch on its way to the branch.
 */
export async function writeScratchCommit(
  git: Git,
  tree: TreeId,
  parents: readonly string[] = [],
): Promise<string> {
  const lines = [`tree ${tree}`, ...parents.map((parent) => `parent ${parent}`)]
  const body = [...lines, `author ${WHO}`, `committer ${WHO}`, '', 'compose\n'].join('\n')
  const object = Buffer.from(`commit ${body.length}\0${body}`, 'latin1')
  const oid = createHash(tree.length === 40 ? 'sha1' : 'sha256')
    .update(object)
    .digest('hex')
  const path = join(git.gitDir, 'objects', oid.slice(0, 2), oid.slice(2))
  if (existsSync(path)) return oid
  await mkdir(dirname(path), { recursive: true })
  // A name that git itself gives to unfinished objects, and collects.
  const aside = join(dirname(path), `tmp_obj_${randomUUID()}`)
  await writeFile(aside, deflateSync(object), { mode: 0o444 })
  await rename(aside, path)
  return oid
}
