import { z } from 'zod'
import { RepositoryId } from '../id.ts'
import { Review } from '../issue/review.ts'
import { RepositoryView } from './repositories.ts'

/** What runs in a repository, and what waits for a person there. */
const Standing = z.object({
  id: RepositoryId,
  running: z.number().int(),
  waiting: z.number().int(),
})

/** One repository among many: what there is to do, what is being done, and how it goes. */
export const RepositoryStanding = RepositoryView.extend({
  ...Standing.shape,
  open: z.number().int(),
  failed: z.number().int(),
  fixed: z.number().int(),
  /** New issues per day, oldest first, the last is today in UTC. */
  trend: z.array(z.number().int()).readonly(),
  last_review: Review.pick({ id: true, kind: true, state: true, created_at: true }).nullable(),
})
export type RepositoryStanding = z.infer<typeof RepositoryStanding>

export const Overview = z.object({
  schema: z.literal('fixpoint.overview.v1'),
  repositories: z.array(RepositoryStanding).readonly(),
})
export type Overview = z.infer<typeof Overview>

/** Pushed whenever it changes. Repositories in which nothing runs or waits are left out. */
export const Pulse = z.object({
  repositories: z.array(Standing).readonly(),
  /** Another text after every write: answers that were read before may be old. */
  version: z.string().optional(),
})
export type Pulse = z.infer<typeof Pulse>
