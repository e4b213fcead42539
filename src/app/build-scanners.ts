import { findReportFormat } from '../adapters/findings/formats.ts'
import { parseMapping } from '../adapters/findings/mapped/mapping.ts'
import { readReport } from '../adapters/findings/read-report.ts'
import type { Scanner } from '../adapters/scanners/index.ts'
import type { ScannerConfig } from '../model/config/settings.ts'

/** The scanners as the configuration has them, with how each of their reports is read. */
export const buildScanners = (configured: readonly ScannerConfig[]): readonly Scanner[] =>
  configured.map(({ name, run, format, map, timeout_ms: timeoutMs }) => {
    const mapping = map === null ? undefined : parseMapping(map, `review.scanners "${name}": map`)
    return {
      name,
      run,
      timeoutMs,
      isByLine: (format !== null && findReportFormat(format).isByLine === true) || mapping?.list === null,
      read: (report, root) =>
        readReport(report, { root, sourceName: name, format: format ?? undefined, mapping }),
    }
  })
