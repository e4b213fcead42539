import { agreesWithCounts, namesAllFailures, ranByCounts, readCounts } from '../reading/node-counts.ts'
import { flattenResults, MAX_DEPTH, type ResultNode } from '../reading/result-tree.ts'
import { countRan, countTests, type OutputReader, type TestStatus } from '../reading/test-run.ts'

const RESULT = /^( *)(not ok|ok) (\d+)(.*)$/
const PLAN = /^( *)1\.\.(\d+)/
const DIRECTIVE = / # (skip|todo|time=)/i
const INDENT = 4

/** TAP 13 and 14, with subtests before their parent (TAP 14, node) or in braces after it (vitest). */
export const tapReader: OutputReader = {
  name: 'tap',
  namesEveryTest: 'always',
  read(lines) {
    const { roots, planned, plans, hasVersion, agrees } = readTap(lines)
    if (planned === undefined && !hasVersion) return null
    const results = flattenResults(roots)
    const counts = countsOf(lines, countTests(results.tests, 'todo'))
    const agreesWithSummary = !counts.has('tests') || agreesWithCounts(results, counts)
    const complete = agrees && planned === roots.length && agreesWithSummary
    return {
      tests: results.tests,
      complete,
      failuresNamed: complete || (counts.has('fail') && namesAllFailures(results, counts)),
      ran: counts.has('pass') ? ranByCounts(counts) : countRan(results.tests),
      contradicted: !complete,
      reports: plans,
    }
  },
}

/** AVA counts skipped tests apart, and counts todo tests as failed. */
function countsOf(lines: readonly string[], todo: number): ReadonlyMap<string, number> {
  const counts = readCounts(lines, '# ')
  const skipped = counts.get('skip')
  if (skipped === undefined) return counts
  const [tests = 0, fail = 0] = [counts.get('tests'), counts.get('fail')]
  return new Map([...counts, ['tests', tests + skipped], ['fail', fail - todo]])
}

/** Tape names its tests in comments, above the assertions of each. */
const isTape = (lines: readonly string[]): boolean => lines.some((line) => /^# pass {2}\d+$/.test(line))
const TITLE = /^# (?!(?:tests|pass|fail|skip|todo) +\d+$|ok$|SKIP |TODO )(.+)$/

function readTap(lines: readonly string[]) {
  const hasTitles = isTape(lines)
  let title = ''
  /** Results by depth that wait for the parent they belong to. */
  const levels: ResultNode[][] = [[]]
  const plans: (number | undefined)[] = []
  let outerPlans = 0
  let hasVersion = false
  let agrees = true

  function takeChildren(depth: number): readonly ResultNode[] {
    const children = levels.splice(depth + 1).flat()
    const [planned] = plans.splice(depth + 1)
    if (planned !== undefined && planned !== children.length) agrees = false
    return children
  }

  for (const line of withoutYaml(lines)) {
    if (hasTitles) title = TITLE.exec(line.replace(/^# TODO /, '# '))?.[1] ?? title
    const [, spaces, verdict, number = '', rest = ''] = RESULT.exec(line) ?? []
    const depth = (spaces ?? '').length / INDENT
    if (spaces !== undefined && Number.isInteger(depth) && depth < MAX_DEPTH) {
      const level = (levels[depth] ??= [])
      const result = readResult(verdict, number, rest)
      const name = title === '' ? result.name : `${title} > ${result.name}`
      level.push({ ...result, name, children: takeChildren(depth) })
    } else if (/^ *}$/.test(line)) {
      const level = levels[(line.length - 1) / INDENT]
      const parent = level?.pop()
      if (parent !== undefined) level?.push({ ...parent, children: takeChildren((line.length - 1) / INDENT) })
    } else if (line.startsWith('TAP version')) hasVersion = true
    else if (/^ *Bail out!/.test(line)) agrees = false
    else {
      addPlan(line, plans)
      if (/^1\.\.\d/.test(line)) outerPlans += 1
    }
  }
  const hasOrphans = levels.slice(1).some((level) => level.length > 0)
  return {
    roots: levels.flat(),
    planned: plans[0],
    plans: outerPlans,
    hasVersion,
    agrees: agrees && !hasOrphans,
  }
}

function addPlan(line: string, plans: (number | undefined)[]): void {
  const [, spaces, count] = PLAN.exec(line) ?? []
  const depth = (spaces ?? '').length / INDENT
  if (count !== undefined && Number.isInteger(depth) && depth < MAX_DEPTH) {
    plans[depth] = (plans[depth] ?? 0) + Number(count)
  }
}

/** The lines outside of the YAML blocks, which explain single results. */
function* withoutYaml(lines: readonly string[]): Generator<string> {
  let end: string | null = null
  for (const line of lines) {
    if (end !== null) end = line === end ? null : end
    else if (/^ *---$/.test(line)) end = `${line.slice(0, -3)}...`
    else yield line
  }
}

function readResult(
  verdict: string | undefined,
  number: string,
  rest: string,
): { name: string; status: TestStatus } {
  const directive = DIRECTIVE.exec(rest)
  const written = (directive === null ? rest : rest.slice(0, directive.index)).replace(/^ ?-? ?/, '')
  const name = written.replaceAll(/\\([\\#])/g, '$1').trim() || `test ${number}`
  const word = directive?.[1]?.toLowerCase()
  if (word === 'skip') return { name, status: 'skipped' }
  if (word === 'todo') return { name, status: 'todo' }
  return { name, status: verdict === 'ok' ? 'passed' : 'failed' }
}
