import type { components } from '@octokit/openapi-types'
import type { ForgeIssue, ForgeIssues } from '../../../loop/ports.ts'
import { ask, findOrCreate, isNotThere, once, type GitHubClient } from './client.ts'
import type { RepositoryName } from './pulls.ts'

export const createIssues = (github: GitHubClient, name: RepositoryName): ForgeIssues => {
  const list: ForgeIssues['list'] = (labels) =>
    ask('listing issues', async () => {
      const issues = await github.paginate('GET /repos/{owner}/{repo}/issues', {
        ...name,
        state: 'all',
        ...(labels.length > 0 && { labels: labels.join(',') }),
        per_page: 100,
      })
      return issues.filter((issue) => issue.pull_request === undefined).map(readIssue)
    })
  return {
    list,
    get: (number) => ask(`reading issue #${number}`, () => getIssue(github, name, number)),
    open: ({ title, body, labels, mark }) =>
      findOrCreate({
        what: `publishing "${title}"`,
        find: async () => (await list(labels)).find((issue) => issue.body.includes(mark)) ?? null,
        create: async () => {
          const { data } = await github.request('POST /repos/{owner}/{repo}/issues', {
            ...name,
            title,
            body,
            labels: [...labels],
            request: once,
          })
          return readIssue(data)
        },
      }),
    edit: (number, { reason, ...changed }) =>
      ask(`changing issue #${number}`, async () => {
        await github.request('PATCH /repos/{owner}/{repo}/issues/{issue_number}', {
          ...name,
          issue_number: number,
          ...changed,
          ...(reason && { state_reason: reason }),
        })
      }),
  }
}

async function getIssue(
  github: GitHubClient,
  name: RepositoryName,
  number: number,
): Promise<ForgeIssue | null> {
  try {
    const { data } = await github.request('GET /repos/{owner}/{repo}/issues/{issue_number}', {
      ...name,
      issue_number: number,
    })
    return data.pull_request === undefined ? readIssue(data) : null
  } catch (error) {
    if (isNotThere(error)) return null
    throw error
  }
}

const readIssue = (issue: components['schemas']['issue']): ForgeIssue => ({
  number: issue.number,
  url: issue.html_url,
  title: issue.title,
  body: (issue.body ?? '').replaceAll('\r\n', '\n'),
  state: issue.state === 'open' ? 'open' : 'closed',
})
