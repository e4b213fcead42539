import { existsSync, lstatSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import pLimit from 'p-limit'
import type { SetupTold, Workspaces } from '../../../loop/ports.ts'
import type { Workspace } from '../../../model/attempt/workspace.ts'
import { signature } from '../objects/files.ts'
import type { GitRepository } from '../objects/repository.ts'
import { captureTree } from './capture.ts'
import { createIdleTrees, type IdleTree } from './idle-trees.ts'
import { openWorkspace } from './open-workspace.ts'
import { createPreparer, type Prepare } from './prepare.ts'
import { layoutOf, readRecord, writeRecord, discard } from './workspace-folder.ts'

/**
 * The port over folders in FIXPOINT_HOME: each a tree, and outside of it an index and a record of its owner. The tree
 * of a closed workspace is used again for a later one, as far as nobody touched it.
 */
export function createWorkspaces(repository: GitRepository, prepare: Prepare | null = null): Workspaces {
  const { home } = repository
  const listeners = new Set<(told: SetupTold) => Promise<void>>()
  const publish = async (told: SetupTold): Promise<void> => {
    for (const listener of listeners) await listener(told)
  }
  const preparer = prepare === null ? null : createPreparer(repository, prepare, publish)
  const idle = createIdleTrees(repository)
  const limit = pLimit(availableParallelism())
  const whileMade = tellingWhenLong(publish)
  const open = new Map<string, IdleTree['used'] | null>()
  let mostOpen = 0

  /** There are never more trees, open and idle together, than were open at once. */
  const close = async (id: string): Promise<void> => {
    const { folder } = layoutOf(home, id)
    const used = open.get(id) ?? null
    open.delete(id)
    const isParked = used !== null && (await idle.park(folder, used, mostOpen - open.size))
    if (!isParked && lstatSync(folder, { throwIfNoEntry: false })) await discard(home, folder)
  }

  return {
    async open(request) {
      await close(request.id)
      open.set(request.id, null)
      mostOpen = Math.max(mostOpen, open.size)
      const takeIdle = () => idle.take(request.tree)
      const { workspace, used } = await openWorkspace(repository, preparer, {
        request,
        takeIdle,
        limit,
        whileMade,
      })
      open.set(request.id, used)
      return workspace
    },
    find: (id) => findWorkspace(home, id, { isOurs: open.has(id) }),
    capture: ({ id }, base) =>
      captureTree(repository, { layout: layoutOf(home, id), base, used: open.get(id) ?? null }),
    close,
    onSetup(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

/** Shorter waits are not worth a word. */
const longMs = 1000

/** Of those that wait at once, the first that waits long and the last are told of. */
function tellingWhenLong(publish: (told: SetupTold) => Promise<void>) {
  let waiting = 0
  let isTold = false
  return async <Made>(work: () => Promise<Made>): Promise<Made> => {
    waiting += 1
    const timer = setTimeout(() => {
      if (isTold) return
      isTold = true
      // Whatever keeps it from being told, such as a store that is gone, those who work on meet too.
      publish({ run: null, isOver: false }).catch(() => undefined)
    }, longMs)
    try {
      return await work()
    } finally {
      clearTimeout(timer)
      waiting -= 1
      if (waiting === 0 && isTold) {
        isTold = false
        await publish({ run: null, isOver: true }).catch(() => undefined)
      }
    }
  }
}

/** A process that finds a whole workspace goes on with it, and owns it from then on. */
async function findWorkspace(
  home: string,
  id: string,
  { isOurs }: { readonly isOurs: boolean },
): Promise<Workspace | null> {
  const layout = layoutOf(home, id)
  const record = await readRecord(layout.record)
  // A record with another id: the tree was about to be used again for this workspace.
  if (record?.workspace?.id !== id || !existsSync(layout.tree)) return null
  if (!isOurs) await writeRecord(layout.record, { ...record, ...signature(home) })
  return record.workspace
}
