import { createAppAuth } from '@octokit/auth-app'
import { renderBoundedText } from '../../process/bounded-text.ts'
import { BASE_ENVIRONMENT, cleanEnvironment, type Variables } from '../../process/clean-environment.ts'
import { runProcess } from '../../process/run-process.ts'
import { ask, connectGitHub, type GitHubAccess } from './client.ts'
import { splitName } from './repository-name.ts'

const timeoutMs = 10_000

/** The person's token: `GH_TOKEN`, `GITHUB_TOKEN`, else what `gh` is logged in with; null when there is none. */
export async function findToken(env: Variables, host: string): Promise<string | null> {
  const given = env['GH_TOKEN'] || env['GITHUB_TOKEN']
  if (given) return given.trim()
  const run = await runProcess({
    command: 'gh',
    args: ['auth', 'token', '--hostname', host],
    cwd: '/',
    env: cleanEnvironment(env, [...BASE_ENVIRONMENT, 'GH_CONFIG_DIR', 'GH_HOST', 'DBUS_SESSION_BUS_ADDRESS']),
    timeoutMs,
    walls: null,
  })
  const token = run.exitCode === 0 ? renderBoundedText(run.stdout).trim() : ''
  return /^\S+$/.test(token) ? token : null
}

export interface GitHubApp {
  readonly apiUrl: string
  /** `owner/name`. */
  readonly repository: string
  readonly id: number
  /** In PEM. */
  readonly privateKey: string
}

/** An App as it is installed in one repository: its tokens last an hour, and each is made when it is needed. */
export interface Installation {
  readonly auth: GitHubAccess['auth']
  readonly token: () => Promise<string>
}

/** Finds where the App is installed. */
export async function openInstallation({
  apiUrl,
  repository,
  id,
  privateKey,
}: GitHubApp): Promise<Installation> {
  const own = { appId: id, privateKey }
  const asApp = connectGitHub({ apiUrl, auth: { strategy: createAppAuth, options: own } })
  const found = await ask(`looking for the installation of App ${id} in ${repository}`, () =>
    asApp.request('GET /repos/{owner}/{repo}/installation', splitName(repository)),
  )
  const options = { ...own, installationId: found.data.id, request: asApp.request }
  const auth = createAppAuth(options)
  return {
    auth: { strategy: createAppAuth, options },
    token: async () =>
      (await ask(`getting a token for ${repository}`, () => auth({ type: 'installation' }))).token,
  }
}
