import { z } from 'zod'
import { Coverage, FileCoverage } from './coverage.ts'
import { CommitId, RepositoryId, ReviewId } from '../id.ts'

export const ReviewerResult = z.object({
  agent: z.string(),
  state: z.enum(['complete', 'partial', 'failed']),
  reason: z.string().nullable(),
  findings: z.number().int(),
  coverage: Coverage.nullable(),
  /** Parts of the code that it gave no answer about. */
  unanswered: z.number().int().optional(),
  /** What its runs took; scanners and reports do not say. */
  tokens: z.number().optional(),
  cost_usd: z.number().optional(),
})
export type ReviewerResult = z.infer<typeof ReviewerResult>

/** One run that produces findings: by reviewers, or by reading a report. */
export const Review = z.object({
  id: ReviewId,
  repository_id: RepositoryId,
  kind: z.enum(['review', 'import']),
  commit: CommitId,
  /** What the reviewers were asked to look at, in words. */
  scope: z.string().optional(),
  state: z.enum(['complete', 'partial', 'failed']),
  reviewers: z.array(ReviewerResult).readonly(),
  /** How well each file in scope was looked at, by the reviewer that looked best. */
  coverage: z.array(FileCoverage).readonly().optional(),
  created_at: z.string(),
})
export type Review = z.infer<typeof Review>
