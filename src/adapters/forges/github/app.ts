import { createAppAuth } from '@octokit/auth-app'
import { ask, connectGitHub, type GitHubAccess } from './client.ts'
import { splitName } from './repository-name.ts'

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
