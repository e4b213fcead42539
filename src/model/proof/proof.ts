import { z } from 'zod'
import { TreeId } from '../id.ts'

/** Tests that fail without the fix and pass with it: what makes evidence E3. */
export const Proof = z.object({
  /** Whether the fix brought the tests, they were red before it, or another agent wrote them without seeing it. */
  source: z.enum(['added', 'existing', 'reproduced']),
  command: z.string(),
  tests: z.array(z.string()).readonly(),
  /** The tree on which they fail: the base with these tests, without the source hunks of the fix. */
  red_tree: TreeId,
  green_tree: TreeId,
  /** One line of how the first of them failed. */
  excerpt: z.string(),
})
export type Proof = z.infer<typeof Proof>
