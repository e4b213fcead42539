import type { ScannerResult, Scanners } from '../../loop/ports.ts'
import { runScanner, type Scanner, type ScannerOptions } from './run-scanner.ts'

export { createScannerOrigins } from './origin.ts'
export type { Scanner } from './run-scanner.ts'

/** Trees that are remembered: the base of each running session, and the patches of the last attempts. */
const remembered = 32

/** The configured scanners; a scanner looks at a tree once, however often it is asked. */
export function createScanners(scanners: readonly Scanner[], options: ScannerOptions): Scanners {
  const known = new Map<string, Promise<ScannerResult>>()
  const byName = new Map(scanners.map((scanner) => [scanner.name, scanner]))

  function remember(key: string, scan: Promise<ScannerResult>): Promise<ScannerResult> {
    known.set(key, scan)
    const [oldest] = known.keys()
    if (known.size > remembered && oldest !== undefined) known.delete(oldest)
    return scan
  }

  return {
    names: scanners.map(({ name }) => name),
    async scan(name, revision, signal) {
      const scanner = byName.get(name)
      if (!scanner) return { failed: `no scanner is called "${name}"` }
      const key = `${name}\0${revision.tree}`
      const earlier = await known.get(key)
      if (earlier && !('failed' in earlier)) return earlier
      const own = remember(key, runScanner(scanner, { revision, signal }, options))
      const scan = await own
      // It may be luckier next time, and another's cancellation is not ours.
      if ('failed' in scan && known.get(key) === own) known.delete(key)
      return scan
    },
  }
}
