import { z } from 'zod'
import { TreeId } from './id.ts'

/** The private copy of the tree that an attempt, a check or a challenger works in. */
export const Workspace = z.object({
  /** Derived from what it is for (`att_…`, `att_…-challenge-1`), so that opening it twice finds it. */
  id: z.string().regex(/^[a-z0-9][a-z0-9_.-]{0,120}$/),
  path: z.string(),
  tree: TreeId,
})
export type Workspace = z.infer<typeof Workspace>
