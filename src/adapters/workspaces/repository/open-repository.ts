import { createHash } from 'node:crypto'
import { mkdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { Fault } from '../../../model/fault.ts'
import { findGit, type Environment } from '../git/environment.ts'
import { hasCode } from '../git/files.ts'
import { createGit, type Git } from '../git/git.ts'
import { createObjectReader, type ObjectReader } from '../plumbing/object-reader.ts'
import { createTreeDiffs, type TreeDiffs } from '../objects/tree-diffs.ts'
import { discoverRepository, type DiscoveredRepository } from './discover.ts'
import { makeOwnedGitDir } from './owned-git-dir.ts'

export interface RepositoryRequest {
  /** Any folder in the user's checkout. */
  readonly cwd: string
  /** FIXPOINT_HOME. */
  readonly home: string
  readonly env: Environment
}

/** The user's repository, and Fixpoint's own git directory beside it that borrows its objects. */
export interface GitRepository extends DiscoveredRepository {
  /** The same for every checkout of one repository; names its folder under FIXPOINT_HOME. */
  readonly key: string
  readonly home: string
  /** All work is done here. */
  readonly owned: Git
  /** The user's shared git directory: asked about refs, and moved by compare-and-swap only. */
  readonly users: Git
  /** The git directory of the checkout, which alone knows its HEAD. */
  readonly checkout: Git
  /** How long an object's name is. */
  readonly oidBytes: number
  /** What the owned git directory sees. */
  readonly objects: ObjectReader
  readonly diffs: TreeDiffs
}

/** Finds the repository around `cwd`, refuses by name what cannot work, and makes the owned git directory ready. */
export async function openRepository({ cwd, home, env }: RepositoryRequest): Promise<GitRepository> {
  const program = findGit(env)
  const found = await discoverRepository(program, await requireFolder(cwd), env)
  const key = createHash('sha256')
    .update(`${found.commonDir}\0${found.objectFormat}`)
    .digest('hex')
    .slice(0, 16)
  const users = createGit(program, found.commonDir, env)
  const checkout = createGit(program, found.gitDir, env)
  const realHome = await makeHome(home)
  const gitDir = await makeOwnedGitDir(program, join(realHome, 'repositories', key), found, env)
  const owned = createGit(program, gitDir, env)
  await requireHistory(checkout, owned, found)
  const objects = createObjectReader(owned)
  const diffs = createTreeDiffs(owned, objects)
  const oidBytes = found.objectFormat === 'sha256' ? 32 : 20
  return { ...found, key, home: realHome, owned, users, checkout, oidBytes, objects, diffs }
}

async function requireFolder(cwd: string): Promise<string> {
  try {
    return await realpath(cwd)
  } catch (cause) {
    throw new Fault('not_a_repository', `${cwd} is not a folder`, { cause })
  }
}

async function makeHome(home: string): Promise<string> {
  try {
    await mkdir(home, { recursive: true })
    return await realpath(home)
  } catch (cause) {
    if (hasCode(cause, 'ENOSPC')) throw new Fault('disk_full', `no space is left for ${home}`, { cause })
    const hint = 'set FIXPOINT_HOME to a folder that you may write to'
    throw new Fault('home_unusable', `Fixpoint cannot use ${home} as its home`, { cause, hint })
  }
}

async function requireHistory(checkout: Git, owned: Git, found: DiscoveredRepository): Promise<void> {
  const head = await checkout.run(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'], {
    answers: [1, 128],
  })
  if (head.exitCode !== 0) {
    throw new Fault('repository_unsupported', `${found.root} has no commit at HEAD yet`, {
      hint: 'make a first commit (git add -A && git commit), then run Fixpoint again',
    })
  }
  if (!found.isPartial) return
  const commit = head.stdout.toString('latin1').trim()
  const listing = await owned.run(['rev-list', '--objects', '--no-walk', '--missing=print', commit], {
    answers: [128],
  })
  if (listing.exitCode === 0 && !/^\?/m.test(listing.stdout.toString('latin1'))) return
  throw new Fault(
    'repository_unsupported',
    `${found.root} is a partial clone: files of its HEAD are not on this machine`,
    {
      hint: 'fetch them first, with a checkout of HEAD or git fetch --refetch --no-filter',
    },
  )
}
