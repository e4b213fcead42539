import type { components } from '@octokit/openapi-types'
import type { PullComment, PullComments } from '../../../loop/ports.ts'
import { ask, findOrCreate, isNotThere, once, type GitHubClient } from './client.ts'
import { newestOfOurs } from './own-nodes.ts'
import type { RepositoryName } from './pulls.ts'

/** Comments in the conversation of a pull request, which GitHub keeps as those of an issue. */
export const createComments = (github: GitHubClient, name: RepositoryName): PullComments => ({
  get: (id) =>
    ask(`reading comment ${id}`, async () => {
      try {
        const { data } = await github.request('GET /repos/{owner}/{repo}/issues/comments/{comment_id}', {
          ...name,
          comment_id: id,
        })
        return readComment(data)
      } catch (error) {
        if (isNotThere(error)) return null
        throw error
      }
    }),
  post: (number, { body, mark }) =>
    findOrCreate({
      what: `commenting on #${number}`,
      find: async () => {
        const comments = await github.paginate('GET /repos/{owner}/{repo}/issues/{issue_number}/comments', {
          ...name,
          issue_number: number,
          per_page: 100,
        })
        const found = await newestOfOurs(
          github,
          comments.filter((comment) => comment.body?.includes(mark)),
        )
        return found ? readComment(found) : null
      },
      create: async () => {
        const { data } = await github.request('POST /repos/{owner}/{repo}/issues/{issue_number}/comments', {
          ...name,
          issue_number: number,
          body,
          request: once,
        })
        return readComment(data)
      },
    }),
  edit: (id, body) =>
    ask('changing a comment', async () => {
      await github.request('PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}', {
        ...name,
        comment_id: id,
        body,
      })
    }),
})

const readComment = (comment: components['schemas']['issue-comment']): PullComment => ({
  id: Number(comment.id),
  number: Number(comment.issue_url.split('/').at(-1)),
  author: comment.user?.login ?? 'ghost',
  body: (comment.body ?? '').replaceAll('\r\n', '\n'),
  url: comment.html_url,
  createdAt: comment.created_at,
})
