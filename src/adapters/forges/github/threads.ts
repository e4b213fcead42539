import { z } from 'zod'
import type { ReviewThread, ReviewThreads } from '../../../loop/ports.ts'
import { ask, once, type GitHubClient } from './client.ts'
import type { RepositoryName } from './pulls.ts'
import { lineComment } from './reviews.ts'

/** Only GraphQL knows threads. */
const threadsQuery = `query ($owner: String!, $repo: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $repo) {
    pullRequest(number: $number) {
      reviewThreads(first: 50, after: $after) {
        pageInfo { hasNextPage endCursor }
        nodes {
          id isResolved path line startLine
          comments(first: 50) { nodes { databaseId body url viewerDidAuthor author { login } } }
        }
      }
    }
  }
}`

const resolveMutation = `mutation ($thread: ID!) {
  resolveReviewThread(input: { threadId: $thread }) { thread { id } }
}`

const Page = z.object({
  repository: z.object({
    pullRequest: z.object({
      reviewThreads: z.object({
        pageInfo: z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullable() }),
        nodes: z.array(
          z.object({
            id: z.string(),
            isResolved: z.boolean(),
            path: z.string(),
            line: z.number().int().nullable(),
            startLine: z.number().int().nullable(),
            comments: z.object({
              nodes: z.array(
                z.object({
                  databaseId: z.number(),
                  body: z.string(),
                  url: z.string(),
                  viewerDidAuthor: z.boolean(),
                  author: z.object({ login: z.string() }).nullable(),
                }),
              ),
            }),
          }),
        ),
      }),
    }),
  }),
})

const mostPages = 40

export const createThreads = (github: GitHubClient, name: RepositoryName): ReviewThreads => ({
  list: (number) =>
    ask(`reading the threads of #${number}`, async () => {
      const threads: ReviewThread[] = []
      let after: string | null = null
      for (let page = 0; page < mostPages; page += 1) {
        const answer: unknown = await github.graphql(threadsQuery, { ...name, number, after })
        const { nodes, pageInfo } = Page.parse(answer).repository.pullRequest.reviewThreads
        threads.push(...nodes.map(readThread))
        if (!pageInfo.hasNextPage) break
        after = pageInfo.endCursor
      }
      return threads
    }),
  begin: (number, headSha, comment) =>
    ask(`commenting on #${number}`, async () => {
      await github.request('POST /repos/{owner}/{repo}/pulls/{pull_number}/comments', {
        ...name,
        pull_number: number,
        commit_id: headSha,
        ...lineComment(comment),
        request: once,
      })
    }),
  reply: (number, comment, body) =>
    ask(`replying on #${number}`, async () => {
      await github.request('POST /repos/{owner}/{repo}/pulls/{pull_number}/comments/{comment_id}/replies', {
        ...name,
        pull_number: number,
        comment_id: comment,
        body,
        request: once,
      })
    }),
  edit: (comment, body) =>
    ask('changing a comment', async () => {
      await github.request('PATCH /repos/{owner}/{repo}/pulls/comments/{comment_id}', {
        ...name,
        comment_id: comment,
        body,
      })
    }),
  resolve: (thread) =>
    ask('resolving a thread', async () => {
      await github.graphql(resolveMutation, { thread })
    }),
})

const readThread = (
  node: z.infer<typeof Page>['repository']['pullRequest']['reviewThreads']['nodes'][number],
): ReviewThread => ({
  id: node.id,
  isResolved: node.isResolved,
  path: node.path,
  line: node.line,
  startLine: node.startLine,
  comments: node.comments.nodes.map(({ databaseId, body, url, author, viewerDidAuthor }) => ({
    id: databaseId,
    body: body.replaceAll('\r\n', '\n'),
    url,
    author: author?.login ?? 'ghost',
    isOurs: viewerDidAuthor,
  })),
})
