import { randomBytes } from 'node:crypto'
import { existsSync, statfsSync } from 'node:fs'
import { mkdir, rmdir, writeFile } from 'node:fs/promises'
import { release, totalmem } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

/** What one jail may use of the machine. */
export interface Limits {
  readonly processes: number
  readonly memoryBytes: number
  /** One file; a process that writes more gets a signal. */
  readonly fileBytes: number
  /** What stays free of the disk; a part of what is free at the start when not given. */
  readonly freeDiskBytes?: number
}

const gib = 1024 ** 3

export const defaultLimits: Limits = {
  processes: 4096,
  memoryBytes: Math.max(2 * gib, Math.floor(totalmem() * 0.75)),
  fileBytes: 8 * gib,
}

/** A run may take much of a disk, but never the last of it. */
export const keptFree = (folder: string, { freeDiskBytes }: Limits): number => {
  if (freeDiskBytes !== undefined) return freeDiskBytes
  const { bavail, bsize } = statfsSync(folder)
  return Math.min(2 * gib, Math.floor((bavail * bsize) / 4))
}

/** A group of processes that the kernel keeps within its limits. */
export interface ControlGroup {
  /** Folders whose `cgroup.procs` the first process of a run writes itself into. */
  readonly folders: readonly string[]
  remove(): Promise<void>
}

const place = '/sys/fs/cgroup'

/** Makes a control group where this process may; null where it may not, and the limits are measured instead. */
export async function makeControlGroup(limits: Limits): Promise<ControlGroup | null> {
  const name = `fixpoint-${randomBytes(8).toString('hex')}`
  const isUnified = existsSync(join(place, 'cgroup.controllers'))
  const settings: Readonly<Record<string, Readonly<Record<string, number>>>> = isUnified
    ? { [name]: { 'pids.max': limits.processes, 'memory.max': limits.memoryBytes } }
    : {
        [join('pids', name)]: { 'pids.max': limits.processes },
        [join('memory', name)]: { 'memory.limit_in_bytes': limits.memoryBytes },
      }
  const folders = Object.keys(settings).map((folder) => join(place, folder))
  try {
    if (isUnified) await writeFile(join(place, 'cgroup.subtree_control'), '+pids +memory')
    for (const [folder, values] of Object.entries(settings)) {
      await mkdir(join(place, folder))
      for (const [file, value] of Object.entries(values))
        await writeFile(join(place, folder, file), String(value))
    }
    return { folders, remove: () => removeAll(folders) }
  } catch {
    await removeAll(folders) // a container, or somebody who is not root
    return null
  }
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

/** Since this version a kernel counts the processes of each user namespace by themselves. */
const countsByNamespace = [5, 14] as const

function canCountInside(): boolean {
  const [major = 0, minor = 0] = release().split('.').map(Number)
  return major > countsByNamespace[0] || (major === countsByNamespace[0] && minor >= countsByNamespace[1])
}

/** The program with a limit of processes that holds inside of the jail alone, where no control group keeps one. */
export const countedInside = (
  group: ControlGroup | null,
  { processes }: Limits,
  command: readonly string[],
): readonly string[] =>
  group !== null || !canCountInside()
    ? command
    : // Which of the two it is depends on the shell.
      [
        '/bin/sh',
        '-c',
        `ulimit -p ${processes} 2> /dev/null || ulimit -u ${processes}; exec "$@"`,
        'sh',
        ...command,
      ]

const blockBytes = 512

/**
 * Joins the control groups, sets what is inherited and becomes the program: all in the process that is started, so that
 * nothing of it runs without limits.
 */
export const limitedStart = (
  group: ControlGroup | null,
  { fileBytes }: Limits,
  command: readonly string[],
): { readonly program: string; readonly args: readonly string[] } => ({
  program: '/bin/sh',
  args: [
    '-c',
    `ulimit -c 0; ulimit -f ${Math.floor(fileBytes / blockBytes)} || exit 125; n=$1; shift; while [ "$n" -gt 0 ]; do echo 0 > "$1/cgroup.procs" || exit 125; shift; n=$((n - 1)); done; exec "$@"`,
    'sh',
    String(group?.folders.length ?? 0),
    ...(group?.folders ?? []),
    ...command,
  ],
})
