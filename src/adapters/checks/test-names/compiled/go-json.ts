import { closePackage, keepWorst } from './go-test.ts'
import { countRan, type OutputReader, type TestStatus } from '../reading/test-run.ts'

interface Event {
  readonly action: string
  readonly package: string
  readonly test: string | null
}

interface Package {
  readonly results: Map<string, TestStatus>
  readonly started: Set<string>
  ended: 'pass' | 'fail' | 'skip' | null
}

const STATUSES = new Map<string, TestStatus>([
  ['pass', 'passed'],
  ['fail', 'failed'],
  ['skip', 'skipped'],
])

/** `go test -json`. */
export const goJsonReader: OutputReader = {
  name: 'go-json',
  namesEveryTest: 'always',
  read(lines) {
    const packages = new Map<string, Package>()
    for (const event of lines.flatMap(readEvent)) {
      const entry = packages.get(event.package) ?? { results: new Map(), started: new Set(), ended: null }
      packages.set(event.package, entry)
      const status = STATUSES.get(event.action)
      if (event.test !== null && event.action === 'run') entry.started.add(event.test)
      if (event.test !== null && status !== undefined) keepWorst(entry.results, event.test, status)
      if (event.test === null && isEnding(event.action)) entry.ended = event.action
    }
    if (packages.size === 0) return null
    const complete = [...packages.values()].every(
      ({ ended, started, results }) => ended !== null && [...started].every((test) => results.has(test)),
    )
    const tests = [...packages].flatMap(([name, entry]) =>
      closePackage(name, { ...entry, hasFailed: entry.ended === 'fail' }),
    )
    return {
      tests,
      complete,
      failuresNamed: complete,
      ran: countRan(tests),
      contradicted: !complete,
    }
  },
}

function isEnding(action: string): action is 'pass' | 'fail' | 'skip' {
  return action === 'pass' || action === 'fail' || action === 'skip'
}

function readEvent(line: string): Event[] {
  if (!line.startsWith('{"') || !line.includes('"Action":"') || line.includes('"Action":"output"')) return []
  try {
    const { Action: action, Package: name, Test: test } = JSON.parse(line) as Record<string, unknown>
    if (typeof action !== 'string' || typeof name !== 'string') return []
    return [{ action, package: name, test: typeof test === 'string' ? test : null }]
  } catch {
    return [] // other output that looks like an event
  }
}
