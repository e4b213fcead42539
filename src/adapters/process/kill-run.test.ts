import { describe, expect, it } from 'vitest'
import { findRunProcesses, type RunProcesses } from './kill-run.ts'
import { parseProcStat, type ProcessEntry, type ProcessTable } from './process-table.ts'

const process100 = { pid: 100, parentPid: 1, groupId: 100, sessionId: 100, startTicks: 50 }
const stranger = { pid: 7, parentPid: 1, groupId: 7, sessionId: 7, startTicks: 90 }

function run(): RunProcesses {
  return {
    rootPid: 100,
    rootStartTicks: 50,
    startsBefore: null,
    mark: 'mark',
    seen: new Map(),
    zombies: new Set(),
  }
}

function table(
  entries: readonly ProcessEntry[],
  marks: Readonly<Record<number, readonly string[] | null>> = {},
  zombies: readonly ProcessEntry[] = [],
): ProcessTable {
  return {
    list: () => ({ entries, zombies, hasGaps: false }),
    find: (pid) => entries.find((entry) => entry.pid === pid) ?? null,
    startTicksOf: () => 0,
    marksOf: (pid) => (pid in marks ? (marks[pid] ?? null) : []),
  }
}

describe('the processes of a run', () => {
  it('are its group, its session, its descendants and all that carry its mark', () => {
    const entries = [
      stranger,
      process100,
      { pid: 101, parentPid: 1, groupId: 100, sessionId: 3, startTicks: 51 },
      { pid: 102, parentPid: 1, groupId: 102, sessionId: 100, startTicks: 51 },
      { pid: 103, parentPid: 102, groupId: 103, sessionId: 103, startTicks: 52 },
      { pid: 104, parentPid: 1, groupId: 104, sessionId: 104, startTicks: 53 },
      { pid: 105, parentPid: 104, groupId: 105, sessionId: 105, startTicks: 53 },
    ]
    const found = findRunProcesses(run(), table(entries, { 104: ['outer', 'mark'] }))
    expect(found.pids.toSorted((a, b) => a - b)).toEqual([100, 101, 102, 103, 104, 105])
    expect(found.isCertain).toBe(true)
  })

  it('never hold a process that is older than the run', () => {
    const older = { ...stranger, startTicks: 49 }
    expect(findRunProcesses(run(), table([older], { 7: ['mark'] })).pids).toEqual([])
  })

  it('hold a child that is found once and then loses its parent, but not a later process with its pid', () => {
    const target = run()
    const child = { pid: 103, parentPid: 100, groupId: 103, sessionId: 103, startTicks: 52 }
    findRunProcesses(target, table([process100, child]))
    expect(findRunProcesses(target, table([{ ...child, parentPid: 1 }])).pids).toEqual([103])
    expect(findRunProcesses(target, table([{ ...child, parentPid: 1, startTicks: 99 }])).pids).toEqual([])
  })

  it('are in doubt while a newer process shows no environment or has just died', () => {
    const target = run()
    expect(findRunProcesses(target, table([stranger], { 7: null }))).toEqual({ pids: [], isCertain: false })
    expect(findRunProcesses(target, table([], {}, [stranger]))).toEqual({ pids: [], isCertain: false })
    expect(findRunProcesses(target, table([], {}, [stranger]))).toEqual({ pids: [], isCertain: true })
  })
})

describe('a line of /proc/<pid>/stat', () => {
  const after = '1 42 43 0 -1 4194560 0 0 0 0 0 0 0 0 20 0 1 0 777 0 0'

  it('is read although the name holds spaces and parentheses', () => {
    expect(parseProcStat(`44 (a) S 1 (b) S ${after}`)).toEqual({
      kind: 'program',
      entry: { pid: 44, parentPid: 1, groupId: 42, sessionId: 43, startTicks: 777 },
    })
  })

  it('tells zombies and kernel threads from programs, and a process that is gone', () => {
    expect(parseProcStat(`44 (a) Z ${after}`)?.kind).toBe('zombie')
    expect(parseProcStat(`44 (a) I ${after.replace('4194560', '2129984')}`)?.kind).toBe('kernel')
    expect(parseProcStat('')).toBeNull()
  })
})
