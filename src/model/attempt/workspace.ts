import { z } from 'zod'
import { TreeId } from '../id.ts'

/** How far a workspace got what git ignores; a failed setup leaves verification `not_evaluated`. */
export const Preparation = z.object({
  setup: z.enum(['none', 'done', 'failed']),
  /** Why the setup failed, with the end of its output; null unless it failed. */
  reason: z.string().nullable(),
  /** What the person should know, such as a shared path that is not there. */
  warnings: z.array(z.string()).readonly(),
})
export type Preparation = z.infer<typeof Preparation>

/** The private copy of the tree that an attempt, a check or a challenger works in. */
export const Workspace = z.object({
  /** Derived from what it is for (`att_…`, `att_…-challenge-1`), so that opening it twice finds it. */
  id: z.string().regex(/^[a-z0-9][a-z0-9_.-]{0,120}$/),
  path: z.string(),
  tree: TreeId,
  /** Absent when nothing is configured to be set up or shared. */
  preparation: Preparation.optional(),
})
export type Workspace = z.infer<typeof Workspace>
