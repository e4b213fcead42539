import { z } from 'zod'
import { CommitId, RepositoryId, ReviewId } from './id.ts'

export const Coverage = z.object({
  reviewed: z.array(z.string()).readonly(),
  partly: z.array(z.object({ file: z.string(), why: z.string() })).readonly(),
  skipped: z.array(z.object({ file: z.string(), why: z.string() })).readonly(),
})
export type Coverage = z.infer<typeof Coverage>

export const ReviewerResult = z.object({
  agent: z.string(),
  state: z.enum(['complete', 'partial', 'failed']),
  reason: z.string().nullable(),
  findings: z.number().int(),
  coverage: Coverage.nullable(),
})
export type ReviewerResult = z.infer<typeof ReviewerResult>

/** One run that produces findings: by reviewers, or by reading a report. */
export const Review = z.object({
  id: ReviewId,
  repository_id: RepositoryId,
  kind: z.enum(['review', 'import']),
  commit: CommitId,
  state: z.enum(['complete', 'partial', 'failed']),
  reviewers: z.array(ReviewerResult).readonly(),
  created_at: z.string(),
})
export type Review = z.infer<typeof Review>
