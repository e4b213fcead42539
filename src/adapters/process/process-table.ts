import { spawnSync } from 'node:child_process'
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  statfsSync,
} from 'node:fs'

/**
 * The variable that marks every process of a run; it is inherited by all that the run starts. Its name says nothing of
 * Fixpoint: code that is judged must not be able to tell.
 */
export const RUN_VARIABLE = 'PROC_GROUP_ID'

/** One process; `startTicks` tells two processes with the same pid apart (0 where unknown). */
export interface ProcessEntry {
  readonly pid: number
  readonly parentPid: number
  readonly groupId: number
  readonly sessionId: number
  readonly startTicks: number
}

interface ProcessList {
  readonly entries: readonly ProcessEntry[]
  /** Dead processes that their parents have not noticed yet. */
  readonly zombies: readonly ProcessEntry[]
  /** A process ended while the list was read: one that it started in that moment may be missing. */
  readonly hasGaps: boolean
}

/** The living processes of this machine, read synchronously so that it also works while Node exits. */
export interface ProcessTable {
  /** All of them, or those whose pid is asked for. */
  list(isWanted?: (pid: number) => boolean): ProcessList
  /** One living process, without reading all of them; null when there is none of this pid, undefined when that cannot be read. */
  find(pid: number): ProcessEntry | null | undefined
  startTicksOf(pid: number): number
  /** The run marks in the environment of a process; null while they cannot be read, as in the middle of an exec. */
  marksOf(pid: number): readonly string[] | null
}

const procTable: ProcessTable = {
  list(isWanted = () => true) {
    const entries: ProcessEntry[] = []
    const zombies: ProcessEntry[] = []
    let hasGaps = false
    for (const name of readdirSync('/proc')) {
      if (!/^\d+$/.test(name) || !isWanted(Number(name))) continue
      const stat = parseProcStat(readProc(`/proc/${name}/stat`))
      if (stat === null) hasGaps = true
      else if (stat.kind === 'program') entries.push(stat.entry)
      else if (stat.kind === 'zombie') zombies.push(stat.entry)
    }
    return { entries, zombies, hasGaps }
  },
  find(pid) {
    const stat = parseProcStat(readProc(`/proc/${pid}/stat`))
    // With all file descriptors in use nothing can be read, but whether it is there.
    if (stat === null) return existsSync(`/proc/${pid}`) ? undefined : null
    return stat.kind === 'program' ? stat.entry : null
  },
  startTicksOf(pid) {
    return parseProcStat(readProc(`/proc/${pid}/stat`))?.entry.startTicks ?? 0
  },
  marksOf(pid) {
    return parseMarks(readProc(`/proc/${pid}/environ`))
  },
}

/** Where there is no /proc (macOS): parents and groups are known, sessions, start times and marks are not. */
export const psTable: ProcessTable = {
  list() {
    const { stdout } = spawnSync('/bin/ps', ['-A', '-o', 'pid=,ppid=,pgid=,stat='], {
      encoding: 'utf8',
      env: {},
    })
    const entries = (stdout ?? '').split('\n').flatMap((line) => {
      const [pid, parentPid, groupId, state] = line.trim().split(/\s+/)
      if (state === undefined || state.startsWith('Z')) return []
      const known = { pid: Number(pid), parentPid: Number(parentPid), groupId: Number(groupId) }
      return [{ ...known, sessionId: 0, startTicks: 0 }]
    })
    return { entries, zombies: [], hasGaps: false }
  },
  find: (pid) => psTable.list().entries.find((entry) => entry.pid === pid) ?? null,
  startTicksOf: () => 0,
  marksOf: () => [],
}

export const processTable: ProcessTable = existsSync('/proc/self/stat') ? procTable : psTable

const KERNEL_THREAD_FLAG = 0x0020_0000

/** Reads `/proc/<pid>/stat`: a running program, a zombie, a kernel thread; null when the process is gone. */
export function parseProcStat(
  stat: string,
): { readonly kind: 'program' | 'zombie' | 'kernel'; readonly entry: ProcessEntry } | null {
  // The name stands in parentheses and may itself hold spaces and parentheses.
  const nameEnd = stat.lastIndexOf(')')
  const [state, parentPid, groupId, sessionId, , , flags, ...rest] = stat.slice(nameEnd + 2).split(' ')
  const startTicks = rest[12]
  if (nameEnd === -1 || startTicks === undefined) return null
  const isKernel = (Number(flags) & KERNEL_THREAD_FLAG) !== 0
  return {
    kind: isKernel ? 'kernel' : state === 'Z' || state === 'X' ? 'zombie' : 'program',
    entry: {
      pid: Number.parseInt(stat, 10),
      parentPid: Number(parentPid),
      groupId: Number(groupId),
      sessionId: Number(sessionId),
      startTicks: Number(startTicks),
    },
  }
}

function parseMarks(environ: string): string[] | null {
  const start = `${RUN_VARIABLE}=`
  if (environ === '') return null
  if (!environ.includes(start)) return []
  return environ
    .split('\0')
    .filter((entry) => entry.startsWith(start))
    .flatMap((entry) => entry.slice(start.length).split(','))
}

// One buffer for all reads: files of /proc have no size, and `readFileSync` takes 64 kB anew for each of them.
const buffer = Buffer.allocUnsafe(2 ** 16)

function readProc(path: string): string {
  try {
    const file = openSync(path, 'r')
    try {
      let text = ''
      for (let length = buffer.length; length === buffer.length;) {
        length = readSync(file, buffer)
        text += buffer.toString('latin1', 0, length)
      }
      return text
    } finally {
      closeSync(file)
    }
  } catch (error) {
    // Gone since it was listed; or the process of another user, which has an environment but none of ours.
    return (error as NodeJS.ErrnoException).code === 'EACCES' ? '\0' : ''
  }
}

const PAGE_BYTES = 4096

/** The memory that processes have for themselves; shared memory counts once, with the largest share. */
export function residentBytes(pids: readonly number[]): number {
  const shared = pids.map((pid) =>
    Number(/^RssShmem:\s+(\d+)/m.exec(readProc(`/proc/${pid}/status`))?.[1] ?? 0),
  )
  const own = pids.map((pid) => {
    const [, all = 0, part = 0] = readProc(`/proc/${pid}/statm`).split(' ').map(Number)
    return Math.max(0, all - part)
  })
  return own.reduce((sum, pages) => sum + pages * PAGE_BYTES, 0) + Math.max(0, ...shared) * 1024
}

/** What names the mounts that a process sees; empty for one that is gone or not ours. */
export const mountsOf = (pid: number): string => linkOf(`${pid}/ns/mnt`)

/** What an empty file of a file system in memory takes of the kernel, at least. */
const FILE_BYTES = 1024

interface Space {
  /** Of memory, where the folder is kept there: its files also count when nothing is in them. */
  readonly used: number
  readonly free: number
  /** How many more files it takes; null where nothing but space limits that. */
  readonly freeFiles: number | null
}

/** What is used and what is free where a folder lies; null when it cannot be told. */
export function spaceOf(folder: string): Space | null {
  try {
    const { bsize, blocks, bfree, bavail, files, ffree } = statfsSync(folder)
    const used = (blocks - bfree) * bsize + (files - ffree) * FILE_BYTES
    return { used, free: bavail * bsize, freeFiles: files > 0 ? ffree : null }
  } catch (error) {
    if (error instanceof Error && 'code' in error) return null // gone meanwhile
    throw error
  }
}

/** Numbers that are in use are passed over, and a start that fails uses one up without being counted. */
const SLACK = 4096
/** When the highest number was given, the kernel goes on from here. */
const FIRST_AGAIN = 300

/** How many processes and threads were ever started; null where the kernel does not say. */
export const countStarts = (): number | null => numberIn('/proc/stat', /^processes (\d+)$/m)

/**
 * The pids that processes started after `pid` can have: the kernel gives the numbers out in ascending order, and begins
 * anew behind the highest. Undefined when it may be any.
 */
export function youngerPids(
  pid: number,
  startsBefore: number | null,
  { starts = countStarts(), highest = numberIn('/proc/sys/kernel/pid_max', /(\d+)/) } = {},
): ((pid: number) => boolean) | undefined {
  if (startsBefore === null || starts === null || highest === null) return undefined
  const span = 2 * (starts - startsBefore) + SLACK
  if (span > highest / 2) return undefined
  const end = pid + span
  return (other) => (other >= pid && other <= end) || other <= end - highest + FIRST_AGAIN
}

function numberIn(path: string, pattern: RegExp): number | null {
  try {
    const found = pattern.exec(readFileSync(path, 'latin1'))?.[1]
    return found === undefined ? null : Number(found)
  } catch {
    return null // a system without /proc
  }
}

/** Whether a living process has its working directory in this folder; null where that cannot be found out. */
export function isInhabited(folder: string): boolean | null {
  try {
    return readdirSync('/proc').some((name) => /^\d+$/.test(name) && isBelow(linkOf(`${name}/cwd`), folder))
  } catch {
    return null // a system without /proc
  }
}

/**
 * Processes that work in this folder without a terminal, and whose parents are gone: an agent started them there and
 * cut them off from itself. A person's shell has a terminal, and its parents live.
 */
export function findStrays(entries: readonly ProcessEntry[], folder: string): readonly ProcessEntry[] {
  const byPid = new Map(entries.map((entry) => [entry.pid, entry]))
  const isCutOff = ({ parentPid, sessionId }: ProcessEntry): boolean => {
    const parent = byPid.get(parentPid)
    // Orphans go to the first process, or to one that takes them in and is in another session.
    return parentPid === 1 || parent === undefined || (parent.sessionId !== sessionId && !isOurs(parent))
  }
  const isOurs = ({ pid, parentPid }: ProcessEntry): boolean =>
    pid === process.pid || parentPid === process.pid
  return entries.filter(
    (entry) => !isOurs(entry) && isCutOff(entry) && !hasTerminal(entry.pid) && worksIn(entry.pid, folder),
  )
}

function worksIn(pid: number, folder: string): boolean {
  if (isBelow(linkOf(`${pid}/cwd`), folder)) return true
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => isBelow(linkOf(`${pid}/fd/${fd}`), folder))
  } catch {
    return false // ended meanwhile, or of another user
  }
}

function hasTerminal(pid: number): boolean {
  const stat = readProc(`/proc/${pid}/stat`)
  const [, , , , terminal = '0'] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return terminal !== '0'
}

/** Empty for a process that has ended or belongs to another user. */
function linkOf(path: string): string {
  try {
    return readlinkSync(`/proc/${path}`)
  } catch {
    return ''
  }
}

const isBelow = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`)
