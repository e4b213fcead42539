import {
  countRan,
  countTests,
  type OutputReader,
  type ParsedRun,
  type ParsedTest,
  type TestStatus,
} from '../reading/test-run.ts'

const TARGET = /^ +(?:Running (?:unittests )?(\S+) \((\S+)\)|Doc-tests (\S+))$/
const RUNNING = /^running \d+ tests?$/
const RESULT = /^test (.+) \.\.\. (ok|FAILED|ignored(?:, .*)?|bench: .*)$/s
const SUMMARY =
  /^test result: (?:ok|FAILED)\. (\d+) passed; (\d+) failed; (\d+) ignored; (\d+) measured; \d+ filtered out/
const FAILURE = /^ {4}(\S.*)$/

/** `cargo test`: all names, or with `--quiet` the failed ones. */
export const cargoTestReader: OutputReader = {
  name: 'cargo-test',
  namesEveryTest: 'verbose',
  read(lines) {
    const targets = lines.flatMap(readTarget)
    const blocks = readBlocks(lines)
    if (blocks.length === 0) return null
    // Targets are named on stderr and their tests on stdout: the n-th belongs to the n-th.
    const tests = blocks.flatMap((block, index) => {
      const target = targets.length === blocks.length ? targets.slice(index, index + 1) : []
      return block.tests.map((test): ParsedTest => ({ ...test, path: [...target, ...test.path] }))
    })
    return {
      tests,
      complete: blocks.every((block) => block.complete),
      failuresNamed: blocks.every((block) => block.failuresNamed),
      ran: blocks.reduce((sum, block) => sum + block.ran, 0),
      contradicted: blocks.some((block) => block.contradicted),
    }
  },
}

function readTarget(line: string): string[] {
  const [, path, program = '', documented] = TARGET.exec(line) ?? []
  if (documented !== undefined) return [`${documented} documentation`]
  if (path === undefined) return []
  const crate = program.slice(program.lastIndexOf('/') + 1, program.lastIndexOf('-'))
  return [`${crate} ${path}`]
}

type Block = Omit<ParsedRun, 'format' | 'ran' | 'reports'> & { readonly ran: number }

function readBlocks(lines: readonly string[]): Block[] {
  const blocks: Block[] = []
  let tests: ParsedTest[] | null = null
  let failed = new Set<string>()
  let isListingFailures = false
  for (const line of lines) {
    if (RUNNING.test(line)) {
      if (tests !== null) blocks.push(brokenOff(tests))
      tests = []
      failed = new Set()
    }
    if (tests === null) continue
    const result = RESULT.exec(line)
    const failure: string | undefined = isListingFailures ? FAILURE.exec(line)?.[1] : undefined
    isListingFailures = line === 'failures:' || failure !== undefined
    const name = result?.[1] ?? failure
    const status = failure === undefined ? statusOf(result?.[2] ?? '') : 'failed'
    if (name !== undefined && !(failure !== undefined && failed.has(failure))) {
      tests.push({ path: pathOf(name), status, kind: 'test' })
      if (status === 'failed') failed.add(name)
    }
    const summary = SUMMARY.exec(line)
    if (summary !== null) {
      blocks.push(closeBlock(tests, summary.slice(1).map(Number)))
      tests = null
    }
  }
  return tests === null ? blocks : [...blocks, brokenOff(tests)]
}

function closeBlock(
  tests: readonly ParsedTest[],
  [passed = 0, failed = 0, ignored = 0, measured = 0]: number[],
): Block {
  const failuresNamed = countTests(tests, 'failed') === failed
  const total = passed + failed + ignored + measured
  const complete = failuresNamed && countTests(tests) === total
  return { tests, complete, failuresNamed, ran: passed + failed, contradicted: countTests(tests) > total }
}

function brokenOff(tests: readonly ParsedTest[]): Block {
  return { tests, complete: false, failuresNamed: false, ran: countRan(tests), contradicted: true }
}

/** Without the line number of a documentation test, which moves with every edit above it. */
function pathOf(name: string): string[] {
  const stable = name.replace(/ \(line \d+\)/, '').replace(/ - should panic$/, '')
  return stable.includes(' - ') ? [stable] : stable.split('::')
}

function statusOf(verdict: string): TestStatus {
  if (verdict.startsWith('ignored')) return 'skipped'
  return verdict === 'FAILED' ? 'failed' : 'passed'
}
