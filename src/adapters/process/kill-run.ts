import { setTimeout as delay } from 'node:timers/promises'
import type { Measured } from '../../loop/ports.ts'
import {
  findStrays,
  mountsOf,
  processTable,
  residentBytes,
  spaceOf,
  youngerPids,
  type ProcessEntry,
  type ProcessTable,
} from './process-table.ts'

/** All processes of one run, however they tried to leave it. */
export interface RunProcesses {
  readonly rootPid: number
  readonly rootStartTicks: number
  /** How many processes the kernel had started by then, where it says so. */
  readonly startsBefore: number | null
  readonly mark: string
  /** The folder that it works in, if no other run does: processes that cut themselves off are found there. */
  readonly folder?: string | undefined
  /** The root process is the jail itself: when it is gone, so is everything inside. */
  readonly isEnclosed?: boolean
  /** Pids found so far with their start: a process stays known after its parent, its only link to us, is gone. */
  readonly seen: Map<number, number>
  readonly zombies: Set<number>
}

/** What a search found; an uncertain one may have missed a process that was just being started. */
export interface FoundProcesses {
  readonly pids: number[]
  readonly isCertain: boolean
}

const KILL_LIMIT_MS = 5000
const DOUBT_LIMIT_MS = 200
const FIRST_PAUSE_MS = 1
const LONGEST_PAUSE_MS = 50

/** The living processes of a run: its group and session, its descendants and all that carry its mark. */
export function findRunProcesses(run: RunProcesses, table: ProcessTable = processTable): FoundProcesses {
  const { entries, zombies, hasGaps } = table.list(youngerPids(run.rootPid, run.startsBefore))
  // One that died while the list was read may have started another that is not in it; an old zombie has not.
  const freshZombies = zombies.filter(
    ({ pid, startTicks }) => startTicks >= run.rootStartTicks && !run.zombies.has(pid),
  )
  for (const zombie of freshZombies) run.zombies.add(zombie.pid)
  let isCertain = !hasGaps && freshZombies.length === 0
  const isMember = (entry: ProcessEntry): boolean => {
    if (run.seen.get(entry.pid) === entry.startTicks) return true
    if (entry.startTicks < run.rootStartTicks || entry.pid === process.pid) return false
    if (entry.groupId === run.rootPid || entry.sessionId === run.rootPid) return true
    const marks = table.marksOf(entry.pid)
    if (marks === null) isCertain = false
    return marks?.includes(run.mark) ?? false
  }
  const strays = new Set(findStraysOf(run, table, entries))
  const members = withDescendants(
    entries.filter((entry) => isMember(entry) || strays.has(entry)),
    entries,
  )
  for (const member of members) run.seen.set(member.pid, member.startTicks)
  // Nothing can be started behind walls that are gone, so there is no doubt.
  return { pids: members.map((member) => member.pid), isCertain: isCertain || run.isEnclosed === true }
}

/** False for a process that has dropped its whole environment, too. */
export const isMarked = (table: ProcessTable, pid: number): boolean => (table.marksOf(pid) ?? []).length > 0

/** Processes without a mark that were started since, and work in the folder of the run. */
const findStraysOf = (
  { folder, rootStartTicks }: RunProcesses,
  table: ProcessTable,
  entries: readonly ProcessEntry[],
): readonly ProcessEntry[] =>
  folder === undefined
    ? []
    : findStrays(entries, folder).filter(
        ({ pid, startTicks }) => startTicks >= rootStartTicks && !isMarked(table, pid),
      )

/** Kills every process of a run, again and again until none is left; returns those that would not die. */
export function killRun(run: RunProcesses, table: ProcessTable = processTable): Promise<number[]> {
  return killUntilNone(() => findRunProcesses(run, table))
}

/** Repeats find and kill until nothing is left for certain; what is started meanwhile is found the next time. */
export async function killUntilNone(find: () => FoundProcesses): Promise<number[]> {
  const startedAt = performance.now()
  let pauseMs = FIRST_PAUSE_MS
  for (;;) {
    const { pids, isCertain } = find()
    const elapsedMs = performance.now() - startedAt
    if (pids.length === 0 && (isCertain || elapsedMs > DOUBT_LIMIT_MS)) return []
    if (elapsedMs > KILL_LIMIT_MS) return pids
    for (const pid of pids) sendSignal(pid, 'SIGKILL')
    await delay(pauseMs)
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
  }
}

/** `members` and everything that descends from them. */
export function withDescendants(
  members: readonly ProcessEntry[],
  entries: readonly ProcessEntry[],
): ProcessEntry[] {
  const byParent = Map.groupBy(entries, (entry) => entry.parentPid)
  const found = new Map(members.map((member) => [member.pid, member]))
  for (const member of found.values()) {
    for (const child of byParent.get(member.pid) ?? []) found.set(child.pid, child)
  }
  return [...found.values()]
}

/** Sends a signal to the group of a run, but not to the wall around it, which would end everything at once. */
export function signalGroup(
  run: RunProcesses,
  signal: NodeJS.Signals,
  table: ProcessTable = processTable,
): void {
  if (!run.isEnclosed) return sendSignal(-run.rootPid, signal)
  const { entries } = table.list(youngerPids(run.rootPid, run.startsBefore))
  for (const { pid, groupId } of entries)
    if (groupId === run.rootPid && pid !== run.rootPid) sendSignal(pid, signal)
}

const MEASURED_EVERY_MS = 500

/** Looks from time to time at what a run takes of the machine; `end` stops looking. */
export function measureRun(
  run: RunProcesses,
  { use, disk }: Measured,
  onTooMuch: (what: string) => void,
): { end(): void } {
  const timer = setInterval(() => {
    const problem = (use && tooMuchUse(run, use)) ?? tooFullDisk(disk)
    if (problem !== null) onTooMuch(problem)
  }, MEASURED_EVERY_MS)
  timer.unref()
  return { end: () => clearInterval(timer) }
}

const megabytes = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MB`

function tooMuchUse(run: RunProcesses, use: NonNullable<Measured['use']>): string | null {
  const { pids } = findRunProcesses(run)
  if (pids.length > use.processes) return `it had more than ${use.processes} processes`
  const bytes = residentBytes(pids) + scratchBytes(run, pids, use.scratch)
  return bytes > use.memoryBytes ? `it took more than ${megabytes(use.memoryBytes)} of memory` : null
}

function tooFullDisk({ folder, freeBytes, freeFiles }: Measured['disk']): string | null {
  const space = spaceOf(folder)
  if (space === null) return null
  if (space.free < freeBytes) return `it filled the disk: less than ${megabytes(freeBytes)} are left of it`
  const isFull = space.freeFiles !== null && space.freeFiles < freeFiles
  return isFull ? `it filled the disk: it takes fewer than ${freeFiles} more files` : null
}

/** What lies in folders that only a run sees, seen through one of its processes that is inside of the walls. */
function scratchBytes(run: RunProcesses, pids: readonly number[], folders: readonly string[]): number {
  const outside = ['', mountsOf(process.pid), mountsOf(run.rootPid)]
  const inner = pids.find((pid) => !outside.includes(mountsOf(pid)))
  if (inner === undefined) return 0
  return folders.reduce((sum, folder) => sum + (spaceOf(`/proc/${inner}/root${folder}`)?.used ?? 0), 0)
}

/** Sends a signal to a process, or to a group when `pid` is negative; one that is gone or not ours is passed over. */
function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code !== 'ESRCH' && code !== 'EPERM') throw error
  }
}

const liveRuns = new Set<RunProcesses>()
let isListening = false

const ROUNDS_AT_EXIT = 3

/** Makes sure that the run does not outlive this process when it ends by itself or by `process.exit`. */
export function addLiveRun(run: RunProcesses): void {
  liveRuns.add(run)
  if (isListening) return
  isListening = true
  process.on('exit', killLiveRuns)
}

export const removeLiveRun = (run: RunProcesses): boolean => liveRuns.delete(run)

function killLiveRuns(): void {
  for (const run of liveRuns) {
    for (let round = 0; round < ROUNDS_AT_EXIT; round += 1) {
      for (const pid of findRunProcesses(run).pids) sendSignal(pid, 'SIGKILL')
    }
  }
}
