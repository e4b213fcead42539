import { randomUUID } from 'node:crypto'
import { lstatSync } from 'node:fs'
import { mkdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { Workspace } from '../../../model/attempt/workspace.ts'
import { Fault } from '../../../model/fault.ts'
import { removeTree } from '../../process/leftovers/remove-tree.ts'
import { replaceFile, readJsonFile, signature, hasCode } from '../objects/files.ts'

/** Where the parts of one workspace are. */
export interface WorkspaceLayout {
  readonly folder: string
  readonly tree: string
  readonly record: string
}

export const TREE = 'tree'
export const RECORD = 'owner.json'

export const workspacesFolder = (home: string): string => join(home, 'workspaces')
export const idleFolder = (home: string): string => join(home, 'idle')
export const trashFolder = (home: string): string => join(home, 'trash')

export const isWorkspaceId = (id: string): boolean => Workspace.shape.id.safeParse(id).success

export function layoutOf(home: string, id: string): WorkspaceLayout {
  if (!isWorkspaceId(id)) throw new Fault('internal', `${JSON.stringify(id)} is no id of a workspace`)
  const folder = join(workspacesFolder(home), id)
  return { folder, tree: join(folder, TREE), record: join(folder, RECORD) }
}

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
  return WorkspaceRecord.safeParse(await readJsonFile(path)).data ?? null
}

/** Takes a folder out of the way in one step, then deletes it: what still writes there reaches nothing new. */
export async function discard(home: string, folder: string): Promise<void> {
  // A home that is gone took its folders along; nothing of it is made again.
  if (!lstatSync(folder, { throwIfNoEntry: false })) return
  const trash = trashFolder(home)
  const aside = join(trash, randomUUID())
  await mkdir(trash, { recursive: true })
  try {
    await rename(folder, aside)
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return
    throw error
  }
  try {
    await removeTree(aside)
  } catch (error) {
    // Something still writes there, or it cannot be deleted at all. It is out of the way, and the trash is collected later.
    if (!(error instanceof Error)) throw error
  }
}
