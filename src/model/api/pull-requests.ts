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
export type PublishedPullRequest = z.infer<typeof PublishedPullRequest>

const VoteStatus = z.enum(['approved', 'changes_needed', 'not_evaluated'])

/** What the newest votes on a pull request came to. */
export const VotesKept = z.object({
  status: VoteStatus,
  average: z.number().nullable(),
  reason: z.string(),
  /** The commit that was voted on; the branch may have moved since. */
  head_sha: z.string(),
  at: z.string(),
})
export type VotesKept = z.infer<typeof VotesKept>

/** The open pull requests of a repository; `session_id` names the session that made the branch. */
export const PullRequestList = z.object({
  schema: z.literal('fixpoint.pull-requests.v1'),
  /** `owner/name` on the forge; null when the repository is on none. */
  repository: z.string().nullable(),
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
      /** Whether agents vote on it right now. */
      voting: z.boolean(),
      /** Null when nobody has asked for any. */
      votes: VotesKept.nullable(),
      /** On request: how many conversations on its lines are not resolved; null where nobody could be asked. */
      open_threads: z.number().int().nullable().optional(),
    }),
  ),
})
export type PullRequestList = z.infer<typeof PullRequestList>
export type PullRequestRow = PullRequestList['pull_requests'][number]

export const VotesRequest = z.object({
  repository_id: RepositoryId,
  /** A number, a branch or an address. */
  pull_request: z.union([z.number().int().positive().transform(String), z.string().min(1).max(500)]),
  post: z.boolean().default(false),
})
export type VotesRequest = z.input<typeof VotesRequest>

export const VotesOutcome = z.looseObject({
  schema: z.literal('fixpoint.pr-review.v1'),
  number: z.number(),
  head_sha: z.string(),
  status: VoteStatus,
  average: z.number().nullable(),
  reason: z.string(),
  votes: z
    .array(
      z.looseObject({
        agent: z.string(),
        model: z.string().nullable(),
        score: z.number().nullable(),
        summary: z.string(),
        /** Why there is no vote. */
        missing: z.string().nullable(),
      }),
    )
    .readonly(),
  /** Confirmed findings that stand against it. */
  blocking: z
    .array(
      z.looseObject({
        title: z.string(),
        severity: z.string(),
        file: z.string().nullable(),
        line: z.number().nullable(),
        confirmed_by: z.string(),
      }),
    )
    .readonly(),
  review_id: z.number().nullable(),
})
export type VotesOutcome = z.infer<typeof VotesOutcome>
