import { z } from 'zod'
import { AgentRun } from '../agent/agent.ts'
import { TreeId } from '../id.ts'
import { PatchFile, type Patch } from '../proof/patch.ts'

/** A test that another agent wrote before the fix, without seeing one; it counts only where it fails on the base. */
export const Reproduction = z.object({
  run: AgentRun,
  /** Null when the problem was not reproduced; the fix goes on without it. */
  test: z
    .object({
      /** The base with nothing but the new test. */
      tree: TreeId,
      files: z.array(PatchFile).readonly(),
      command: z.string(),
      tests: z.array(z.string()).readonly(),
      excerpt: z.string(),
    })
    .nullable(),
  reason: z.string(),
})
export type Reproduction = z.infer<typeof Reproduction>
type ReproducingTest = NonNullable<Reproduction['test']>

/** The patch that holds the reproducing test as well, in its own words whatever the patch made of it. */
export function withTest(patch: Patch, tree: TreeId, { files }: Pick<ReproducingTest, 'files'>): Patch {
  const paths = new Set(files.map(({ path }) => path))
  return { ...patch, tree, files: [...patch.files.filter(({ path }) => !paths.has(path)), ...files] }
}
