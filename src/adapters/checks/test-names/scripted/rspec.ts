import { countTests, type OutputReader, type ParsedTest, type TestStatus } from '../reading/test-run.ts'

const COUNTS =
  /^(\d+) examples?, (\d+) failures?(?:, (\d+) pending)?(?:, (\d+) errors? occurred outside of examples)?$/
const RERUN = /^rspec (?:'.+?'|\S+) # (.+)$/
const BROKEN = /^An error occurred while loading (.+?)\.?$/
const LISTED = /^( *)(\S.*?)(?: \((FAILED - \d+|PENDING: .*)\))?$/

/** RSpec: all names in its documentation format, else the failed ones from its last lines. */
export const rspecReader: OutputReader = {
  name: 'rspec',
  namesEveryTest: 'verbose',
  read(lines) {
    const counts = lines.flatMap((line) => {
      const found = COUNTS.exec(line)
      return found ? [found.slice(1).map((text) => Number(text ?? 0))] : []
    })
    if (counts.length === 0) return null
    const sum = (at: number): number => counts.reduce((total, numbers) => total + (numbers[at] ?? 0), 0)
    const [total, failed, pending] = [sum(0), sum(1), sum(2)]
    const listed = readListed(lines)
    const isListed = listed.length === total
    const rerun = lines.flatMap((line) => RERUN.exec(line)?.[1] ?? []).map((name) => asTest([name], 'failed'))
    const broken = lines
      .flatMap((line) => BROKEN.exec(line)?.[1] ?? [])
      .map((path): ParsedTest => ({ path: [path], status: 'failed', kind: 'suite' }))
    const tests = [...(isListed ? listed : rerun), ...broken]
    const failuresNamed = countTests(tests, 'failed') === failed && broken.length === sum(3)
    return {
      tests,
      complete: failuresNamed && isListed,
      failuresNamed,
      ran: total - pending,
      contradicted: false,
      reports: counts.length,
    }
  },
}

/** The name as RSpec itself joins it. */
const asTest = (path: readonly string[], status: TestStatus): ParsedTest => ({
  path: [path.join(' ')],
  status,
  kind: 'test',
})

/** Groups by their indentation; a line with nothing deeper below it is an example. */
function readListed(lines: readonly string[]): ParsedTest[] {
  const end = lines.findIndex((line) => /^(?:Pending:|Failures:|Finished in )/.test(line))
  const listed = lines.slice(0, Math.max(0, end)).filter((line) => line.trim() !== '')
  const depthOf = (line: string | undefined): number =>
    line === undefined ? 0 : (line.length - line.trimStart().length) / 2
  const tests: ParsedTest[] = []
  let groups: readonly string[] = []
  listed.forEach((line, index) => {
    const [, , name = '', mark] = LISTED.exec(line) ?? []
    const depth = depthOf(line)
    groups = groups.slice(0, depth)
    if (depthOf(listed[index + 1]) > depth) groups = [...groups, name]
    else if (depth > 0) {
      const status = mark === undefined ? 'passed' : mark.startsWith('FAILED') ? 'failed' : 'skipped'
      tests.push(asTest([...groups, name], status))
    }
  })
  return tests
}
