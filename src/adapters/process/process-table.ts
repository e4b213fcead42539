import { spawnSync } from 'node:child_process'
import { closeSync, existsSync, openSync, readdirSync, readSync } from 'node:fs'

/** The variable that marks every process of a run; it is inherited by all that the run starts. */
export const RUN_VARIABLE = 'FIXPOINT_RUN'

/** One process; `startTicks` tells two processes with the same pid apart (0 where unknown). */
export interface ProcessEntry {
  readonly pid: number
  readonly parentPid: number
  readonly groupId: number
  readonly sessionId: number
  readonly startTicks: number
}

export interface ProcessList {
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
  startTicksOf(pid: number): number
  /** The run marks in the environment of a process; null while they cannot be told, as in the middle of an exec. */
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
