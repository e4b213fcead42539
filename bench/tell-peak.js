/** Preloaded into a measured process: writes its peak resident memory, in bytes, to descriptor 3 when it ends. */
import { readFileSync, writeSync } from 'node:fs'

process.on('exit', () => writeSync(3, String(peakBytes())))

/** Linux hands the peak of the parent down through `getrusage`; `VmHWM` is this program's own. */
function peakBytes() {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS * 1024
  const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]
  return Number(kilobytes) * 1024
}
