import { readFile } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import { createGitHub } from '../../adapters/forges/github/index.ts'
import { findToken, openInstallation, type Installation } from '../../adapters/forges/github/login.ts'
import { findApiUrl, readRemoteName } from '../../adapters/forges/github/repository-name.ts'
import { cleanEnvironment } from '../../adapters/process/clean-environment.ts'
import { createRemote } from '../../adapters/workspaces/index.ts'
import type { Forge, Remote } from '../../loop/ports.ts'
import type { Config } from '../../model/config/config.ts'
import { Fault } from '../../model/fault.ts'
import type { App } from '../open-app.ts'
import { redactForge } from '../redact/redact-exits.ts'

/** The forge of a repository, and where its branches are pushed to. */
export interface OpenedForge {
  readonly forge: Forge
  readonly remote: Remote
  /** `owner/name`. */
  readonly repository: string
}

/** What git's way to a remote may need of the person's environment. */
const remoteVariables =
  'HOME SSH_AUTH_SOCK GIT_SSH_COMMAND SSL_CERT_FILE SSL_CERT_DIR HTTPS_PROXY https_proxy HTTP_PROXY http_proxy NO_PROXY no_proxy'.split(
    ' ',
  )

/** Opens the forge as the App that is configured, else with the person's token. */
export const openForge = async (app: App): Promise<OpenedForge> => openNamed(app, await nameOnForge(app))

/** A fork of the repository, on the same server. */
export async function openFork(app: App, repository: string): Promise<OpenedForge> {
  const own = await nameOnForge(app)
  const url = own.url === null ? null : own.url.replace(/[\w.-]+\/[\w.-]+?(\.git)?\/*$/, `${repository}$1`)
  return openNamed(app, { url, repository })
}

async function openNamed(app: App, { url, repository }: NameOnForge): Promise<OpenedForge> {
  const { github } = app.loaded.config
  const apiUrl = findApiUrl(app.env['GITHUB_API_URL'] || github.api_url, url)
  if (repository === null)
    throw new Fault('forge_missing', `the remote "${github.remote}" names no repository of GitHub`, {
      hint: 'Add it (git remote add origin …), or set github.repository to owner/name.',
    })
  const { auth, token } = await identify(app, { apiUrl, repository })
  return {
    repository,
    forge: redactForge(createGitHub({ apiUrl, repository, auth })),
    remote: createRemote(app.git, {
      url: url ?? noRemote(github.remote),
      token,
      env: cleanEnvironment(app.env, remoteVariables),
    }),
  }
}

interface NameOnForge {
  readonly repository: string | null
  readonly url: string | null
}

/** `owner/name` and the address of the remote; null for what is not known. */
export async function nameOnForge(app: App): Promise<NameOnForge> {
  const { github } = app.loaded.config
  const url = await remoteUrl(app, github.remote)
  const named = app.env['GITHUB_REPOSITORY'] || github.repository
  return { url, repository: named || (url === null ? null : readRemoteName(url)) }
}

/** The address as it is written; null when there is no such remote. */
async function remoteUrl({ git }: App, name: string): Promise<string | null> {
  if (!/^[\w./-]+$/.test(name) || name.startsWith('-'))
    throw new Fault('config_invalid', `github.remote: "${name}" is no name of a remote`)
  const found = await git.users.run(['config', '--get', `remote.${name}.url`], { answers: [1] })
  return found.exitCode === 0 ? found.stdout.toString('utf8').trim() : git.remoteUrl
}

function noRemote(name: string): never {
  throw new Fault('forge_missing', `there is no remote "${name}" to push to`, {
    hint: 'Add it: git remote add origin https://github.com/owner/name.',
  })
}

const installations = new Map<string, Promise<Installation>>()

async function identify(
  app: App,
  at: { readonly apiUrl: string; readonly repository: string },
): Promise<Installation> {
  const asApp = openAsApp(app.loaded.config.github.app, at)
  if (asApp) return asApp
  const token = await requireToken(app, at.apiUrl)
  return { auth: token, token: async () => token }
}

/** What the App may do in a repository; null when no App is configured. */
export function openAsApp(
  { id, private_key_file: file }: Pick<Config['github']['app'], 'id' | 'private_key_file'>,
  at: { readonly apiUrl: string; readonly repository: string },
): Promise<Installation> | null {
  if (id === null || file === null) return null
  const key = JSON.stringify([at, id, file])
  const known =
    installations.get(key) ?? readKey(file).then((privateKey) => openInstallation({ ...at, id, privateKey }))
  installations.set(key, known)
  // A failure is not kept: the next one looks again.
  known.catch(() => installations.delete(key))
  return known
}

async function readKey(file: string): Promise<string> {
  try {
    if (!isAbsolute(file)) throw new Error('its path has to be given from the root on')
    return await readFile(file, 'utf8')
  } catch (cause) {
    throw new Fault('config_invalid', `github.app.private_key_file: ${file} cannot be read`, { cause })
  }
}

async function requireToken(app: App, apiUrl: string): Promise<string> {
  const { hostname } = new URL(apiUrl)
  const token = await findToken(app.env, hostname === 'api.github.com' ? 'github.com' : hostname)
  if (token !== null) return token
  throw new Fault('forge_auth', 'there is no token for GitHub')
}
