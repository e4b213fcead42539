import type { Revision } from '../../../model/attempt/attempt.ts'
import { Fault } from '../../../model/fault.ts'
import { CommitId, TreeId } from '../../../model/id.ts'
import { createGitReader, type GitReader } from '../../process/git-reader.ts'
import type { Git } from './git.ts'

/** Says what names mean in a git directory, without a process for each. */
export interface NameReader {
  /** The commit that a name means, tags followed; null when it means none. */
  commit(name: string): Promise<Revision | null>
  /** The small object that a name means. */
  read(name: string): ReturnType<GitReader>
}

const MAX_BYTES = 16 * 1024 * 1024

export function createNameReader(git: Git): NameReader {
  const ask = createGitReader(git.call(['cat-file', '--batch']))
  return { commit: (name) => readCommitOf(ask, name), read: (name) => ask(name, MAX_BYTES) }
}

export async function readCommitOf(ask: GitReader, name: string): Promise<Revision | null> {
  const found = await ask(`${name}^{commit}`, MAX_BYTES)
  if (found === null) return null
  const [, tree] = /^tree ([0-9a-f]+)\n/.exec(found.bytes.toString('latin1', 0, 100)) ?? []
  return { commit: CommitId.parse(found.oid), tree: TreeId.parse(tree) }
}

export async function readTreeOf(ask: GitReader, commit: CommitId): Promise<TreeId> {
  const found = await readCommitOf(ask, commit)
  if (found === null) throw new Fault('git_failed', `there is no commit ${commit}`)
  return found.tree
}
