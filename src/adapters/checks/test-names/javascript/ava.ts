import { countTests, type OutputReader, type ParsedTest, type TestStatus } from '../reading/test-run.ts'

const COUNT = /^ {2}(\d+) (test|tests|known|uncaught|unhandled) ?(passed|failed|skipped|todo)?/
const RESULT = /^ {2}(?:(✔|✓)|(✘|✖)|-) (?:\[(fail|skip|todo|expected fail)\]:? )?(.+?)(?: \(\d[\d.]*m?s\))?$/
const FILE_FAILED = /^(.+?\.\w+) exited (?:with|due to) |^No tests found in (.+?)(?:,|$)/

/** AVA: its reporter names every test, and counts those that passed only when all did. */
export const avaReader: OutputReader = {
  name: 'ava',
  namesEveryTest: 'always',
  read(lines) {
    const end = lines.findLastIndex((line) => line === '  ─')
    const counts = lines.slice(end + 1).flatMap((line) => (COUNT.test(line) ? [line] : []))
    if (end === -1 || counts.length === 0) return null
    const count = (word: string): number | null => {
      const found = counts.map((line) => COUNT.exec(line)).filter((match) => match?.[3] === word)
      return found.length === 0 ? null : found.reduce((sum, match) => sum + Number(match?.[1]), 0)
    }
    const tests = lines.slice(0, end).flatMap(readResult)
    const passed = countTests(tests, 'passed')
    const failuresNamed = countTests(tests, 'failed') === (count('failed') ?? 0)
    const isCounted = count('passed') === null || count('passed') === passed
    return {
      tests,
      complete: failuresNamed && isCounted,
      failuresNamed,
      ran: passed + (count('failed') ?? 0),
      contradicted: !isCounted,
      reports: lines.filter((line) => /^ {2}\d+ tests? (?:passed|failed)/.test(line)).length,
    }
  },
}

function readResult(line: string): ParsedTest[] {
  const [, tick, cross, word, name] = RESULT.exec(line) ?? []
  if (name === undefined || (word === undefined && tick === undefined && cross === undefined)) return []
  const [, broken, empty] = FILE_FAILED.exec(name) ?? []
  const file = broken ?? empty
  if (cross !== undefined && file !== undefined) return [{ path: [file], status: 'failed', kind: 'suite' }]
  return [{ path: name.split(' › '), status: statusOf(word, cross), kind: 'test' }]
}

function statusOf(word: string | undefined, cross: string | undefined): TestStatus {
  if (word === 'skip') return 'skipped'
  if (word === 'todo' || word === 'expected fail') return 'todo'
  return cross === undefined ? 'passed' : 'failed'
}
