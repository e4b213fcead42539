import { agreesWithCounts, namesAllFailures, ranByCounts, readCounts } from '../reading/node-counts.ts'
import { flattenResults, MAX_DEPTH, type ResultNode } from '../reading/result-tree.ts'
import type { OutputReader, TestStatus } from '../reading/test-run.ts'

interface Group {
  readonly name: string
  readonly children: ResultNode[]
}

const LINE = /^( *)([✔✖﹣⚠▶]) (.+)$/s
const TIMED = /^(.*) \(\d+(?:\.\d+)?ms\)( # .*)?$/s
const LONGEST_NAME_LINES = 5
const REPEATED = 'test at '

/** The spec reporter of `node --test`. */
export const nodeSpecReader: OutputReader = {
  name: 'node-spec',
  namesEveryTest: 'always',
  read(lines, { isCut }) {
    const counts = readCounts(lines, 'ℹ ')
    if (!counts.has('tests') && !isCut) return null
    const results = flattenResults(readTree(joinSplitNames(lines)))
    if (isCut && results.tests.length === 0) return null
    const complete = agreesWithCounts(results, counts)
    return {
      tests: results.tests,
      complete,
      failuresNamed: namesAllFailures(results, counts),
      ran: ranByCounts(counts),
      contradicted: !complete,
      reports: lines.filter((line) => /^ℹ tests \d+$/.test(line)).length,
    }
  },
}

/** Puts a name that holds line ends back on one line; its time stands on the last one. */
function joinSplitNames(lines: readonly string[]): readonly string[] {
  const joined: string[] = []
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? ''
    const isWhole = !/^ *[✔✖﹣⚠] /.test(line) || TIMED.test(line)
    const next = isWhole ? [] : lines.slice(index + 1, index + 1 + LONGEST_NAME_LINES)
    const end = next.findIndex((other) => LINE.test(other) || TIMED.test(other))
    const isSplit = end !== -1 && !LINE.test(next[end] ?? '')
    joined.push(isSplit ? [line, ...next.slice(0, end + 1)].join(' ') : line)
    if (isSplit) index += end + 1
  }
  return joined
}

function readTree(lines: readonly string[]): readonly ResultNode[] {
  const roots: ResultNode[] = []
  const open: Group[] = []
  lines.forEach((line, index) => {
    // The section "failing tests" at the end prints them a second time, each below its place.
    if (lines[index - 1]?.startsWith(REPEATED)) return
    const [, indent, glyph = '', text = ''] = LINE.exec(line) ?? []
    if (indent === undefined) return
    const [, name, directive] = TIMED.exec(text) ?? []
    const depth = indent.length / 2
    const group = open.at(-1)
    const siblings = open.at(-2)?.children ?? roots
    if (group !== undefined && name === group.name && depth === open.length - 1) {
      open.pop()
      siblings.push({ name, status: statusOf(glyph, directive), children: group.children })
    } else if (depth !== open.length) {
      return
    } else if (glyph === '▶') {
      if (depth < MAX_DEPTH) open.push({ name: text, children: [] })
    } else if (name !== undefined) {
      ;(group?.children ?? roots).push({ name, status: statusOf(glyph, directive), children: [] })
    }
  })
  return roots
}

function statusOf(glyph: string, directive: string | undefined): TestStatus {
  if (glyph === '﹣') return 'skipped'
  if (glyph === '⚠' || directive !== undefined) return 'todo'
  return glyph === '✖' ? 'failed' : 'passed'
}
