import type { FindingSource, WrittenFinding } from '../../../model/issue/finding.ts'
import { readAnsweredFinding, readCoverage, readGroup } from '../../../model/issue/reviewer-answer.ts'
import { documentFormat, type DocumentReader } from '../reading/read-json.ts'
import type { ReaderContext, ReportReader } from '../reading/report-format.ts'
import type { Shape } from '../json/json-splitter.ts'

/** The parts of Fixpoint's own file and of a reviewer's answer. */
const shape: Shape = {
  fields: {
    schema: 'take',
    source: 'take',
    coverage: 'take',
    findings: { items: 'take' },
    groups: { items: 'take' },
  },
}
const marks = ['schema', 'findings', 'groups', 'coverage']

const kinds = new Set(['agent', 'rules', 'tool', 'person'])
const shapeHint = 'A finding is an object with "title" or "issue", and "file", "line", "severity".'

/** Reads `fixpoint.findings.v1` and reviewers' answers; `source` may stand after the findings. */
export const fixpointReader: ReportReader = {
  recognise: ({ kind, keys }) => kind === 'object' && marks.some((name) => keys.includes(name)),
  read: documentFormat(shape, createReader),
}

function createReader(context: ReaderContext): DocumentReader {
  let source: FindingSource = { kind: 'agent', name: context.sourceName }
  let coverage: unknown
  let hasFindings = false
  const findings: WrittenFinding[] = []
  /** Those that name their source themselves. */
  const named = new Set<WrittenFinding>()

  function keep(read: readonly WrittenFinding[]): void {
    for (const finding of read) {
      context.admit()
      findings.push(finding)
    }
  }

  return {
    take(path, value, offset) {
      const [part, index] = path
      if (part === 'source') source = readSource(value, context)
      else if (part === 'coverage') coverage = value
      else if (part === 'schema') checkSchema(value, context)
      else if (part === 'findings') {
        const own = ownSource(value, context)
        const read = readAnsweredFinding(value, null, { source: own ?? source, root: context.root })
        if ('unreadable' in read)
          throw context.fail(`finding ${index} (byte ${offset}) ${read.unreadable}`, shapeHint)
        keep([read.finding])
        if (own !== null) named.add(read.finding)
      } else {
        const read = readGroup(value, Number(index), { source, root: context.root })
        if ('unreadable' in read) throw context.fail(`${read.unreadable} (byte ${offset})`, shapeHint)
        keep(read.findings)
      }
    },
    leave(path) {
      if (path.length === 1) hasFindings = true
    },
    finish() {
      if (!hasFindings) throw context.fail('has neither "findings" nor "groups"', shapeHint)
      for (const finding of findings)
        context.add(finding.source === source || named.has(finding) ? finding : { ...finding, source })
      return { notFindings: 0, incomplete: [], coverage: readCoverage(coverage) }
    },
  }
}

/** Findings of several sources in one file, such as in an export, each name their own. */
function ownSource(value: unknown, context: ReaderContext): FindingSource | null {
  const { source } = (value ?? {}) as { source?: unknown }
  return source === undefined || source === null ? null : readSource(source, context)
}

/** A name, or who it is in full. */
function readSource(value: unknown, context: ReaderContext): FindingSource {
  if (typeof value === 'string' && value !== '') return { kind: 'agent', name: value.slice(0, 100) }
  const { kind, name } = (value ?? {}) as { kind?: unknown; name?: unknown }
  if (typeof name === 'string' && name !== '' && typeof kind === 'string' && kinds.has(kind)) {
    return { kind: kind as FindingSource['kind'], name: name.slice(0, 100) }
  }
  throw context.fail(
    'has a "source" that cannot be read',
    'Write a name, or {"kind": "agent" | "rules" | "tool" | "person", "name": …}.',
  )
}

function checkSchema(value: unknown, context: ReaderContext): void {
  if (value === 'fixpoint.findings.v1') return
  throw context.fail(
    `has the schema ${JSON.stringify(value).slice(0, 80)}`,
    'The schema is "fixpoint.findings.v1".',
  )
}
