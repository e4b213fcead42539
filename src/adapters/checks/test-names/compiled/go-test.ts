import { countRan, type OutputReader, type ParsedTest, type TestStatus } from '../reading/test-run.ts'

const RESULT = /^ *--- (PASS|FAIL|SKIP): (\S+) \(\d[\d.]*s\)$/
const RUN = /^=== RUN +(\S+)$/
const PACKAGE = /^(ok|FAIL|\?) *\t(\S+)(?:[\t ]|$)/
const STATUSES: Readonly<Record<string, TestStatus>> = { PASS: 'passed', FAIL: 'failed', SKIP: 'skipped' }

/** What a package printed so far; its name comes only at its end. */
interface Package {
  readonly results: Map<string, TestStatus>
  readonly started: Set<string>
}

/** `go test`: all names with `-v`, else the failed ones. */
export const goTestReader: OutputReader = {
  name: 'go-test',
  namesEveryTest: 'verbose',
  read(lines) {
    const closed: ParsedTest[][] = []
    let current: Package = { results: new Map(), started: new Set() }
    let isVerbose = false
    let allEnded = true
    let hasPanicked = false

    for (const line of lines) {
      const started = RUN.exec(line)?.[1]
      const [, word = '', name] = RESULT.exec(line) ?? []
      const [, verdict, packageName] = PACKAGE.exec(line) ?? []
      const status = STATUSES[word]
      if (started !== undefined) {
        isVerbose = true
        current.started.add(started)
      } else if (name !== undefined && status !== undefined) keepWorst(current.results, name, status)
      else if (line.startsWith('panic: ')) hasPanicked = true
      else if (packageName !== undefined) {
        allEnded &&= [...current.started].every((test) => current.results.has(test))
        closed.push(closePackage(packageName, { ...current, hasFailed: verdict === 'FAIL' }))
        current = { results: new Map(), started: new Set() }
      }
    }
    if (closed.length === 0) return null
    const isWhole = allEnded && current.started.size === 0 && current.results.size === 0
    const failuresNamed = isWhole && !hasPanicked
    const tests = closed.flat()
    const ran = isVerbose ? countRan(tests) : null
    return {
      tests,
      complete: isVerbose && failuresNamed,
      failuresNamed,
      ran,
      contradicted: !failuresNamed,
    }
  },
}

/** The tests of a package; one that failed without a failed test (build, TestMain) failed by itself. */
export function closePackage(
  name: string,
  { results, hasFailed }: Pick<Package, 'results'> & { readonly hasFailed: boolean },
): ParsedTest[] {
  const tests = [...results].map(([test, status]): ParsedTest => ({
    path: [name, ...test.split('/')],
    status,
    kind: 'test',
  }))
  const isExplained = tests.some((test) => test.status === 'failed')
  return hasFailed && !isExplained ? [...tests, { path: [name], status: 'failed', kind: 'suite' }] : tests
}

/** With `-count` a test runs several times under one name; one failure is enough. */
export function keepWorst(results: Map<string, TestStatus>, test: string, status: TestStatus): void {
  if (results.get(test) !== 'failed') results.set(test, status)
}
