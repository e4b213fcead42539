import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { Workspace } from '../../../model/attempt/workspace.ts'
import { replaceFile } from '../git/files.ts'
import { readJson, signature } from './owner.ts'

/** What stands beside a tree: whose it is, and which of its paths are not the agent's. */
const WorkspaceRecord = z.object({
  mark: z.string(),
  opened_at_ms: z.number(),
  /** The index file's name, another one each time: a git command that outlived its process cannot write this one. */
  index: z.string(),
  /** Shared and set-up paths, left out of every capture. */
  excluded: z.array(z.string()).readonly(),
  /** Submodules of the tree, which stay as they are. */
  gitlinks: z.array(z.string()).readonly(),
  /** The commit that its throw-away `.git` stands on. */
  head: z.string().optional(),
  /** Null until it is whole. */
  workspace: Workspace.nullable(),
})
export type WorkspaceRecord = z.infer<typeof WorkspaceRecord>

export const newRecord = (home: string): WorkspaceRecord => ({
  ...signature(home),
  opened_at_ms: Date.now(),
  index: `index-${randomUUID()}`,
  excluded: [],
  gitlinks: [],
  workspace: null,
})

export const writeRecord = (path: string, record: WorkspaceRecord): Promise<void> =>
  replaceFile(path, JSON.stringify(record))

/** Null when there is none that can be read. */
export async function readRecord(path: string): Promise<WorkspaceRecord | null> {
  return WorkspaceRecord.safeParse(await readJson(path)).data ?? null
}
