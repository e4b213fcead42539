import { z } from 'zod'
import { Coverage, FileCoverage } from './coverage.ts'
import { WrittenFinding } from './finding.ts'
import { CommitId, RepositoryId, ReviewId, TreeId } from '../id.ts'

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
  /**
   * Of one that is under way: the process that runs it, null where its order says who, and what it reads. The rest is what
   * it is if that process dies.
   */
  running: z.object({ owner: z.string().nullable(), tree: TreeId, is_committed: z.boolean() }).optional(),
  /** Why it ended without a result, where no reviewer says so. */
  ended: z.object({ by: z.enum(['person', 'fault']), reason: z.string() }).optional(),
})
export type Review = z.infer<typeof Review>

const files = z.array(z.string()).readonly()
const findings = z.array(WrittenFinding).readonly()
const spent = z.object({ usd: z.number(), tokens: z.number() })

/** What a reviewer came to with one part of the code. */
export const PartAnswer = z.union([
  z.object({ failed: z.string(), files, spent }),
  z.object({ findings, coverage: Coverage.nullable(), spent }),
])
export type PartAnswer = z.infer<typeof PartAnswer>

/** What one reviewer said of its part of the code, or what a scanner said of all of it. */
export const KeptAnswer = z.union([
  z.object({
    agent: z.string(),
    /** How many parts this reviewer is asked about. */
    parts: z.number().int().positive(),
    files,
    answer: PartAnswer,
  }),
  z.object({ result: ReviewerResult, findings }),
])
export type KeptAnswer = z.infer<typeof KeptAnswer>
