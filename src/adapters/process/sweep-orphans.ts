import { isMarked, killUntilNone, withDescendants, type FoundProcesses } from './kill-run.ts'
import { findStrays, processTable, type ProcessEntry, type ProcessTable } from './process-table.ts'
import { belongsToHome, isOwnerGone, parseRunMark } from './run-mark.ts'

interface Sweep {
  readonly killed: readonly number[]
  /** Orphans that could not be killed: of another user, or stuck in the kernel. */
  readonly left: readonly number[]
}

/**
 * Kills the processes that earlier Fixpoint processes of this home left running when they died; runs of a live owner
 * stay. `abandoned` are folders whose owners are dead: unmarked processes that work there belonged to them.
 */
export async function sweepOrphans(
  home: string,
  abandoned: readonly string[] = [],
  table: ProcessTable = processTable,
): Promise<Sweep> {
  const found = new Set<number>()
  const left = await killUntilNone(() => {
    const orphans = findOrphans(home, abandoned, table)
    for (const pid of orphans.pids) found.add(pid)
    return orphans
  })
  return { killed: [...found].filter((pid) => !left.includes(pid)), left }
}

/**
 * Ends the processes that one process of this machine has started, but not that process itself: it is frozen, and
 * others have gone on with its work.
 */
export async function endRunsOf(ownMark: string, table: ProcessTable = processTable): Promise<void> {
  const frozen = parseRunMark(ownMark)?.owner
  if (!frozen || frozen.pid === process.pid) return
  await killUntilNone(() => {
    const { entries, hasGaps } = table.list()
    const isOf = (entry: ProcessEntry): boolean =>
      (table.marksOf(entry.pid) ?? [])
        .map(parseRunMark)
        .some((mark) => mark?.owner.pid === frozen.pid && mark.owner.startTicks === frozen.startTicks)
    const spared = ownLine(entries)
    const pids = withDescendants(entries.filter(isOf), entries).map(({ pid }) => pid)
    return { pids: pids.filter((pid) => !spared.has(pid) && pid !== frozen.pid), isCertain: !hasGaps }
  })
}

/** The processes that such owners left running; none is ended. */
export function findOrphans(
  home: string,
  abandoned: readonly string[] = [],
  table: ProcessTable = processTable,
): FoundProcesses {
  const { entries, hasGaps } = table.list()
  const isOrphan = (entry: ProcessEntry): boolean =>
    (table.marksOf(entry.pid) ?? [])
      .map(parseRunMark)
      .some((mark) => mark !== null && belongsToHome(mark, home) && isOwnerGone(mark.owner, entries))
  const spared = ownLine(entries)
  const strays = abandoned
    .flatMap((folder) => findStrays(entries, folder))
    .filter(({ pid }) => !isMarked(table, pid))
  const orphans = withDescendants([...entries.filter(isOrphan), ...strays], entries).map((entry) => entry.pid)
  return { pids: orphans.filter((pid) => !spared.has(pid)), isCertain: !hasGaps }
}

/** This process and its ancestors: a Fixpoint that runs inside an orphaned run must not end itself. */
function ownLine(entries: readonly ProcessEntry[]): Set<number> {
  const parents = new Map(entries.map((entry) => [entry.pid, entry.parentPid]))
  const line = new Set<number>()
  for (
    let pid: number | undefined = process.pid;
    pid !== undefined && !line.has(pid);
    pid = parents.get(pid)
  ) {
    line.add(pid)
  }
  return line
}
