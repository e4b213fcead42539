import type {
  ChangeRequest,
  CommitText,
  Composer,
  Composition,
  LinePlace,
  NewCommit,
  Trees,
} from '../../../loop/ports.ts'
import type { Revision } from '../../../model/attempt/attempt.ts'
import type { Patch } from '../../../model/proof/patch.ts'
import { CommitId, TreeId } from '../../../model/id.ts'
import type { GitRepository } from './repository.ts'
import { bytesOfName, nameOfBytes, splitNul } from './names.ts'
import { FOLDER_MODE, listDifferences, type TreeEntry } from './object-reader.ts'
import { createTreeReader } from './tree-reader.ts'
import { editTree, cleanIdent, writeObject, type TreeEdits } from './write-objects.ts'

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
  holdsChange: (request) => holdsChange(repository, request),
  builtOn: (commit) => listBuiltOn(repository, commit),
  restore: (tree, base, paths) => restorePaths(repository, tree, { base, paths }),
  add: (tree, files) => addTexts(repository, tree, files),
  compose: (onto, patch) => composeTrees(repository, onto, patch),
  commit: (request) => makeCommit(repository, request),
})

async function resolveRevision(
  { checkout, names, objects }: GitRepository,
  revision: string,
): Promise<Revision | null> {
  if (revision === '' || revision.startsWith('-') || /[\0\n]/.test(revision)) return null
  // Names are the user's; a full object name may also be a commit that has not left the owned directory.
  if (/^([0-9a-f]{40}|[0-9a-f]{64})$/.test(revision)) return objects.commit(revision)
  if (/^[\w./~^-]+$/.test(revision)) return names.commit(revision)
  // A reader ends at a name such as @{upstream} where there is none.
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`]
  const found = await checkout.run(args, { answers: [1, 128] })
  return found.exitCode === 0 ? objects.commit(found.stdout.toString('latin1').trim()) : null
}

/** At most this much is read of a commit, a note or a blame. */
const MAX_BYTES = 1024 * 1024

/** A commit as it is stored, with the note that the user's repository has on it. */
async function readCommit({ owned, users }: GitRepository, commit: CommitId): Promise<CommitText> {
  const { stdout } = await owned.run(['cat-file', 'commit', commit], { maxBytes: MAX_BYTES, overflow: 'cut' })
  const text = stdout.toString('utf8')
  const end = text.indexOf('\n\n')
  const headers = end < 0 ? text : text.slice(0, end)
  const note = await users.run(['notes', '--ref=refs/notes/fixpoint', 'show', commit], {
    answers: [1],
    maxBytes: MAX_BYTES,
    overflow: 'cut',
  })
  return {
    parents: [...headers.matchAll(/^parent ([0-9a-f]+)$/gm)].map(([, id]) => CommitId.parse(id)),
    message: end < 0 ? '' : text.slice(end + 2),
    note: note.exitCode === 0 ? note.stdout.toString('utf8') : null,
  }
}

/** A commit that is not here, such as behind the end of a shallow clone, is not reached. */
async function holdsChange(repository: GitRepository, request: ChangeRequest): Promise<boolean> {
  const { commit, tip, since, lines } = request
  if (commit === tip) return true
  // The branch stands where the fix began.
  if (tip === since) return false
  if (await isReached(repository, commit, tip)) return true
  const { owned } = repository
  // Rebased: "- COMMIT" says that the same patch is upstream.
  const alike = await owned.run(['cherry', tip, commit, `${commit}^`], { answers: [128, 129] })
  if (alike.exitCode === 0 && alike.stdout.toString('latin1').startsWith('- ')) return true
  if (lines.length === 0) return false
  // Squashed: the message of the one commit has kept those of the others.
  const words = lines.flatMap((line) => ['--grep', line])
  const args = ['log', '-1', '--format=%H', '--fixed-strings', '--all-match', ...words, `${since}..${tip}`]
  const found = await owned.run([...args, '--'], { answers: [128] })
  return found.exitCode === 0 && found.stdout.length > 0
}

async function isReached({ owned }: GitRepository, commit: CommitId, tip: CommitId): Promise<boolean> {
  const answer = await owned.run(['merge-base', '--is-ancestor', commit, tip], { answers: [1, 128] })
  return answer.exitCode === 0
}

/** Only this many commits on top of another are looked at; those of its train are among the first. */
const mostBuiltOn = 10_000

async function listBuiltOn(
  { users, checkout, owned }: GitRepository,
  commit: CommitId,
): Promise<readonly Revision[]> {
  const refs = await users.text(['for-each-ref', '--format=%(objectname)', '--contains', commit])
  const head = await checkout.run(['rev-parse', '--verify', '--quiet', 'HEAD'], { answers: [1, 128] })
  const tips = [...new Set([...refs.split('\n'), head.stdout.toString('latin1').trim()].filter(Boolean))]
  if (tips.length === 0) return []
  const args = [
    'log',
    '--format=%H %T',
    '--topo-order',
    '--reverse',
    '--ancestry-path',
    `^${commit}`,
    ...tips,
  ]
  const found = await owned.text([...args, '--'])
  return found
    .split('\n')
    .filter(Boolean)
    .slice(0, mostBuiltOn)
    .map((line) => {
      const [id, tree] = line.split(' ')
      return { commit: CommitId.parse(id), tree: TreeId.parse(tree) }
    })
}

async function mergeBase({ owned }: GitRepository, a: CommitId, b: CommitId): Promise<CommitId | null> {
  const answer = await owned.run(['merge-base', a, b], { answers: [1] })
  return answer.exitCode === 0 ? CommitId.parse(answer.stdout.toString('latin1').trim()) : null
}

/** Who wrote each line, asked once per line: the owned directory has no attributes or drivers that could run. */
function blameLines(
  { owned }: GitRepository,
  commit: CommitId,
  places: readonly LinePlace[],
): Promise<readonly (CommitId | null)[]> {
  return Promise.all(
    places.map(async ({ file, line }) => {
      const args = ['blame', '--porcelain', '-L', `${line},${line}`, commit, '--', file]
      const answer = await owned.run(args, { answers: [1, 128], maxBytes: MAX_BYTES, overflow: 'cut' })
      const id = /^\^?([0-9a-f]{40,64}) /.exec(answer.stdout.toString('latin1'))?.[1]
      return answer.exitCode === 0 && id !== undefined ? CommitId.parse(id) : null
    }),
  )
}

/** A tree with these paths as another tree has them. */
export async function restorePaths(
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

async function addTexts(
  repository: GitRepository,
  tree: TreeId,
  files: ReadonlyMap<string, string>,
): Promise<TreeId> {
  const { owned, oidBytes } = repository
  const edits = new Map<string, TreeEntry>()
  for (const [path, text] of files) {
    const oid = await writeObject(owned, oidBytes, { type: 'blob', bytes: Buffer.from(text) })
    edits.set(bytesOfName(path).toString('latin1'), { mode: '100644', oid })
  }
  return editTree(repository, tree, edits)
}

const fileOrNull = (entry: TreeEntry | null): TreeEntry | null => (entry?.mode === FOLDER_MODE ? null : entry)

async function makeCommit({ owned, oidBytes }: GitRepository, request: NewCommit): Promise<CommitId> {
  const { tree, parent, message, author, date_ms } = request
  const who = `${cleanIdent(author.name)} <${cleanIdent(author.email)}> ${Math.floor(date_ms / 1000)} +0000`
  const lines = [`tree ${tree}`, `parent ${parent}`, `author ${who}`, `committer ${who}`, '', message]
  // git takes no commit with a NUL in it.
  const text = lines.join('\n').replaceAll('\0', '')
  const bytes = Buffer.from(text.endsWith('\n') ? text : `${text}\n`)
  return CommitId.parse(await writeObject(owned, oidBytes, { type: 'commit', bytes }))
}

type PatchTrees = Pick<Patch, 'base_tree' | 'tree'>

/** Merges a patch onto a tree in memory. */
async function composeTrees(
  repository: GitRepository,
  onto: TreeId,
  patch: PatchTrees,
): Promise<Composition> {
  if (patch.tree === patch.base_tree || patch.tree === onto) return { tree: onto }
  if (onto === patch.base_tree) return { tree: patch.tree }
  const edits = await findPlainEdits(repository, onto, patch)
  return edits ? { tree: await editTree(repository, onto, edits) } : mergeTrees(repository, onto, patch)
}

/** The files to write, when the patch only changes files that are the same in both trees: then there is nothing to merge. */
async function findPlainEdits(
  { objects }: GitRepository,
  onto: TreeId,
  patch: PatchTrees,
): Promise<TreeEdits | null> {
  const edits = new Map<string, TreeEntry | null>()
  for (const { path, before, after } of await listDifferences(objects, patch.base_tree, patch.tree)) {
    if (!before || !after) return null
    const there = await objects.find(onto, path)
    if (there?.oid !== before.oid || there.mode !== before.mode) return null
    edits.set(path, after)
  }
  return edits
}

/** Lets git merge, through synthetic commits that give it the common base. */
async function mergeTrees(repository: GitRepository, onto: TreeId, patch: PatchTrees): Promise<Composition> {
  const base = await writeScratchCommit(repository, patch.base_tree)
  const ours = await writeScratchCommit(repository, onto, base)
  const theirs = await writeScratchCommit(repository, patch.tree, base)
  const merged = await repository.owned.run(
    ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', ours, theirs],
    { answers: [1] },
  )
  const [tree, ...paths] = splitNul(merged.stdout)
  if (merged.exitCode === 0) return { tree: TreeId.parse(tree?.toString('latin1')) }
  return { conflicts: [...new Set(paths.filter((path) => path.length > 0).map(nameOfBytes))] }
}

// Fixed, so that the same trees make the same commit.
const WHO = 'Fixpoint <fixpoint@localhost> 0 +0000'

/** A commit that only tells `git merge-tree` which trees to merge; no ref ever leads to it. */
function writeScratchCommit(
  { owned, oidBytes }: GitRepository,
  tree: TreeId,
  parent?: string,
): Promise<string> {
  const parents = parent === undefined ? [] : [`parent ${parent}`]
  const lines = [`tree ${tree}`, ...parents, `author ${WHO}`, `committer ${WHO}`, '', 'compose\n']
  return writeObject(owned, oidBytes, { type: 'commit', bytes: Buffer.from(lines.join('\n')) })
}
