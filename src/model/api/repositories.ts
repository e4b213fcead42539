import { z } from 'zod'
import { RepositoryId, ReviewId } from '../id.ts'
import { Repository } from '../repository.ts'
import { Review, ReviewerResult } from '../issue/review.ts'
import { ReviewEvent } from '../review/review-event.ts'

/** A repository as lists show it. */
export const RepositoryView = Repository.omit({ key: true }).extend({
  name: z.string(),
  /** Whether its folder is still there; an address is asked when it is needed. */
  available: z.boolean(),
})
export type RepositoryView = z.infer<typeof RepositoryView>

export const RepositoryList = z.object({
  schema: z.literal('fixpoint.repositories.v1'),
  repositories: z.array(RepositoryView).readonly(),
})
export type RepositoryList = z.infer<typeof RepositoryList>

/** A folder of the server's machine, or an address that it fetches. */
export const AddRepository = z
  .strictObject({
    path: z.string().min(1).optional(),
    url: z.string().min(1).optional(),
    /** Trusts what the files of its default branch would run or load, as they are now. */
    trust: z.boolean().optional(),
  })
  .refine(({ path, url }) => (path === undefined) !== (url === undefined), {
    error: 'expected one of path and url',
  })
export type AddRepository = z.infer<typeof AddRepository>

/** One repository with what has to be known before something is run in it. */
export const RepositoryDetail = RepositoryView.extend({
  base: z.object({ ref: z.string(), commit: z.string() }),
  /** The commands that its configuration would run; they run only once a person has trusted exactly these. */
  commands: z.array(z.object({ key: z.string(), run: z.string() })).readonly(),
  commands_hash: z.string().nullable(),
  trusted: z.boolean(),
  notes: z.array(z.string()).readonly(),
})
export type RepositoryDetail = z.infer<typeof RepositoryDetail>

/** A person has read the commands with this hash and lets them run. */
export const TrustCommands = z.strictObject({ commands_hash: z.string() })
export type TrustCommands = z.infer<typeof TrustCommands>

export const StartReview = z.strictObject({
  repository_id: RepositoryId,
  paths: z.array(z.string()).readonly().optional(),
  /** Only what changed since this revision. */
  base: z.string().optional(),
  /** Only what is staged, or everything that is not committed yet. */
  pending: z.enum(['staged', 'uncommitted']).optional(),
  /** A file or folder of specifications. */
  spec: z.string().optional(),
  /** Agents by name; the configured reviewers without it. */
  reviewers: z.array(z.string().min(1)).min(1).max(20).readonly().optional(),
})
export type StartReview = z.infer<typeof StartReview>

/** What a review, or the import of a report, has brought in. */
export const ReviewOutcome = z.object({
  schema: z.enum(['fixpoint.review.v1', 'fixpoint.import.v1']),
  review_id: ReviewId,
  /** `running` where the answer did not wait for the end (`Prefer: respond-async`). */
  state: z.enum([...Review.shape.state.options, 'running']),
  reviewers: z.array(ReviewerResult).readonly(),
  /** Of an import: what the report itself says it lacks. */
  incomplete: z.array(z.string()).readonly(),
  format: z.string().nullable(),
  findings: z.number().int(),
  issues_created: z.number().int(),
  issues_updated: z.number().int(),
})
export type ReviewOutcome = z.infer<typeof ReviewOutcome>

/** What the import of a report would bring in; nothing was stored. */
export const ImportPreview = z.object({
  schema: z.literal('fixpoint.import-preview.v1'),
  format: z.string(),
  incomplete: z.array(z.string()).readonly(),
  /** Who raised the findings, and how many each. */
  tools: z.array(z.object({ name: z.string(), findings: z.number().int() })).readonly(),
  findings: z.number().int(),
  issues_created: z.number().int(),
  issues_updated: z.number().int(),
  /** Known issues that the report says nothing new about. */
  issues_unchanged: z.number().int(),
  /** The first new issues, most urgent first. */
  examples: z
    .array(z.object({ title: z.string(), severity: z.string(), file: z.string().nullable() }))
    .readonly(),
})
export type ImportPreview = z.infer<typeof ImportPreview>

/** A review as lists show it: one that runs has no results yet. */
export const ReviewView = Review.omit({ running: true, ended: true }).extend({
  state: z.enum([...Review.shape.state.options, 'running', 'cancelled']),
  /** Why it ended without a result. */
  error: z.string().nullable(),
})
export type ReviewView = z.infer<typeof ReviewView>

export const ReviewList = z.object({
  schema: z.literal('fixpoint.reviews.v1'),
  reviews: z.array(ReviewView).readonly(),
})
export type ReviewList = z.infer<typeof ReviewList>

export const ReviewEventList = z.object({
  schema: z.literal('fixpoint.review-events.v1'),
  review_id: ReviewId,
  events: z.array(ReviewEvent).readonly(),
  /** What the reviewers said last; live text is not kept. */
  live: z.array(ReviewEvent).readonly(),
})
export type ReviewEventList = z.infer<typeof ReviewEventList>
