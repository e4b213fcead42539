import { createHash, randomUUID } from 'node:crypto'
import { mkdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { asFault, Fault } from '../../../model/fault.ts'
import type { RepositoryUrl } from '../../../model/repository-url.ts'
import { lstatIfThere, withLock } from '../objects/files.ts'
import { createGit, findGit, type Environment } from '../objects/git.ts'
import { normaliseRemote } from '../refs/history.ts'
import { createMirrorGit, type MirrorGit, type WayThere } from './mirror-git.ts'

export interface MirrorsRequest {
  /** FIXPOINT_HOME. */
  readonly home: string
  readonly env: Environment
  /** Opens the way to a repository, or refuses it; called for each talk with the other side. */
  readonly openWay: (at: RepositoryUrl) => Promise<WayThere & AsyncDisposable>
}

export interface Mirror {
  /** A checkout of its default branch, as the other side had it last. */
  readonly root: string
  /** Why it is not as new as it could be; null when it is. */
  readonly stale: string | null
}

export interface MirrorWish {
  /** Commits that have to be there with all their files. */
  readonly commits?: readonly string[]
  /** How old what is there may be. */
  readonly maxAgeMs?: number
}

export interface Mirrors {
  /** The mirror of a repository, made or fetched as needed; several who ask at once wait for one fetch. */
  bring(at: RepositoryUrl, wish?: MirrorWish): Promise<Mirror>
  remove(at: RepositoryUrl): Promise<void>
  folderOf(at: RepositoryUrl): string
}

const freshMs = 30_000
const mostFiles = 2_000_000
const lockWaitMs = 30 * 60_000

/** Clones of repositories that are somewhere else: history without file contents, and the files of what is worked on. */
export function createMirrors(request: MirrorsRequest): Mirrors {
  const running = new Map<string, Promise<Mirror>>()
  const folderOf = (at: RepositoryUrl): string => join(mirrorsFolder(request.home), folderName(at))
  return {
    folderOf,
    bring(at, wish = {}) {
      const key = JSON.stringify([folderOf(at), wish])
      const known = running.get(key)
      if (known) return known
      const begun = bring({ ...request, at, root: folderOf(at) }, wish).finally(() => running.delete(key))
      running.set(key, begun)
      return begun
    },
    async remove(at) {
      await locked({ ...request, at, root: folderOf(at) }, () => removeMirror(folderOf(at)))
    },
  }
}

export const mirrorsFolder = (home: string): string => join(home, 'mirrors')

/** The same for every way to write one address. */
const folderName = ({ url, name }: RepositoryUrl): string =>
  `${name.replaceAll(/[^\w.-]/g, '_').slice(0, 60)}-${createHash('sha256').update(normaliseRemote(url)).digest('hex').slice(0, 16)}`

interface Place extends MirrorsRequest {
  readonly at: RepositoryUrl
  readonly root: string
}

async function locked<Value>({ home, root }: Place, use: () => Promise<Value>): Promise<Value> {
  await mkdir(mirrorsFolder(home), { recursive: true, mode: 0o700 })
  return withLock({ home, path: `${root}.lock`, waitMs: lockWaitMs }, use)
}

async function bring(place: Place, { commits = [], maxAgeMs = freshMs }: MirrorWish): Promise<Mirror> {
  return locked(place, async () => {
    const { root } = place
    if ((await lstatIfThere(join(root, '.git'))) === null) await make(place)
    const age = await ageOf(fetchedFile(root))
    const isFresh = age !== null && age < maxAgeMs && (await areHere(place, commits))
    const stale = isFresh ? null : await fetchAgain(place, commits)
    await touch(usedFile(root))
    return { root, stale }
  })
}

/** Files whose times say when a mirror was fetched and used last. */
const fetchedFile = (root: string): string => join(root, '.git', 'fixpoint-fetched')
export const usedFile = (root: string): string => join(root, '.git', 'fixpoint-used')

async function touch(file: string): Promise<void> {
  await writeFile(file, '')
  const now = new Date()
  await utimes(file, now, now)
}

async function ageOf(file: string): Promise<number | null> {
  const found = await stat(file).catch(() => null)
  return found === null ? null : Date.now() - found.mtimeMs
}

async function withGit<Value>(
  { at, root, env, openWay }: Place,
  use: (git: MirrorGit) => Promise<Value>,
): Promise<Value> {
  await using way = await openWay(at)
  return await use(await createMirrorGit({ gitDir: join(root, '.git'), root, at, env, way }))
}

const clone = ['clone', '--quiet', '--no-checkout', '--filter=blob:none', '--no-tags', '--template=']

/** Made aside and renamed, so that a process that is killed meanwhile leaves no half of a mirror in its place. */
async function make(place: Place): Promise<void> {
  const { at, root } = place
  const aside = `${root}.${randomUUID()}.new`
  await mkdir(aside, { mode: 0o700 })
  try {
    await withGit({ ...place, root: aside }, async (git) => {
      await git.there([...clone, '--end-of-options', at.url, aside])
      await showDefaultBranch(git, at)
    })
    await touch(fetchedFile(aside))
    await rename(aside, root)
  } finally {
    await rm(aside, { recursive: true, force: true })
  }
}

/** The mirror as it is will do, unless something that is needed is missing. */
async function fetchAgain(place: Place, commits: readonly string[]): Promise<string | null> {
  const { root, at } = place
  try {
    await removeOwnLocks(root)
    await withGit(place, async (git) => {
      await git.there(['fetch', ...quietly, '--prune', 'origin'])
      await showDefaultBranch(git, at)
      for (const commit of commits) await fetchCommit(git, commit)
    })
    await touch(fetchedFile(root))
    return null
  } catch (error) {
    if (!(await areHere(place, commits))) throw error
    return `${at.url} could not be fetched, so that this is what it was before: ${asFault(error).message}`
  }
}

/** Only the holder of the mirror's own lock moves its checkout, so the process that left these is gone. */
async function removeOwnLocks(root: string): Promise<void> {
  for (const name of ['index.lock', 'HEAD.lock']) await rm(join(root, '.git', name), { force: true })
}

/** Moves the checkout to the default branch of the other side; the files that are missing come in one go. */
async function showDefaultBranch(git: MirrorGit, { url }: RepositoryUrl): Promise<void> {
  const { stdout } = await git.there(['ls-remote', '--symref', 'origin', 'HEAD'])
  const branch = /^ref: refs\/heads\/(\S+)\tHEAD$/m.exec(stdout.toString('utf8'))?.[1]
  const tip =
    branch === undefined
      ? ''
      : await git.here(
          ['rev-parse', '--verify', '--quiet', `refs/remotes/origin/${branch}^{commit}`],
          [1, 128],
        )
  if (branch === undefined || tip === '')
    throw new Fault('repository_unsupported', `${url} has no commit on its default branch yet`, {
      hint: 'Push a first commit, then add it again.',
    })
  // A few trees that name each other over and over stand for more files than any disk holds.
  if (await git.hasMoreFiles(tip, mostFiles))
    throw new Fault('repository_unsupported', `${url} has more than ${mostFiles} files`, {
      hint: 'Add a repository that a disk can hold.',
    })
  await git.here(['symbolic-ref', 'HEAD', `refs/heads/${branch}`])
  await git.there(['reset', '--hard', '--quiet', tip])
}

const quietly = ['--quiet', '--no-tags', '--no-write-fetch-head']

/** A commit that no branch has any more is asked for by its name; then the files that are missing, in one go. */
async function fetchCommit(git: MirrorGit, commit: string): Promise<void> {
  if ((await git.here(['cat-file', '-t', commit], [1, 128])) !== 'commit')
    await git.there(['fetch', ...quietly, '--filter=blob:none', 'origin', commit])
  const missing = await missingFrom(git.here, [commit])
  if (missing.length > 0)
    await git.there(
      [
        '-c',
        'fetch.negotiationAlgorithm=noop',
        'fetch',
        ...quietly,
        '--filter=blob:none',
        '--stdin',
        'origin',
      ],
      missing.join('\n'),
    )
}

const objectName = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/

/** Whether all commits are there with the contents of all their files. */
async function areHere({ root, env }: Place, commits: readonly string[]): Promise<boolean> {
  if (commits.length === 0) return true
  if (!commits.every((commit) => objectName.test(commit))) return false
  const git = createGit({ program: findGit(env), gitDir: join(root, '.git'), env })
  const known = await git.run(['cat-file', '--batch-check'], { stdin: `${commits.join('\n')}\n` })
  if (
    !known.stdout
      .toString('latin1')
      .trim()
      .split('\n')
      .every((line) => line.includes(' commit '))
  )
    return false
  return (await missingFrom(git.text, commits)).length === 0
}

/** The objects of commits that are not here. */
async function missingFrom(
  text: (args: readonly string[]) => Promise<string>,
  commits: readonly string[],
): Promise<readonly string[]> {
  const listed = await text(['rev-list', '--objects', '--no-walk', '--missing=print', ...commits])
  return listed
    .split('\n')
    .filter((line) => line.startsWith('?'))
    .map((line) => line.slice(1))
}

/** Renamed first, so that nobody finds a half of it. */
export async function removeMirror(root: string): Promise<void> {
  const aside = `${root}.${randomUUID()}.old`
  await rename(root, aside).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
  })
  await rm(aside, { recursive: true, force: true })
}
