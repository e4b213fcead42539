import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { findApiUrl, readRemoteName } from '../../adapters/forges/github/repository-name.ts'
import { isPublicAddress, judgeTarget, namedTargets, type Allowed } from '../../adapters/jail/gate/hosts.ts'
import { createOutward } from '../../adapters/jail/gate/outward.ts'
import { proxyServer } from '../../adapters/jail/gate/servers.ts'
import {
  BASE_ENVIRONMENT,
  cleanEnvironment,
  type Variables,
} from '../../adapters/process/clean-environment.ts'
import { isDriven } from '../../adapters/process/run-mark.ts'
import { collectMirrors, hasOwnCommits } from '../../adapters/workspaces/mirrors/collect-mirrors.ts'
import type { WayThere } from '../../adapters/workspaces/mirrors/mirror-git.ts'
import { createMirrors, type Mirrors } from '../../adapters/workspaces/mirrors/mirrors.ts'
import type { Store } from '../../adapters/store/index.ts'
import type { Config } from '../../model/config/config.ts'
import { Fault } from '../../model/fault.ts'
import type { RepositoryId } from '../../model/id.ts'
import { parseRepositoryUrl, type RepositoryUrl } from '../../model/repository-url.ts'
import { openStatuses } from '../../model/session/session.ts'
import { loadConfig } from '../config/load-config.ts'
import { openAsApp } from '../forge/open-forge.ts'

export interface MirrorsPlace {
  readonly home: string
  readonly env: Variables
  readonly store: Store
}

export interface OpenMirrors extends Mirrors {
  /** Removes the least recently used mirrors until the rest fit into `server.mirrors_gb`; returns their names. */
  collect(): Promise<readonly string[]>
}

type OwnSettings = Pick<Config, 'github' | 'server' | 'artifacts'>

/** The mirrors of a home; the operator's configuration is read anew each time, and no repository has a say in it. */
export function openMirrors({ home, env, store }: MirrorsPlace): OpenMirrors {
  const readOwn = async (): Promise<OwnSettings> => (await loadConfig({ repositoryRoot: null, env })).config
  const mirrors = createMirrors({ home, env, openWay: async (at) => openWay(at, await readOwn(), env) })
  const isNeeded = async (root: string): Promise<boolean> => {
    const all = await store.repositories.list()
    const known = all.find(({ url }) => url !== null && mirrors.folderOf(parseRepositoryUrl(url)) === root)
    if (known === undefined) return false
    const open = { repositoryId: known.id, status: openStatuses, limit: 1 }
    return (await store.sessions.heads(open)).length > 0 || isReviewed(store, known.id)
  }
  const isKeptIn = ({ artifacts }: OwnSettings): boolean =>
    store.isOwnerAlive !== null && artifacts.url !== 'folder'
  return {
    ...mirrors,
    async remove(at) {
      const root = mirrors.folderOf(at)
      // Commits that nobody else has are not thrown away with a line of a list.
      if (!isKeptIn(await readOwn()) && existsSync(root) && (await hasOwnCommits(root, env))) return
      await mirrors.remove(at)
    },
    async collect() {
      const own = await readOwn()
      const isKeptElsewhere = isKeptIn(own)
      const budgetBytes = own.server.mirrors_gb * 1024 ** 3
      return collectMirrors({ home, env, isNeeded, isKeptElsewhere, budgetBytes })
    },
  }
}

/** A review that is under way is among the newest. */
const mostReviews = 20

/** Whether somebody who is alive runs a review, which may take longer than a mirror rests. */
async function isReviewed(store: Store, id: RepositoryId): Promise<boolean> {
  const orders = (await store.reviewOrders.open()).filter(({ order }) => order.repository_id === id)
  const reviews = await store.reviews.running(id, mostReviews)
  return [...orders, ...reviews.flatMap(({ running }) => running ?? [])].some((one) => isDriven(store, one))
}

/** What git's way to a remote, and its credential helpers, may need of the operator's environment. */
const seen = [
  ...BASE_ENVIRONMENT,
  ...'SSH_AUTH_SOCK GIT_SSH_COMMAND SSL_CERT_FILE SSL_CERT_DIR XDG_CONFIG_HOME XDG_CACHE_HOME XDG_RUNTIME_DIR GH_CONFIG_DIR DBUS_SESSION_BUS_ADDRESS'.split(
    ' ',
  ),
]

/** Judges where an address leads, and lets git go there and nowhere else. */
export async function openWay(
  at: RepositoryUrl,
  own: OwnSettings,
  env: Variables,
): Promise<WayThere & AsyncDisposable> {
  const allowed = allowedFor(at, own, env)
  const shared = { env: cleanEnvironment(env, seen), token: await tokenFor(at, own, env) }
  if (at.protocol === 'ssh') return { ...shared, ...overSsh, sshAddress: await judgeSsh(at, allowed) }
  const port = at.port ?? (at.protocol === 'https' ? 443 : 80)
  if (judgeTarget({ host: at.host, port }, allowed) === 'refused') throw notNamed(at)
  const refused: string[] = []
  const server = proxyServer(allowed, createOutward(env), (host) => refused.push(host))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    ...shared,
    sshAddress: null,
    refused: () => refused,
    proxy: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}

const overSsh = { proxy: null, refused: () => [], [Symbol.asyncDispose]: async (): Promise<void> => {} }

const sshPort = 22

/** The host itself where it is a public one, and those that the operator named wherever they are. */
function allowedFor(
  { host, protocol }: RepositoryUrl,
  { github, server }: OwnSettings,
  env: Variables,
): Allowed {
  const api = URL.parse(env['GITHUB_API_URL'] || (github.api_url ?? ''))
  const isSsh = protocol === 'ssh'
  // The port of the API is none of SSH.
  const named = [...server.allow_hosts, ...(api === null ? [] : [isSsh ? api.hostname : api.host])]
  return { hosts: [host], named: namedTargets(named, isSsh ? [sshPort] : undefined) }
}

/** Looked up once, and that very address is used. */
async function judgeSsh(at: RepositoryUrl, { named }: Allowed): Promise<string | null> {
  const port = at.port ?? sshPort
  if (named.some((other) => other.host === at.host && other.port === port)) return null
  if (port !== sshPort) throw notNamed(at)
  const found = await lookup(at.host).catch((cause: unknown) => {
    throw new Fault('forge_missing', `${at.host} is not known`, { cause, hint: 'Look at the address.' })
  })
  if (isPublicAddress(found.address)) return found.address
  throw notNamed(at)
}

const notNamed = ({ host, port }: RepositoryUrl): Fault =>
  new Fault(
    'forge_refused',
    `${host}${port === null ? '' : `:${port}`} may not be reached: it has a private address, another port or plain HTTP`,
    { hint: 'If it is meant to be, name it in server.allow_hosts of your own configuration.' },
  )

/** A token of the App, for a repository of the very forge that the App belongs to. */
async function tokenFor(at: RepositoryUrl, { github }: OwnSettings, env: Variables): Promise<string | null> {
  const repository = readRemoteName(at.url)
  if (at.protocol === 'ssh' || repository === null || github.app.id === null) return null
  const named = env['GITHUB_API_URL'] || github.api_url
  if (!named && at.host !== 'github.com') return null
  const apiUrl = findApiUrl(named, at.url)
  const { host } = new URL(apiUrl)
  if (new URL(at.url).host !== (host === 'api.github.com' ? 'github.com' : host)) return null
  const installation = await openAsApp(github.app, { apiUrl, repository })
  return installation === null ? null : installation.token()
}
