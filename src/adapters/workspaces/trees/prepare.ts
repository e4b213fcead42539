import { createHash } from 'node:crypto'
import { mkdir, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { SetupTold } from '../../../loop/ports.ts'
import type { Preparation } from '../../../model/attempt/workspace.ts'
import type { CommitId, TreeId } from '../../../model/id.ts'
import { pathKind } from '../../../model/path-kind.ts'
import { touchedPaths } from '../../../model/proof/patch.ts'
import { readIfThere, replaceFile, withLock } from '../objects/files.ts'
import { splitNul, nameOfBytes } from '../objects/names.ts'
import type { GitRepository } from '../objects/repository.ts'
import { restorePaths } from '../objects/trees.ts'
import { checkOutTree, writeThrowAwayGit, type CheckedOut } from './check-out-tree.ts'
import { copyTree, sharePaths } from './share.ts'
import { discard } from './workspace-folder.ts'

/** How workspaces get what git ignores: `workspace.setup` and `workspace.share` of the configuration. */
export interface Prepare {
  readonly share: readonly string[]
  readonly setup: SetupCommand | null
  readonly runSetup: RunSetup
}

interface PrepareRequest {
  readonly tree: TreeId
  readonly head: CommitId
  readonly checkedOut: CheckedOut
}

interface Prepared {
  /** Paths that are not the agent's, left out of every capture. */
  readonly excluded: readonly string[]
  readonly preparation: Preparation
}

export type Preparer = (request: PrepareRequest) => Promise<Prepared>
type PublishSetup = (told: SetupTold) => Promise<void>

/** A setup that failed is not tried again by the same process, until the command or a lock file changes. */
export function createPreparer(repository: GitRepository, prepare: Prepare, publish: PublishSetup): Preparer {
  let waiting = 0
  /** Of those that wait at once, the first and the last are told of. */
  const whileTold: WhileTold = async (run, work) => {
    waiting += 1
    if (waiting === 1) await publish({ run, isOver: false })
    try {
      return await work()
    } finally {
      waiting -= 1
      if (waiting === 0) await publish({ run, isOver: true })
    }
  }
  const failed = new Map<string, SetUp>()
  const setUp = async (setup: SetupCommand, request: PrepareRequest): Promise<SetUp> => {
    const key = await setupKeyOf(repository, request.tree, setup.run)
    const result =
      failed.get(key) ?? (await setUpOnce(repository, { ...prepare, setup, whileTold }, { key, ...request }))
    if (result.status === 'failed') failed.set(key, result)
    return result
  }
  return async (request) => {
    const { checkedOut } = request
    const result = prepare.setup === null ? null : await setUp(prepare.setup, request)
    const made = result?.status === 'done' ? result.made : []
    if (result?.status === 'done') {
      for (const path of made) await copyTree({ from: result.root, to: checkedOut.tree }, path)
    }
    const { excluded, warnings } = await sharePaths(repository, prepare.share, checkedOut)
    return {
      excluded: [...made, ...excluded],
      preparation: {
        setup: result?.status ?? 'none',
        reason: result?.status === 'failed' ? result.reason : null,
        warnings,
      },
    }
  }
}

const LOCK_FILE =
  /^(package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|yarn\.lock|bun\.lockb?|deno\.lock|(dev-)?requirements.*\.txt|poetry\.lock|Pipfile\.lock|pdm\.lock|uv\.lock|Cargo\.lock|go\.sum|Gemfile\.lock|composer\.lock|mix\.lock|pubspec\.lock|gradle\.lockfile|packages\.lock\.json)$/
const MAX_DEPTH = 2

/** Names what a setup command makes: the same command on the same lock files makes the same. */
async function setupKeyOf({ owned, key }: GitRepository, tree: TreeId, command: string): Promise<string> {
  const { stdout } = await owned.run(['ls-tree', '-r', '-z', tree])
  const locks = splitNul(stdout)
    .map((line) => line.toString('latin1'))
    .filter((line) => isLockFile(line.slice(line.indexOf('\t') + 1)))
  const hash = createHash('sha256').update(
    JSON.stringify([key, process.platform, process.arch, command, locks]),
  )
  return hash.digest('hex').slice(0, 32)
}

function isLockFile(path: string): boolean {
  const parts = path.split('/')
  return parts.length <= MAX_DEPTH + 1 && LOCK_FILE.test(parts.at(-1) ?? '')
}

interface SetupCommand {
  readonly run: string
  readonly timeoutMs: number
}

/** Runs a configured command to its end; `exitCode` is null when it did not end by itself. */
export type RunSetup = (request: {
  readonly run: string
  readonly cwd: string
  readonly timeoutMs: number
}) => Promise<{ readonly exitCode: number | null; readonly output: string }>

/** What a setup command made in a pristine checkout, and git does not track. */
type SetUp =
  | { readonly status: 'done'; readonly root: string; readonly made: readonly string[] }
  | { readonly status: 'failed'; readonly reason: string }

export const poolFolder = (home: string): string => join(home, 'pool')

const Done = z.object({ made: z.array(z.string()).readonly() })
const LOCK_SLACK_MS = 60_000

type WhileTold = (run: string, work: () => Promise<SetUp>) => Promise<SetUp>

/** Finds in the pool what the command makes of this tree's lock files, or runs it once for all processes. */
async function setUpOnce(
  repository: GitRepository,
  { setup, runSetup, whileTold }: { setup: SetupCommand; runSetup: RunSetup; whileTold: WhileTold },
  { key, tree, head }: { key: string; tree: TreeId; head: CommitId },
): Promise<SetUp> {
  const { home } = repository
  const folder = join(poolFolder(home), key)
  const checkedOut = { tree: join(folder, 'tree'), index: join(folder, 'index') }
  await mkdir(poolFolder(home), { recursive: true })
  const lock = { home, path: `${folder}.lock`, waitMs: setup.timeoutMs + LOCK_SLACK_MS }
  return (
    (await findDone(folder, checkedOut)) ??
    whileTold(setup.run, () =>
      withLock(lock, async () => {
        const done = await findDone(folder, checkedOut)
        if (done !== null) return done
        await discard(home, folder)
        await checkOutTree(repository.owned, checkedOut, await setupTreeOf(repository, { tree, head }))
        await writeThrowAwayGit(repository, checkedOut, { head, excluded: [] })
        const ended = await runSetup({ ...setup, cwd: checkedOut.tree })
        if (ended.exitCode !== 0) {
          await discard(home, folder)
          return { status: 'failed', reason: failureOf(setup, ended) }
        }
        const made = await listMade(repository, checkedOut)
        await replaceFile(join(folder, 'done.json'), JSON.stringify({ made }))
        return { status: 'done', root: checkedOut.tree, made }
      }),
    )
  )
}

/**
 * The tree that setup runs on: what this tree says about packages, beside the code of the commit that it is built on.
 * Setup has the network, so a patch that nobody judged yet brings it no program.
 */
async function setupTreeOf(
  repository: GitRepository,
  { tree, head }: { readonly tree: TreeId; readonly head: CommitId },
): Promise<TreeId> {
  const built = await repository.objects.treeOf(head)
  const changed = touchedPaths({ files: await repository.diffs.files(built, tree) })
  const paths = changed.filter((path) => !programKinds.has(pathKind(path)))
  return restorePaths(repository, built, { base: tree, paths })
}

const programKinds = new Set(['source', 'test', 'snapshot'])

async function findDone(folder: string, { tree }: CheckedOut): Promise<SetUp | null> {
  const path = join(folder, 'done.json')
  const content = await readIfThere(path)
  if (content === null) return null
  // Its age says when it was last of use.
  const now = Date.now() / 1000
  await utimes(path, now, now)
  return { status: 'done', root: tree, ...Done.parse(JSON.parse(content.toString('utf8'))) }
}

async function listMade({ owned }: GitRepository, { tree, index }: CheckedOut): Promise<string[]> {
  const env = { GIT_INDEX_FILE: index, GIT_WORK_TREE: tree }
  const { stdout } = await owned.run(['ls-files', '-o', '-z', '--directory', '--no-empty-directory'], { env })
  return splitNul(stdout).map((path) => nameOfBytes(path.at(-1) === 0x2f ? path.subarray(0, -1) : path))
}

function failureOf(
  setup: SetupCommand,
  { exitCode, output }: { exitCode: number | null; output: string },
): string {
  const end =
    exitCode === null ? `did not end within ${setup.timeoutMs} ms or was killed` : `ended with ${exitCode}`
  return `workspace.setup (${setup.run}) ${end}${output.trim() === '' ? '' : `:\n${output.trim()}`}`
}
