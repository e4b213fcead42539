import type { ForgeReviews, LineComment } from '../../../loop/ports.ts'
import { ask, findOrCreate, once, type GitHubClient } from './client.ts'
import { newestOfOurs } from './own-nodes.ts'
import type { RepositoryName } from './pulls.ts'

export const createReviews = (github: GitHubClient, name: RepositoryName): ForgeReviews => {
  const find: ForgeReviews['find'] = (number, mark) =>
    ask(`reading the reviews of #${number}`, async () => {
      const reviews = await github.paginate('GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews', {
        ...name,
        pull_number: number,
        per_page: 100,
      })
      const found = await newestOfOurs(
        github,
        reviews.filter(({ body }) => body.includes(mark)),
      )
      return found ? { id: Number(found.id), body: found.body.replaceAll('\r\n', '\n') } : null
    })
  return {
    find,
    post: (number, { headSha, body, comments, mark }) =>
      findOrCreate({
        what: `reviewing #${number}`,
        find: () => find(number, mark),
        create: async () => {
          const { data } = await github.request('POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews', {
            ...name,
            pull_number: number,
            commit_id: headSha,
            event: 'COMMENT',
            body,
            comments: comments.map(lineComment),
            request: once,
          })
          return { id: Number(data.id), body: data.body }
        },
      }),
    edit: (number, id, body) =>
      ask(`changing the review of #${number}`, async () => {
        await github.request('PUT /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}', {
          ...name,
          pull_number: number,
          review_id: id,
          body,
        })
      }),
  }
}

/** Lines of the changed side, as GitHub writes them. */
export const lineComment = ({ path, line, startLine, body }: LineComment) => ({
  path,
  line,
  side: 'RIGHT' as const,
  body,
  ...(startLine !== null && startLine < line && { start_line: startLine, start_side: 'RIGHT' as const }),
})
