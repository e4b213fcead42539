import type { components } from '@octokit/openapi-types'
import type { PullRequest, PullRequests } from '../../../loop/ports.ts'
import { ask, findOrCreate, once, type GitHubClient } from './client.ts'

/** Which repository, in the words of GitHub's addresses. */
export type RepositoryName = {
  readonly owner: string
  readonly repo: string
}

type Pull = components['schemas']['pull-request-simple'] | components['schemas']['pull-request']

export const createPulls = (github: GitHubClient, name: RepositoryName): PullRequests => {
  const list: PullRequests['list'] = (branch) =>
    ask(branch === null ? 'listing pull requests' : `looking for the pull request of ${branch}`, async () => {
      const search =
        branch === null
          ? { state: 'open' as const }
          : { state: 'all' as const, head: `${name.owner}:${branch}` }
      const pulls = await github.paginate('GET /repos/{owner}/{repo}/pulls', {
        ...name,
        ...search,
        per_page: 100,
      })
      return pulls.map(readPull).filter((pull) => branch === null || pull.branch === branch)
    })
  return {
    list,
    open: ({ title, body, branch, base, isDraft }) =>
      findOrCreate({
        what: `opening a pull request for ${branch}`,
        find: async () => (await list(branch)).find(({ state }) => state === 'open') ?? null,
        create: async () => {
          const { data } = await github.request('POST /repos/{owner}/{repo}/pulls', {
            ...name,
            title,
            body,
            head: branch,
            base,
            draft: isDraft,
            request: once,
          })
          return readPull(data)
        },
      }),
    ...changesOf(github, name),
  }
}

const changesOf = (
  github: GitHubClient,
  name: RepositoryName,
): Pick<PullRequests, 'get' | 'edit' | 'label'> => ({
  get: (number) =>
    ask(`reading pull request #${number}`, async () => {
      const { data } = await github.request('GET /repos/{owner}/{repo}/pulls/{pull_number}', {
        ...name,
        pull_number: number,
      })
      return readPull(data)
    }),
  edit: (number, changed) =>
    ask(`changing pull request #${number}`, async () => {
      const { data } = await github.request('PATCH /repos/{owner}/{repo}/pulls/{pull_number}', {
        ...name,
        pull_number: number,
        ...changed,
      })
      return readPull(data)
    }),
  label: (number, labels) =>
    ask(`labelling #${number}`, async () => {
      if (labels.length === 0) return []
      // Adding a label that is there already changes nothing.
      const { data } = await github.request('POST /repos/{owner}/{repo}/issues/{issue_number}/labels', {
        ...name,
        issue_number: number,
        labels: [...labels],
      })
      return data.map((label) => label.name)
    }),
})

const readPull = (pull: Pull): PullRequest => ({
  number: pull.number,
  url: pull.html_url,
  title: pull.title,
  body: pull.body ?? '',
  state: pull.merged_at !== null ? 'merged' : pull.state === 'open' ? 'open' : 'closed',
  isDraft: pull.draft ?? false,
  author: pull.user?.login ?? 'ghost',
  branch: pull.head.ref,
  headSha: pull.head.sha,
  headRepository: (pull.head.repo as { full_name: string } | null)?.full_name ?? null,
  // GitHub says so of a single pull request only.
  maintainersMayEdit: 'maintainer_can_modify' in pull && pull.maintainer_can_modify,
  base: pull.base.ref,
  baseSha: pull.base.sha,
  labels: pull.labels.map((label) => label.name),
})
