import type { CommitRequest, Composer, Trees } from '../../../loop/ports.ts'
import type { Revision } from '../../../model/attempt.ts'
import { CommitId, TreeId } from '../../../model/id.ts'
import { bytesOfName } from '../git/names.ts'
import { parseRawDiff } from '../git/raw-diff.ts'
import type { GitRepository } from '../repository/open-repository.ts'
import { composeTrees } from './compose.ts'
import { listPatchFiles } from '../working-tree/patch-files.ts'
import { readDiff } from './diff-text.ts'
import { isReached, readCommit } from './read-commit.ts'
import { createTreeReader } from './tree-reader.ts'
import { withTemporaryIndex } from './temporary-index.ts'

/** The port over the owned git directory, which sees the user's objects through its alternates. */
export const createTrees = (repository: GitRepository): Trees & Composer => ({
  resolve: (revision) => resolveRevision(repository, revision),
  ...createTreeReader(repository.owned),
  diff: (from, to, maxBytes) => readDiff(repository.owned, { from, to, maxBytes }),
  changes: (from, to) => listPatchFiles(repository.owned, from, to),
  readCommit: (commit) => readCommit(repository, commit),
  isReached: (commit, tip) => isReached(repository, commit, tip),
  restore: (tree, base, paths) => restorePaths(repository, tree, { base, paths }),
  compose: (onto, patch) => composeTrees(repository.owned, onto, patch),
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
  const wanted = new Set(paths.map((path) => bytesOfName(path).toString('latin1')))
  const { stdout } = await repository.owned.run([
    'diff-tree',
    '-r',
    '-z',
    '--raw',
    '--no-renames',
    tree,
    base,
  ])
  const changes = parseRawDiff(stdout).filter((change) => wanted.has(change.path.toString('latin1')))
  if (changes.length === 0) return tree
  // Removals first: what is put back may need the place of a folder or a file that has to go.
  const ordered = changes.toSorted((a, b) => Number(b.status === 'D') - Number(a.status === 'D'))
  const lines = ordered.flatMap(({ mode, oid, status, path }) => [
    Buffer.from(status === 'D' ? `0 ${oid}\t` : `${mode} ${oid}\t`),
    path,
    Buffer.from([0]),
  ])
  return withTemporaryIndex(repository, async (env) => {
    await repository.owned.run(['read-tree', tree], { env })
    await repository.owned.run(['update-index', '-z', '--add', '--replace', '--index-info'], {
      env,
      stdin: Buffer.concat(lines),
    })
    return TreeId.parse(await repository.owned.text(['write-tree'], { env }))
  })
}

async function makeCommit({ owned }: GitRepository, request: CommitRequest): Promise<CommitId> {
  const { tree, parent, message, author, date_ms } = request
  const date = `@${Math.floor(date_ms / 1000)} +0000`
  const env = {
    GIT_AUTHOR_NAME: author.name,
    GIT_AUTHOR_EMAIL: author.email,
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: author.name,
    GIT_COMMITTER_EMAIL: author.email,
    GIT_COMMITTER_DATE: date,
  }
  const stdin = message.endsWith('\n') ? message : `${message}\n`
  return CommitId.parse(await owned.text(['commit-tree', tree, '-p', parent, '-F', '-'], { env, stdin }))
}
