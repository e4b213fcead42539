import { z } from 'zod'
import { Workspace } from '../../../model/workspace.ts'
import { createRunMark, isOwnerGone, parseRunMark, type RunOwner } from '../../process/run-mark.ts'
import { processTable } from '../../process/process-table.ts'
import { readIfThere, replaceFile } from '../git/files.ts'

/** What stands beside a tree: whose it is, and which of its paths are not the agent's. */
const WorkspaceRecord = z.object({
  /** Names the process that opened it, told apart from every later one with the same pid. */
  mark: z.string(),
  opened_at_ms: z.number(),
  /** Shared and set-up paths, left out of every capture. */
  excluded: z.array(z.string()).readonly(),
  /** Submodules of the tree, which stay as they are. */
  gitlinks: z.array(z.string()).readonly(),
  /** Null until it is whole. */
  workspace: Workspace.nullable(),
})
export type WorkspaceRecord = z.infer<typeof WorkspaceRecord>

export const newRecord = (home: string): WorkspaceRecord => ({
  mark: createRunMark(home),
  opened_at_ms: Date.now(),
  excluded: [],
  gitlinks: [],
  workspace: null,
})

export const writeRecord = (path: string, record: WorkspaceRecord): Promise<void> =>
  replaceFile(path, JSON.stringify(record))

/** Null when there is none that can be read. */
export async function readRecord(path: string): Promise<WorkspaceRecord | null> {
  const content = await readIfThere(path)
  if (content === null) return null
  try {
    return WorkspaceRecord.parse(JSON.parse(content.toString('utf8')))
  } catch {
    return null // half-written by a process that died
  }
}

export const ownerOf = (record: WorkspaceRecord): RunOwner | null => parseRunMark(record.mark)?.owner ?? null

/** Whether the process still runs; one that cannot be judged counts as alive. */
export const isOwnerAlive = (owner: RunOwner): boolean => !isOwnerGone(owner, processTable.list().entries)
