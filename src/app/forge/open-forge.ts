import { createGitHub } from '../../adapters/forges/github/index.ts'
import { findApiUrl, readRemoteName } from '../../adapters/forges/github/repository-name.ts'
import { findToken } from '../../adapters/forges/github/token.ts'
import { cleanEnvironment } from '../../adapters/process/clean-environment.ts'
import { createRemote } from '../../adapters/workspaces/index.ts'
import type { Forge, Remote } from '../../loop/ports.ts'
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

export async function openForge(app: App): Promise<OpenedForge> {
  const { github } = app.loaded.config
  const url = await remoteUrl(app, github.remote)
  const apiUrl = findApiUrl(app.env['GITHUB_API_URL'] || github.api_url, url)
  const repository =
    app.env['GITHUB_REPOSITORY'] || github.repository || (url === null ? null : readRemoteName(url))
  if (repository === null)
    throw new Fault('forge_missing', `the remote "${github.remote}" names no repository of GitHub`, {
      hint: 'Add it (git remote add origin …), or set github.repository to owner/name.',
    })
  const token = await requireToken(app, apiUrl)
  return {
    repository,
    forge: redactForge(createGitHub({ apiUrl, repository, auth: token })),
    remote: createRemote(app.git, {
      url: url ?? noRemote(github.remote),
      token: async () => token,
      env: cleanEnvironment(app.env, remoteVariables),
    }),
  }
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

async function requireToken(app: App, apiUrl: string): Promise<string> {
  const { hostname } = new URL(apiUrl)
  const token = await findToken(app.env, hostname === 'api.github.com' ? 'github.com' : hostname)
  if (token !== null) return token
  throw new Fault('forge_auth', 'there is no token for GitHub')
}
