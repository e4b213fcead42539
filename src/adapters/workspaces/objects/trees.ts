import type { CommitRequest, Composer, Trees } from '../../../loop/ports.ts'
import type { Revision } from '../../../model/attempt/attempt.ts'
import { CommitId, TreeId } from '../../../model/id.ts'
import { bytesOfName } from '../git/names.ts'
import type { GitRepository } from '../repository/open-repository.ts'
import { composeTrees } from './compose.ts'
import { editTree } from '../plumbing/edit-tree.ts'
import { cleanIdent } from '../plumbing/ident.ts'
import { writeObject } from '../plumbing/loose-object.ts'
import { FOLDER_MODE, type TreeEntry } from '../plumbing/object-reader.ts'
import { blameLines } from './blame.ts'
import { isReached, mergeBase, readCommit } from './read-commit.ts'
import { createTreeReader } from './tree-reader.ts'

/** The port over the owned git directory, which sees the user's objects through its alternates. */
export const createTrees = (repository: GitRepository): Trees & Composer => ({
  resolve: (revision) => resolveRevision(repository, revision),
  ...createTreeReader(repository),
  diff: repository.diffs.text,
  changes: repository.diffs.files,
  readCommit: (commit) => readCommit(repository, commit),
  blame: (commit, places) => blameLines(repository, commit, places),
  mergeBase: (a, b) => mergeBase(repository, a, b),
  isReached: (commit, tip) => isReached(repository, commit, tip),
  restore: (tree, base, paths) => restorePaths(repository, tree, { base, paths }),
  compose: (onto, patch) => composeTrees(repository, onto, patch),
  commit: (request) => makeCommit(repository, request),
})

async function resolveRevision(
  { checkout, owned }: GitRepository,
  revision: string,
): Promise<Revision | null> {
  if (revision === '' || revision.startsWith('-') || /[\0\n]/.test(revision)) return null
  // Names are the user's; a full object name may also be a commit that has not left the owned directory.
  const git = /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(revision) ? owned : checkout
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`]
  const found = await git.run(args, { answers: [1, 128] })
  if (found.exitCode !== 0) return null
  const commit = CommitId.parse(found.stdout.toString('latin1').trim())
  const tree = TreeId.parse(await owned.text(['rev-parse', '--verify', `${commit}^{tree}`]))
  return { commit, tree }
}

async function restorePaths(
  repository: GitRepository,
  tree: TreeId,
  { base, paths }: { base: TreeId; paths: readonly string[] },
): Promise<TreeId> {
  const { objects } = repository
  const edits = new Map<string, TreeEntry | null>()
  for (const path of paths) {
    const name = bytesOfName(path).toString('latin1')
    const before = fileOrNull(await objects.find(base, name))
    const now = fileOrNull(await objects.find(tree, name))
    if (before?.oid !== now?.oid || before?.mode !== now?.mode) edits.set(name, before)
  }
  return edits.size === 0 ? tree : editTree(repository, tree, edits)
}

const fileOrNull = (entry: TreeEntry | null): TreeEntry | null => (entry?.mode === FOLDER_MODE ? null : entry)

async function makeCommit({ owned, oidBytes }: GitRepository, request: CommitRequest): Promise<CommitId> {
  const { tree, parent, message, author, date_ms } = request
  const who = `${cleanIdent(author.name)} <${cleanIdent(author.email)}> ${Math.floor(date_ms / 1000)} +0000`
  const lines = [`tree ${tree}`, `parent ${parent}`, `author ${who}`, `committer ${who}`, '', message]
  // git takes no commit with a NUL in it.
  const text = lines.join('\n').replaceAll('\0', '')
  const bytes = Buffer.from(text.endsWith('\n') ? text : `${text}\n`)
  return CommitId.parse(await writeObject(owned, oidBytes, { type: 'commit', bytes }))
}
