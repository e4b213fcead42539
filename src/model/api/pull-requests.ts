import { z } from 'zod'
import { RepositoryId, SessionId } from '../id.ts'

/** Which repository, and on which terms its pull request is opened. */
export const PullRequestTerms = z.object({
  base: z.string().min(1).max(500).optional(),
  title: z.string().min(1).max(200).optional(),
  draft: z.boolean().optional(),
})
export type PullRequestTerms = z.infer<typeof PullRequestTerms>

export const NewPullRequestRequest = PullRequestTerms.extend({ session_id: SessionId })

export const PublishedPullRequest = z.object({
  schema: z.literal('fixpoint.pull-request.v1'),
  number: z.number().nullable(),
  url: z.string().nullable(),
  branch: z.string(),
  base: z.string(),
  head_sha: z.string(),
  created: z.boolean(),
  pushed: z.boolean(),
  labels: z.array(z.string()).readonly(),
  warnings: z.array(z.string()).readonly(),
})

/** The open pull requests of a repository; `session_id` names the session that made the branch. */
export const PullRequestList = z.object({
  schema: z.literal('fixpoint.pull-requests.v1'),
  pull_requests: z.array(
    z.object({
      number: z.number(),
      url: z.string(),
      title: z.string(),
      author: z.string(),
      branch: z.string(),
      base: z.string(),
      head_sha: z.string(),
      draft: z.boolean(),
      session_id: SessionId.nullable(),
    }),
  ),
})

export const VotesRequest = z.object({
  repository_id: RepositoryId,
  /** A number, a branch or an address. */
  pull_request: z.union([z.number().int().positive().transform(String), z.string().min(1).max(500)]),
  post: z.boolean().default(false),
})

export const VotesOutcome = z.looseObject({
  schema: z.literal('fixpoint.pr-review.v1'),
  number: z.number(),
  head_sha: z.string(),
  status: z.enum(['approved', 'changes_needed', 'not_evaluated']),
  average: z.number().nullable(),
  review_id: z.number().nullable(),
})
