import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openRepository, type GitRepository } from '../src/adapters/workspaces/index.ts'
import { toByteString } from '../src/adapters/workspaces/objects/names.ts'
import { copyIndex } from '../src/adapters/workspaces/objects/temporary-index.ts'
import { editTree, writeObject } from '../src/adapters/workspaces/objects/write-objects.ts'
import { checkOutTree } from '../src/adapters/workspaces/trees/check-out-tree.ts'
import { fillTree } from '../src/adapters/workspaces/trees/fill-tree.ts'
import { readIndex } from '../src/adapters/workspaces/trees/tree-state.ts'
import type { Revision } from '../src/model/attempt/attempt.ts'
import { makeRepository } from '../test/fixtures/repositories.ts'
import type { Figure } from './figure.ts'
import { addLargeCommits, nameOf } from './large-repository.ts'
import { median } from './statistics.ts'

export const title = 'Objects and indexes written by Fixpoint, against git, in a repository with 25,000 files'

const ROUNDS = 15

/** Measures each way of doing the same work in turn, so that a busy machine slows all of them. */
async function compare(ways: Readonly<Record<string, (round: number) => Promise<unknown>>>) {
  const times = new Map(Object.keys(ways).map((name) => [name, [] as number[]]))
  for (let round = 0; round <= ROUNDS; round += 1)
    for (const [name, way] of Object.entries(ways)) {
      const startedAt = performance.now()
      await way(round)
      // The first run of each way warms caches, and is not counted.
      if (round > 0) times.get(name)?.push(performance.now() - startedAt)
    }
  return (name: string): number => median(times.get(name) ?? [])
}

export async function run(): Promise<readonly Figure[]> {
  const fixture = makeRepository()
  try {
    const revisions = addLargeCommits(fixture)
    const repository = await openRepository({ cwd: fixture.root, home: fixture.home, env: fixture.env })
    const folder = join(fixture.folder, 'written')
    mkdirSync(folder)
    const checkedOut = { tree: join(folder, 'tree'), index: join(folder, 'index') }
    await checkOutTree(repository.owned, checkedOut, revisions[0].tree)
    return [
      ...(await compareTrees(repository, { checkedOut, folder, tree: revisions[0].tree, files: 1 })),
      ...(await compareTrees(repository, { checkedOut, folder, tree: revisions[0].tree, files: 20 })),
      ...(await compareFilling(repository, checkedOut, revisions)),
    ]
  } finally {
    fixture.dispose()
  }
}

interface Scene {
  readonly checkedOut: { readonly tree: string; readonly index: string }
  readonly folder: string
  readonly tree: Revision['tree']
  readonly files: number
}

/** The tree of a patch: changed files on disk become a tree object. */
async function compareTrees(repository: GitRepository, scene: Scene): Promise<readonly Figure[]> {
  const { checkedOut, folder, tree, files } = scene
  const { owned, oidBytes } = repository
  const paths = Array.from({ length: files }, (_, at) => nameOf(at * 7))
  const change = (text: string): void =>
    paths.forEach((path) => writeFileSync(join(checkedOut.tree, path), `// ${text} ${path}\n`))
  const readChanged = (path: string): Buffer => readFileSync(join(checkedOut.tree, path))
  const medianOf = await compare({
    async ours(round) {
      change(`ours ${round}`)
      const edits = new Map<string, { mode: string; oid: string }>()
      for (const path of paths) {
        const oid = await writeObject(owned, oidBytes, { type: 'blob', bytes: readChanged(path) })
        edits.set(path, { mode: '100644', oid })
      }
      await editTree(repository, tree, edits)
    },
    async index(round) {
      change(`index ${round}`)
      const index = join(folder, `index-${round}`)
      await copyIndex(checkedOut.index, index)
      const env = { GIT_INDEX_FILE: index, GIT_WORK_TREE: checkedOut.tree }
      await owned.run(['update-index', '-z', '--stdin'], { env, stdin: `${paths.join('\0')}\0` })
      await owned.text(['write-tree'], { env })
    },
    async import(round) {
      change(`import ${round}`)
      const puts = paths.map((path) => {
        const text = readChanged(path).toString('latin1')
        return `M 100644 inline ${path}\ndata ${text.length}\n${text}`
      })
      const head = `commit refs/scratch\ncommitter F <f@localhost> 0 +0000\ndata 0\nM 040000 ${tree} \n`
      const stdin = `feature done\n${head}${puts.join('\n')}\nls ""\n\ndone\n`
      await owned.run(['fast-import', '--quiet', '--force'], { stdin })
    },
  })
  const name = `the tree of ${files} changed ${files === 1 ? 'file' : 'files'}`
  return [
    figureOf(name, medianOf('ours'), { command: 'update-index', ms: medianOf('index') }),
    figureOf(name, medianOf('ours'), { command: 'fast-import', ms: medianOf('import') }),
  ]
}

/** A checked-out tree becomes another one that differs in one file, with an index that knows its stat data. */
async function compareFilling(
  repository: GitRepository,
  { tree, index }: Scene['checkedOut'],
  revisions: readonly [Revision, Revision],
): Promise<readonly Figure[]> {
  const { owned, objects, oidBytes } = repository
  const next = `${index}-next`
  const env = { GIT_INDEX_FILE: index, GIT_WORK_TREE: tree }
  await owned.run(['read-tree', '--reset', '-u', revisions[0].tree], { env })
  let known = await readIndex(index, oidBytes)
  const ours = async (from: Revision, to: Revision): Promise<void> => {
    const request = { root: toByteString(tree), from: from.tree, to: to.tree, index: known, oidBytes }
    const filled = await fillTree(objects, { ...request, isMissing: () => false })
    if (filled === null) throw new Error('this tree is left to git')
    writeFileSync(index, filled.bytes)
    known = filled
  }
  const byGit = async (to: Revision): Promise<void> => {
    await owned.run(['read-tree', '--reset', '-u', `--index-output=${next}`, to.tree], { env })
    writeFileSync(index, readFileSync(next))
    known = await readIndex(index, oidBytes)
  }
  const medianOf = await compare({
    ours: () => ours(revisions[0], revisions[1]),
    git: () => byGit(revisions[0]),
  })
  const git = { command: 'read-tree -u', ms: medianOf('git') }
  return [figureOf('a tree with one other file', medianOf('ours'), git)]
}

const figureOf = (
  name: string,
  oursMs: number,
  git: { readonly command: string; readonly ms: number },
): Figure => ({
  name,
  value: oursMs / git.ms,
  limit: 1,
  unit: `× git ${git.command}, which takes ${git.ms.toFixed(1)} ms`,
})
