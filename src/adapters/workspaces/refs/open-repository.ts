import { createHash } from 'node:crypto'
import { mkdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { Fault } from '../../../model/fault.ts'
import { hasCode } from '../objects/files.ts'
import { findGit, createGit, type Environment, type Git } from '../objects/git.ts'
import { createNameReader, type NameReader } from '../objects/name-reader.ts'
import { createObjectReader } from '../objects/object-reader.ts'
import { createTreeDiffs } from '../objects/tree-diffs.ts'
import type { DiscoveredRepository, GitRepository } from '../objects/repository.ts'
import { discoverRepository } from './discover.ts'
import { followMovedClone, readRepositoryId } from './history.ts'
import { openOwnedGitDir } from './owned-git-dir.ts'

interface OpenRepositoryRequest {
  /** Any folder in the user's checkout. */
  readonly cwd: string
  /** FIXPOINT_HOME. */
  readonly home: string
  readonly env: Environment
}

/** Finds the repository around `cwd`, refuses by name what cannot work, and makes the owned git directory ready. */
export async function openRepository({ cwd, home, env }: OpenRepositoryRequest): Promise<GitRepository> {
  const program = findGit(env)
  const found = await discoverRepository(program, await requireFolder(cwd), env)
  const key = createHash('sha256')
    .update(`${found.commonDir}\0${found.objectFormat}`)
    .digest('hex')
    .slice(0, 16)
  const users = createGit({ program, gitDir: found.commonDir, env })
  const checkout = createGit({ program, gitDir: found.gitDir, env })
  const realHome = await makeHome(home)
  const folder = join(realHome, 'repositories', key)
  const names = createNameReader(checkout)
  const repositoryId = await readRepositoryId(names)
  await followMovedClone(folder, repositoryId)
  const { owned, restored } = await openOwnedGitDir({ program, folder, found, env })
  await requireHistory(names, owned, found)
  const objects = createObjectReader(owned)
  const diffs = createTreeDiffs(owned, objects)
  const oidBytes = found.objectFormat === 'sha256' ? 32 : 20
  const notes = [...found.notes, ...(restored.length > 0 ? [restoredNote(owned, restored)] : [])]
  const gits = { owned, users, checkout, oidBytes, objects, names, diffs }
  return { ...found, ...gits, notes, key, repositoryId, home: realHome }
}

const restoredNote = ({ gitDir }: Git, names: readonly string[]): string =>
  `another program had changed ${names.join(', ')} in ${gitDir}, which belongs to Fixpoint: it was put back`

async function requireFolder(cwd: string): Promise<string> {
  try {
    return await realpath(cwd)
  } catch (cause) {
    throw new Fault('not_a_repository', `${cwd} is not a folder`, { cause })
  }
}

async function makeHome(home: string): Promise<string> {
  try {
    await mkdir(home, { recursive: true, mode: 0o700 })
    return await realpath(home)
  } catch (cause) {
    if (hasCode(cause, 'ENOSPC')) throw new Fault('disk_full', `no space is left for ${home}`, { cause })
    const hint = 'set FIXPOINT_HOME to a folder that you may write to'
    throw new Fault('home_unusable', `Fixpoint cannot use ${home} as its home`, { cause, hint })
  }
}

async function requireHistory(names: NameReader, owned: Git, found: DiscoveredRepository): Promise<void> {
  const head = await names.commit('HEAD')
  if (head === null) {
    throw new Fault('repository_unsupported', `${found.root} has no commit at HEAD yet`, {
      hint: 'make a first commit (git add -A && git commit), then run Fixpoint again',
    })
  }
  if (!found.isPartial) return
  const args = ['rev-list', '--objects', '--no-walk', '--missing=print', head.commit]
  const listing = await owned.run(args, { answers: [128] })
  if (listing.exitCode === 0 && !/^\?/m.test(listing.stdout.toString('latin1'))) return
  throw new Fault(
    'repository_unsupported',
    `${found.root} is a partial clone: files of its HEAD are not on this machine`,
    {
      hint: 'fetch them first, with a checkout of HEAD or git fetch --refetch --no-filter',
    },
  )
}
