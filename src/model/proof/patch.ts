import { z } from 'zod'
import { TreeId } from '../id.ts'

export const PatchFile = z.object({
  /** Relative to the repository's root. A name that is not UTF-8 stands here in git's quoted form. */
  path: z.string(),
  status: z.enum(['added', 'modified', 'deleted', 'renamed', 'mode_changed', 'type_changed']),
  old_path: z.string().nullable(),
  mode: z.string(),
  old_mode: z.string(),
  /** Where a symbolic link points, for links only. */
  link_target: z.string().nullable(),
  binary: z.boolean(),
  additions: z.number().int(),
  deletions: z.number().int(),
})
export type PatchFile = z.infer<typeof PatchFile>

/** Something in the workspace that must never reach a tree: a nested repository, a `.git`-like path, a flood of bytes. */
export const RefusedPath = z.object({
  path: z.string(),
  reason: z.string(),
  /** Refused for the size of the patch, not for what it is. */
  is_flood: z.boolean().optional(),
})
export type RefusedPath = z.infer<typeof RefusedPath>

/** What an agent changed: base tree → tree, with its files. Refused paths are not part of the tree. */
export const Patch = z.object({
  base_tree: TreeId,
  tree: TreeId,
  files: z.array(PatchFile).readonly(),
  refused: z.array(RefusedPath).readonly(),
  /** What the agent did with git in its workspace, in words: none of it outlives the workspace. */
  undone: z.array(z.string()).readonly().optional(),
})
export type Patch = z.infer<typeof Patch>

export const isEmptyPatch = (patch: Patch): boolean =>
  patch.tree === patch.base_tree && patch.refused.length === 0

/** Every path a patch touches, both ends of a rename included. */
export const touchedPaths = (patch: Pick<Patch, 'files'>): readonly string[] => [
  ...new Set(patch.files.flatMap((file) => (file.old_path ? [file.old_path, file.path] : [file.path]))),
]

/** Paths as one reads them in a sentence: the first few, and how many more there are. */
export const listPaths = (paths: readonly string[]): string =>
  paths.length <= 8 ? paths.join(', ') : `${paths.slice(0, 8).join(', ')} and ${paths.length - 8} more`

/** Changed files that the finding does not name: noted for the report, not refused. */
export const filesOutsideFinding = (patch: Patch, file: string | null): readonly string[] =>
  touchedPaths(patch).filter((path) => path !== file)
