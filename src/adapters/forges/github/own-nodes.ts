import { z } from 'zod'
import type { GitHubClient } from './client.ts'

/** Only GraphQL says who wrote something in a way that holds for people and Apps alike. */
const authorQuery = `query ($ids: [ID!]!) {
  nodes(ids: $ids) { id ... on Comment { viewerDidAuthor } }
}`

const Authors = z.object({
  nodes: z.array(z.object({ id: z.string(), viewerDidAuthor: z.boolean().default(false) }).nullable()),
})

/** GitHub takes so many ids at once. */
const mostIds = 100

/** The newest of these that we wrote ourselves: anybody can write our marks into a text of theirs. */
export async function newestOfOurs<Node extends { readonly node_id: string }>(
  github: GitHubClient,
  marked: readonly Node[],
): Promise<Node | null> {
  for (let end = marked.length; end > 0; end -= mostIds) {
    const some = marked.slice(Math.max(0, end - mostIds), end)
    const answer: unknown = await github.graphql(authorQuery, { ids: some.map(({ node_id }) => node_id) })
    const ours = new Set(
      Authors.parse(answer).nodes.flatMap((node) => (node?.viewerDidAuthor ? [node.id] : [])),
    )
    const found = some.findLast(({ node_id }) => ours.has(node_id))
    if (found) return found
  }
  return null
}
