import { readFileSync } from 'node:fs'

/** Numbers that are in use are passed over, and a start that fails uses one up without being counted. */
const SLACK = 4096
/** When the highest number was given, the kernel goes on from here. */
const FIRST_AGAIN = 300

/** How many processes and threads were ever started; null where the kernel does not say. */
export const countStarts = (): number | null => numberIn('/proc/stat', /^processes (\d+)$/m)

/**
 * Which pids can be of processes that were started after `pid`: the kernel gives the numbers out in ascending order,
 * and begins anew behind the highest. Undefined when it may be any.
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
