import { createHash, randomBytes } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { processTable, type ProcessEntry } from './process-table.ts'

/** Who started a run: a Fixpoint process, told apart from every other one on this machine, now and later. */
export interface RunOwner {
  readonly pid: number
  readonly startTicks: number
  readonly bootId: string
  /** Pids mean something only inside their own namespace (containers share a boot). */
  readonly pidNamespace: string
}

interface RunMark {
  readonly homeHash: string
  readonly owner: RunOwner
}

const NO_HOME = '-'
const MARK = /^([0-9a-f]{16}|-):(\d+):(\d+):([0-9a-f-]*):(\d*):[0-9a-f]+$/

/** A new mark for one run of this process, scoped to a FIXPOINT_HOME; without one, every home may sweep it. */
export function createRunMark(home?: string): string {
  const owner = currentOwner()
  const identity = [owner.pid, owner.startTicks, owner.bootId, owner.pidNamespace]
  return [hashHome(home), ...identity, randomBytes(8).toString('hex')].join(':')
}

export function parseRunMark(text: string): RunMark | null {
  const [, homeHash, pid, startTicks, bootId, pidNamespace] = MARK.exec(text) ?? []
  if (homeHash === undefined || bootId === undefined || pidNamespace === undefined) return null
  return { homeHash, owner: { pid: Number(pid), startTicks: Number(startTicks), bootId, pidNamespace } }
}

/** The folder, when it lies below the home that the mark names: then nobody but runs of Fixpoint works in it. */
export function ownFolder(mark: string, folder: string): string | undefined {
  const homeHash = parseRunMark(mark)?.homeHash
  for (let above = dirname(resolve(folder)); dirname(above) !== above; above = dirname(above))
    if (hashHome(above) === homeHash) return folder
  return undefined
}

export function belongsToHome(mark: RunMark, home: string): boolean {
  return mark.homeHash === NO_HOME || mark.homeHash === hashHome(home)
}

/** Whether a mark was made where this process can see its owner, since the machine was started. */
export function isOfThisMachine(mark: string): boolean {
  const owner = parseRunMark(mark)?.owner
  const here = currentOwner()
  return owner !== undefined && owner.bootId === here.bootId && owner.pidNamespace === here.pidNamespace
}

/** Whether the owner is surely dead; an owner in another pid namespace cannot be judged and counts as alive. */
export function isOwnerGone(
  owner: RunOwner,
  entries: readonly ProcessEntry[],
  here = currentOwner(),
): boolean {
  if (owner.bootId !== here.bootId) return true
  if (owner.pidNamespace !== here.pidNamespace) return false
  return !entries.some((entry) => entry.pid === owner.pid && entry.startTicks === owner.startTicks)
}

/** Whether the process still runs; one that cannot be judged counts as alive. Often asked, so it reads one process only. */
export function isOwnerAlive(owner: RunOwner): boolean {
  const entry = processTable.find(owner.pid)
  if (entry === undefined) return owner.bootId === currentOwner().bootId
  return !isOwnerGone(owner, entry ? [entry] : [])
}

let cachedOwner: RunOwner | undefined

function currentOwner(): RunOwner {
  return (cachedOwner ??= {
    pid: process.pid,
    startTicks: processTable.startTicksOf(process.pid),
    bootId: orEmpty(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')).trim(),
    pidNamespace: /\d+/.exec(orEmpty(() => readlinkSync('/proc/self/ns/pid')))?.[0] ?? '',
  })
}

function hashHome(home: string | undefined): string {
  if (home === undefined) return NO_HOME
  return createHash('sha256').update(resolve(home)).digest('hex').slice(0, 16)
}

function orEmpty(read: () => string): string {
  try {
    return read()
  } catch {
    return '' // a system without /proc
  }
}

const SIGNED_NAME = /-(\d+)-(\d+)-(\d*)-[0-9a-f]{12}(\.\w+)?$/

/** Where runs keep what they need on disk. */
export const runFilesFolder = (home: string): string => join(home, 'tasks')

/** A new path for what one agent run needs on disk; its name tells whose it is, and is short: sockets may lie below. */
export const runFilePath = (home: string, kind: string, extension = ''): string =>
  join(runFilesFolder(home), `${signedName(kind)}${extension}`)

/** A new name that tells which process gave it. */
export function signedName(kind: string): string {
  const { pid, startTicks, pidNamespace } = currentOwner()
  return [kind, pid, startTicks, pidNamespace, randomBytes(6).toString('hex')].join('-')
}

/** The names that dead processes gave. */
export function findDeadNames(names: readonly string[]): readonly string[] {
  // Reading the table costs as much as the machine has processes, and most folders hold no such name.
  if (!names.some((name) => SIGNED_NAME.test(name))) return []
  const { entries } = processTable.list()
  const { bootId } = currentOwner()
  return names.filter((name) => {
    const [, pid, startTicks, pidNamespace = ''] = SIGNED_NAME.exec(name) ?? []
    if (pid === undefined) return false
    // A leftover of another boot names no process of this one.
    return isOwnerGone({ pid: Number(pid), startTicks: Number(startTicks), pidNamespace, bootId }, entries)
  })
}

/** The paths in a folder whose names dead processes gave; none where there is no such folder. */
export async function findDeadPaths(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  })
  return findDeadNames(names).map((name) => join(folder, name))
}

/** Where it can be asked whether an owner is alive on any machine; null where all of them are on this one. */
interface OwnersKnown {
  readonly isOwnerAlive: ((owner: string) => boolean) | null
}

/**
 * Whether it is this very process that owns a session. The pid alone does not tell: in containers of one machine it is
 * mostly the same.
 */
export function isOwnProcess(mark: string): boolean {
  const owner = parseRunMark(mark)?.owner
  const here = currentOwner()
  return isOfThisMachine(mark) && owner?.pid === here.pid && owner.startTicks === here.startTicks
}

/**
 * Whether a session or review belongs to a process that is alive: here, or, where several machines share the database,
 * on any of them.
 */
export function isDriven(
  { isOwnerAlive }: OwnersKnown,
  { owner }: { readonly owner: string | null },
): boolean {
  if (owner === null) return false
  if (isOwnerAlive === null) return isAliveHere(owner)
  // A process of this machine that is gone is seen at once; one that is frozen tells nobody that it is alive.
  return isOwnerAlive(owner) && (!isOfThisMachine(owner) || isAliveHere(owner))
}

/** An owner that cannot be read counts as alive. */
function isAliveHere(owner: string): boolean {
  const mark = parseRunMark(owner)
  return mark === null || isOwnerAlive(mark.owner)
}
