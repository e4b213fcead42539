import { createHash, randomUUID } from 'node:crypto'
import { mkdir, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import type { RepositoryEntry } from '../../../loop/ports.ts'
import { Fault } from '../../../model/fault.ts'
import { RepositoryId } from '../../../model/id.ts'
import { idRef, type ClonePlace } from './find-clone.ts'
import { lstatIfThere, namesIn, readJsonFile, replaceFile } from '../objects/files.ts'
import type { NameReader } from '../objects/name-reader.ts'
import type { GitRepository } from '../objects/repository.ts'

/** Which repository the clone says that it is; null when nobody has told it. */
export async function readRepositoryId(names: NameReader): Promise<RepositoryId | null> {
  const found = await names.read(idRef)
  if (found?.type !== 'blob') return null
  return RepositoryId.safeParse(found.bytes.toString('utf8').trim()).data ?? null
}

/** Lets the clone remember which repository it is, and gives a name to the clone itself, which a moved one keeps. */
export async function rememberClone(repository: GitRepository, id: RepositoryId): Promise<string> {
  if (repository.repositoryId === null) await writeRepositoryId(repository, id)
  return (await keepPlace(repository, id)).clone
}

/** A clone that may not be written to is known by its history alone. */
async function writeRepositoryId(repository: GitRepository, id: RepositoryId): Promise<void> {
  const { users, objectDirs, owned } = repository
  try {
    const env = { GIT_OBJECT_DIRECTORY: objectDirs[0] ?? '' }
    const blob = await owned.text(['hash-object', '-w', '--stdin'], { stdin: `${id}\n`, env })
    await users.run(['update-ref', '--no-deref', idRef, blob, '0'.repeat(blob.length)])
  } catch (error) {
    // Another process was faster, or the folder is not this user's.
    if (!(error instanceof Fault) || (error.code !== 'git_failed' && error.code !== 'busy')) throw error
  }
}

type HistoryKey = Pick<RepositoryEntry, 'key' | 'fullerEnd' | 'poorer'>

/**
 * The marks that tell a repository from others, wherever it lies: its first commits, which a shallow clone lacks, and
 * its remote. The first commits of a known repository are not searched for again.
 */
export async function readHistoryKey(repository: GitRepository, known: string | null): Promise<HistoryKey> {
  const { isShallow, remoteUrl, key: place } = repository
  const remote = remoteUrl === null ? '-' : digestOf(normaliseRemote(remoteUrl))
  if (isShallow && remoteUrl === null) return { key: `place:${place}` }
  if (isShallow) return { key: `-:${remote}`, fullerEnd: `:${remote}` }
  const roots = /^([0-9a-f]+):/.exec(known ?? '')?.[1] ?? (await readRoots(repository))
  return { key: `${roots}:${remote}`, ...(remoteUrl !== null && { poorer: `-:${remote}` }) }
}

async function readRoots({ checkout }: GitRepository): Promise<string> {
  const roots = await checkout.text(['rev-list', '--max-parents=0', 'HEAD'])
  return digestOf(roots.split('\n').toSorted().join('\n'))
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16)

/** The same text for every way to write one remote: protocol, user, port of the protocol and `.git` do not count. */
export function normaliseRemote(url: string): string {
  const plain = url
    .trim()
    .replace(/\/+$/, '')
    .replace(/\.git$/, '')
    .replace(/\/+$/, '')
  const byScheme = /^[a-z][a-z0-9+.-]*:\/\/(?:[^@/]*@)?([^/]+)\/+(.+)$/i.exec(plain)
  const byScp = /^(?:[^@/:]+@)?([^@/:]{2,}):(?!\/\/)\/*(.+)$/.exec(plain)
  const [, host, path] = (/^file:/i.test(plain) ? null : (byScheme ?? byScp)) ?? []
  if (host === undefined || path === undefined) return plain.replace(/^file:\/\//i, '')
  return `${host.replace(/:(22|80|443)$/, '')}/${path}`.toLowerCase()
}

const Place = z.object({
  git_dir: z.string(),
  repository_id: RepositoryId,
  clone: z.string(),
  id_object: z.string().optional(),
}) satisfies z.ZodType<ClonePlace>

const placeFile = (folder: string): string => join(folder, 'place.json')

async function readPlace(folder: string): Promise<z.infer<typeof Place> | null> {
  return Place.safeParse(await readJsonFile(placeFile(folder))).data ?? null
}

/** Writes beside the owned git directory which clone it belongs to, so that it can follow a clone that is moved. */
async function keepPlace(
  { home, key, commonDir, objectFormat }: GitRepository,
  id: RepositoryId,
): Promise<z.infer<typeof Place>> {
  const folder = join(home, 'repositories', key)
  const known = await readPlace(folder)
  const text = `${id}\n`
  const id_object = createHash(objectFormat).update(`blob ${text.length}\0${text}`).digest('hex')
  const isKnown = known?.git_dir === commonDir && known.repository_id === id
  if (isKnown && known.id_object === id_object) return known
  const clone = known?.repository_id === id ? known.clone : randomUUID()
  const place = { git_dir: commonDir, repository_id: id, clone, id_object }
  await replaceFile(placeFile(folder), JSON.stringify(place))
  return place
}

/** Moves the data of a clone, with the work of its sessions, to its new place when the clone was moved. */
export async function followMovedClone(folder: string, id: RepositoryId | null): Promise<void> {
  if (id === null || (await lstatIfThere(folder)) !== null) return
  const all = dirname(folder)
  await mkdir(all, { recursive: true })
  for (const name of await namesIn(all)) {
    const place = await readPlace(join(all, name))
    if (place?.repository_id !== id || (await lstatIfThere(place.git_dir)) !== null) continue
    await rename(join(all, name), folder)
    return
  }
}
