import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { rmdir, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { findDeadPaths, signedName } from '../process/run-mark.ts'
import type { Limits } from './limits.ts'

/** A group of processes that the kernel keeps within its limits. */
export interface ControlGroup {
  /** Folders whose `cgroup.procs` the first process of a run writes itself into. */
  readonly folders: readonly string[]
  remove(): Promise<void>
}

const place = '/sys/fs/cgroup'

const isUnified = (): boolean => existsSync(join(place, 'cgroup.controllers'))

/**
 * Begins early what the first process that joins a group waits for: a few milliseconds until every processor knows that
 * somebody joins one. This process joins the group that it is in, which changes nothing.
 */
export function hastenJoining(): void {
  const name = isUnified() ? '' : 'pids'
  const line = readFileSync('/proc/self/cgroup', 'utf8')
    .split('\n')
    .find((text) => text.split(':')[1] === name)
  if (line === undefined) return
  const own = join(place, name, line.slice(line.indexOf(':/') + 1), 'cgroup.procs')
  // Where it may not be written nothing is gained, and nothing lost.
  void writeFile(own, String(process.pid), { flag: 'r+' }).then(nothing, nothing)
}

const nothing = (): void => undefined

/** Makes a control group where this process may; null where it may not, and the limits are measured instead. */
export async function makeControlGroup(limits: Limits): Promise<ControlGroup | null> {
  const name = signedName('fixpoint')
  const settings: Readonly<Record<string, Readonly<Record<string, number>>>> = isUnified()
    ? { [name]: { 'pids.max': limits.processes, 'memory.max': limits.memoryBytes } }
    : {
        [join('pids', name)]: { 'pids.max': limits.processes },
        [join('memory', name)]: { 'memory.limit_in_bytes': limits.memoryBytes },
      }
  const folders = Object.keys(settings).map((folder) => join(place, folder))
  try {
    if (isUnified()) writeFileSync(join(place, 'cgroup.subtree_control'), '+pids +memory')
    for (const [folder, values] of Object.entries(settings)) {
      mkdirSync(join(place, folder))
      for (const [file, value] of Object.entries(values))
        writeFileSync(join(place, folder, file), String(value))
    }
    return { folders, remove: () => removeAll(folders) }
  } catch {
    await removeAll(folders) // a container, or somebody who is not root
    return null
  }
}

/** Removes the groups of Fixpoint processes that were killed; says which. One that still holds a process stays. */
export async function collectControlGroups(): Promise<readonly string[]> {
  const parents = ['', 'pids', 'memory'].map((name) => join(place, name))
  const found = await Promise.all(parents.map((parent) => findDeadPaths(parent).catch(() => [])))
  const gone: string[] = []
  for (const folder of found.flat().filter((path) => basename(path).startsWith('fixpoint-')))
    await rmdir(folder).then(
      () => gone.push(folder),
      () => undefined,
    )
  return gone
}

const removeTries = 20

/** A group can be removed once the kernel has forgotten its last process. */
async function removeAll(folders: readonly string[]): Promise<void> {
  for (const folder of folders)
    for (let tried = 0; tried < removeTries; tried += 1)
      try {
        await rmdir(folder)
        break
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EBUSY') break
        await delay(tried)
      }
}
