import { join } from 'node:path'
import { Fault } from '../../../model/fault.ts'
import { Workspace } from '../../../model/attempt/workspace.ts'

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
