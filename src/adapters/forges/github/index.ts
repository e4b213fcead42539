import type { Forge } from '../../../loop/ports.ts'
import { ask, connectGitHub, type GitHubAccess } from './client.ts'
import { createIssues } from './issues.ts'
import { createPulls } from './pulls.ts'
import { createReviews } from './reviews.ts'
import { splitName } from './repository-name.ts'
import { createScans } from './scans.ts'
import { createThreads } from './threads.ts'

export interface GitHubOptions extends GitHubAccess {
  /** `owner/name`. */
  readonly repository: string
}

/** One repository on GitHub, or on a GitHub Enterprise server. */
export function createGitHub({ repository, ...options }: GitHubOptions): Forge {
  const github = connectGitHub(options)
  const name = splitName(repository)
  return {
    about: () =>
      ask(`looking for ${repository}`, async () => {
        const { data } = await github.request('GET /repos/{owner}/{repo}', name)
        return {
          name: data.full_name,
          url: data.html_url,
          defaultBranch: data.default_branch,
          isArchived: data.archived,
          canPush: data.permissions?.push ?? null,
        }
      }),
    pulls: createPulls(github, name),
    issues: createIssues(github, name),
    reviews: createReviews(github, name),
    threads: createThreads(github, name),
    scans: createScans(github, name),
  }
}
