import { existsSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Workspaces, WorkspaceRequest } from '../../../loop/ports.ts'
import type { Workspace } from '../../../model/workspace.ts'
import { parseGitlinks } from '../git/index-file.ts'
import { nameOfBytes } from '../git/names.ts'
import { createPreparer, type Prepare, type Preparer } from '../prepare/prepare.ts'
import type { GitRepository } from '../repository/open-repository.ts'
import { captureTree } from './capture.ts'
import { checkOut, type CheckedOut } from './check-out.ts'
import { layoutOf, workspacesFolder } from './layout.ts'
import { signature } from './owner.ts'
import { newRecord, readRecord, writeRecord } from './record.ts'
import { discard } from './remove.ts'
import { writeThrowAwayGit } from './throw-away-git.ts'

/** The port over folders in FIXPOINT_HOME: each a tree, and outside of it an index and a record of its owner. */
export function createWorkspaces(repository: GitRepository, prepare: Prepare | null = null): Workspaces {
  const preparer = prepare === null ? null : createPreparer(repository, prepare)
  return {
    open: (request) => openWorkspace(repository, preparer, request),
    find: (id) => findWorkspace(repository.home, id),
    capture: (workspace, base) => captureTree(repository, layoutOf(repository.home, workspace.id), base),
    close: (id) => discard(repository.home, layoutOf(repository.home, id).folder),
  }
}

async function openWorkspace(
  repository: GitRepository,
  prepare: Preparer | null,
  { id, tree, head, isPlain = false }: WorkspaceRequest,
): Promise<Workspace> {
  const { home } = repository
  const layout = layoutOf(home, id)
  await discard(home, layout.folder)
  await mkdir(workspacesFolder(home), { recursive: true })
  await mkdir(layout.folder)
  const record = newRecord(home)
  const checkedOut = { tree: layout.tree, index: join(layout.folder, record.index) }
  await writeRecord(layout.record, record)
  await checkOut(repository.owned, checkedOut, tree)
  const prepared = prepare === null || isPlain ? null : await prepare({ tree, head, checkedOut })
  const excluded = prepared?.excluded ?? []
  await writeThrowAwayGit(repository, checkedOut, { head, excluded })
  const gitlinks = await listGitlinks(repository, checkedOut)
  const workspace: Workspace = {
    id,
    path: layout.tree,
    tree,
    ...(prepared && { preparation: prepared.preparation }),
  }
  await writeRecord(layout.record, { ...record, excluded, gitlinks, workspace })
  return workspace
}

/** Whoever finds a workspace that is whole goes on with it, and owns it from then on. */
async function findWorkspace(home: string, id: string): Promise<Workspace | null> {
  const layout = layoutOf(home, id)
  const record = await readRecord(layout.record)
  if (record === null || record.workspace === null || !existsSync(layout.tree)) return null
  await writeRecord(layout.record, { ...record, ...signature(home) })
  return record.workspace
}

async function listGitlinks({ objectFormat }: GitRepository, { index }: CheckedOut): Promise<string[]> {
  const oidBytes = objectFormat === 'sha256' ? 32 : 20
  return parseGitlinks(await readFile(index), oidBytes).map(nameOfBytes)
}
