import { statfsSync } from 'node:fs'
import { release, totalmem } from 'node:os'
import type { MadeLayers } from './layers.ts'

/** What one jail may use of the machine. */
export interface Limits {
  readonly processes: number
  readonly memoryBytes: number
  /** One file; a process that writes more gets a signal. */
  readonly fileBytes: number
  /** What stays free of the disk; a part of what is free at the start when not given. */
  readonly freeDiskBytes?: number
  /** How many more files the disk must take; as with its space when not given. */
  readonly freeDiskFiles?: number
}

const gib = 1024 ** 3

export const defaultLimits: Limits = {
  processes: 4096,
  memoryBytes: Math.max(2 * gib, Math.floor(totalmem() * 0.75)),
  fileBytes: 8 * gib,
}

const mostFilesKept = 200_000

/** A run may take much of a disk, but never the last of it. */
export function keptFree(
  folder: string,
  { freeDiskBytes, freeDiskFiles }: Limits,
): { readonly freeBytes: number; readonly freeFiles: number } {
  const { bavail, bsize, ffree } = statfsSync(folder)
  return {
    freeBytes: freeDiskBytes ?? Math.min(2 * gib, Math.floor((bavail * bsize) / 4)),
    freeFiles: freeDiskFiles ?? Math.min(mostFilesKept, Math.floor(ffree / 4)),
  }
}

/** Folders of control groups that a process joins. */
interface Grouped {
  readonly folders: readonly string[]
}

/** Since this version a kernel counts the processes of each user namespace by themselves. */
const countsByNamespace = [5, 14] as const

function canCountInside(): boolean {
  const [major = 0, minor = 0] = release().split('.').map(Number)
  return major > countsByNamespace[0] || (major === countsByNamespace[0] && minor >= countsByNamespace[1])
}

/** The program with a limit of processes that holds inside of the jail alone, where no control group keeps one. */
export const countedInside = (
  group: Grouped | null,
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

const setpriv = '/usr/bin/setpriv'

/** A command that is killed when the process that starts it ends, however that ends. */
export const dyingWithParent = (command: readonly string[]): readonly string[] => [
  setpriv,
  '--pdeathsig',
  'KILL',
  ...command,
]

/**
 * Sets the inherited limits, makes the layers, joins the control groups and becomes the program, all in the started
 * process itself, so that nothing of the program runs without limits. It does not begin when another process has become
 * its parent. The groups come last, because the kernel takes its time over them (`hastenJoining`).
 */
export function limitedStart(
  { group, layers, limits: { fileBytes }, diesEarly }: StartedWith,
  command: readonly string[],
): { readonly program: string; readonly args: readonly string[] } {
  const folders = group?.folders ?? []
  const start = [
    ...layers.around,
    '/bin/sh',
    '-c',
    `[ "$PPID" = ${process.pid} ] || exit 125; ulimit -c 0; ulimit -f ${Math.floor(fileBytes / blockBytes)} || exit 125
${layers.script}n=$1; shift; while [ "$n" -gt 0 ]; do echo 0 > "$1/cgroup.procs" || exit 125; shift; n=$((n - 1)); done; exec "$@"`,
    'sh',
    ...layers.words,
    String(folders.length),
    ...folders,
    ...command,
  ]
  const [program = '', ...args] = diesEarly ? dyingWithParent(start) : start
  return { program, args }
}

interface StartedWith {
  readonly group: Grouped | null
  readonly layers: MadeLayers
  readonly limits: Limits
  readonly diesEarly: boolean
}
