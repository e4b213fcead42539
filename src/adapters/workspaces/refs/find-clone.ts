import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** What is written beside each owned git directory: whose it is. */
export interface ClonePlace {
  readonly git_dir: string
  readonly repository_id: string
  readonly clone: string
  /** The object in the clone that says which repository it is. */
  readonly id_object?: string | undefined
}

interface CloneRequest {
  readonly cwd: string
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Where a clone remembers which repository it is: it stays the same when its folder, its remotes or its branches change. */
export const idRef = 'refs/fixpoint/repository'

const placesLookedAt = 64
const changesDiscovery =
  /^GIT_(?:DIR|WORK_TREE|COMMON_DIR|OBJECT_DIRECTORY|ALTERNATE|CEILING|DISCOVERY|NAMESPACE|CONFIG_(?:COUNT|PARAMETERS))/
const isUnusual = /^\s*(?:worktree|bare\s*=\s*true|partialclone|promisor|refstorage)/im

/**
 * Which repository the plain clone around a folder is, without asking git. Null wherever git might say anything else:
 * a linked worktree, somebody else's folder, a clone that Fixpoint has not seen in this place.
 */
export function findPlainClone({ cwd, home, env }: CloneRequest): string | null {
  if (Object.keys(env).some((name) => changesDiscovery.test(name))) return null
  const gitDir = gitDirAround(realpathSync(cwd))
  if (gitDir === null || isUnusual.test(readFileSync(join(gitDir, 'config'), 'utf8'))) return null
  const said = readIdObject(gitDir)
  const places = join(home, 'repositories')
  const names = readdirSync(places)
  if (said === null || names.length > placesLookedAt) return null
  for (const name of names) {
    const place = JSON.parse(readFileSync(join(places, name, 'place.json'), 'utf8')) as ClonePlace
    if (place.git_dir === gitDir) return place.id_object === said ? place.repository_id : null
  }
  return null
}

/** The own `.git` of the nearest folder that has one, on this disk and of this user. */
function gitDirAround(folder: string): string | null {
  const git = join(folder, '.git')
  const found = statSync(git, { throwIfNoEntry: false })
  if (found) {
    const isOwn = found.uid === process.getuid?.() && statSync(folder).uid === found.uid
    return found.isDirectory() && isOwn && realpathSync(git) === git ? git : null
  }
  const parent = dirname(folder)
  const isRepository = statSync(join(folder, 'HEAD'), { throwIfNoEntry: false }) !== undefined
  const isOtherDisk = statSync(parent).dev !== statSync(folder).dev
  return parent === folder || isRepository || isOtherDisk ? null : gitDirAround(parent)
}

function readIdObject(gitDir: string): string | null {
  try {
    return readFileSync(join(gitDir, idRef), 'latin1').trim()
  } catch {
    const packed = readFileSync(join(gitDir, 'packed-refs'), 'latin1')
    return new RegExp(`^([0-9a-f]{40,64}) ${idRef}$`, 'm').exec(packed)?.[1] ?? null
  }
}
