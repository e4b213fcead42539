import { realpath } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import { Fault } from '../../model/fault.ts'
import type { Repository } from '../../model/repository.ts'
import { parseRepositoryUrl } from '../../model/repository-url.ts'
import { openStatuses } from '../../model/session/session.ts'
import { openApp, type App } from '../open-app.ts'
import { isTrusted, readTrust, trustItems, type TrustState } from '../trust/trust.ts'
import { openMirrors, type MirrorsPlace } from './open-mirrors.ts'

export interface RepositoryWish {
  readonly path?: string | undefined
  readonly url?: string | undefined
  /** Trusts what its files would run or load, as they are now. */
  readonly trust?: boolean | undefined
}

export interface AddedRepository {
  readonly repository: Repository
  readonly trust: TrustState
  readonly isTrusted: boolean
}

/** Makes a repository known: a folder of this machine, or an address that is fetched now and whenever it is needed. */
export async function addRepository(wish: RepositoryWish, place: MirrorsPlace): Promise<AddedRepository> {
  const app =
    wish.url === undefined ? await openFolder(wish.path ?? '', place) : await openUrl(wish.url, place)
  try {
    if (wish.trust) await trustItems(app, await readTrust(app, { for: 'session' }))
    const trust = await readTrust(app, { for: 'session' })
    return { repository: app.repository, trust, isTrusted: isTrusted(trust) }
  } finally {
    await app.close()
  }
}

async function openFolder(path: string, { env }: MirrorsPlace): Promise<App> {
  if (!isAbsolute(path) || path.includes('\0'))
    throw new Fault('usage', 'the path of a repository has to be absolute', {
      hint: 'Give it from the root on, such as /home/ada/project.',
    })
  const folder = await realpath(path).catch((cause: unknown) => {
    throw new Fault('not_a_repository', `${path} is not a folder`, { cause })
  })
  return openApp({ cwd: folder, env })
}

async function openUrl(url: string, place: MirrorsPlace): Promise<App> {
  const at = parseRepositoryUrl(url)
  const mirrors = openMirrors(place)
  const { root, stale } = await mirrors.bring(at, { maxAgeMs: 0 })
  if (stale !== null) throw new Fault('forge_busy', stale)
  const app = await openApp({ cwd: root, env: place.env, url: at.url, store: place.store })
  await mirrors.collect()
  return app
}

/**
 * Takes a repository off the list, and its mirror from the disk unless that alone has something; its issues and sessions
 * stay.
 */
export async function removeRepository(repository: Repository, place: MirrorsPlace): Promise<void> {
  const { id, url } = repository
  const open = { repositoryId: id, status: openStatuses, limit: 1 }
  const [session] = await place.store.sessions.heads(open)
  if (session)
    throw new Fault('transition_refused', `${session.id} is not over yet`, {
      hint: `Let it end, or cancel it: fixpoint cancel ${session.id}.`,
    })
  await place.store.repositories.distrust(id)
  await place.store.repositories.remove(id)
  if (url !== null) await openMirrors(place).remove(parseRepositoryUrl(url))
}
