/**
 * Preloaded into a measured process: writes its peak resident memory, in bytes, and the processor time of it and all
 * that it started, in milliseconds, to descriptor 3 when it ends.
 */
import { readdirSync, readFileSync, writeSync } from 'node:fs'

const MS_PER_TICK = 10

process.on('exit', () => writeSync(3, `${peakBytes()} ${cpuMs()}`))

/** Linux hands the peak of the parent down through `getrusage`; `VmHWM` is this program's own. */
function peakBytes() {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS * 1024
  const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]
  return Number(kilobytes) * 1024
}

function cpuMs() {
  if (process.platform !== 'linux') return Number.NaN
  const threads = readdirSync('/proc/self/task')
  const children = threads.flatMap((thread) =>
    readFileSync(`/proc/self/task/${thread}/children`, 'utf8').split(' ').filter(Boolean),
  )
  return [`${process.pid}`, ...children].map(ticksOf).reduce((sum, ticks) => sum + ticks, 0) * MS_PER_TICK
}

/**
 * The processor time of the process itself and of its children that have ended.
 * @param {string} pid
 */
function ticksOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0)
}
