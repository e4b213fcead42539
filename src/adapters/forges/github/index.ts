import { Fault } from '../../../model/fault.ts'
import type { Forge, Permission } from '../../../loop/ports.ts'
import { ask, connectGitHub, isNotThere, type GitHubAccess, type GitHubClient } from './client.ts'
import { createCommitChecks } from './commit-checks.ts'
import { createComments } from './comments.ts'
import { createIssues } from './issues.ts'
import { createPulls, type RepositoryName } from './pulls.ts'
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
        // GitHub answers under an old name too, until somebody else takes it.
        if (data.full_name.toLowerCase() !== repository.toLowerCase())
          throw new Fault('forge_missing', `${repository} is called ${data.full_name} now`, {
            hint: 'Name it so: git remote set-url origin with its new address, or github.repository.',
          })
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
    comments: createComments(github, name),
    checks: createCommitChecks(github, name),
    permissionOf: (login) => askPermission(github, name, login),
  }
}

/** Somebody whom the repository does not know may do nothing; a role of its own counts as what it is based on. */
const askPermission = (github: GitHubClient, name: RepositoryName, login: string): Promise<Permission> =>
  ask(`asking what ${login} may do`, async () => {
    try {
      const { data } = await github.request('GET /repos/{owner}/{repo}/collaborators/{username}/permission', {
        ...name,
        username: login,
      })
      return known.find((permission) => permission === data.permission) ?? 'none'
    } catch (error) {
      if (isNotThere(error)) return 'none'
      throw error
    }
  })

const known: readonly Permission[] = ['admin', 'write', 'read', 'none']
