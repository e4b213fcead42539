import { createJsonFields, type JsonFields, type JsonRecord } from '../json/json-fields.ts'
import type { JsonPath, Shape } from '../json/json-splitter.ts'
import { documentFormat, readLines, type DocumentReader } from './read-json.ts'
import { findingOf, type ReportedProblem } from './reported-problem.ts'
import type { Beginning, ReaderContext, ReportReader } from './report-format.ts'

/** What a reader of one part of a document has at hand. */
interface PartReading {
  readonly fields: JsonFields
  readonly path: JsonPath
  readonly context: ReaderContext
}

/** The problems that one part of a document tells; none for what is no finding. */
export type ReadProblems = (part: JsonRecord, reading: PartReading) => readonly ReportedProblem[]

interface ProblemFormat {
  /** What messages call it. */
  readonly title: string
  /** How the tool is asked for it. */
  readonly hint: string
  readonly read: ReadProblems
}

/** How a format is read whose JSON document holds problems, in the parts that `shape` takes. */
export const problemDocument = (shape: Shape, format: ProblemFormat): ReportReader['read'] =>
  documentFormat(shape, (context): DocumentReader => {
    const taker = createTaker(format, context)
    return { take: taker.take, leave: () => undefined, finish: taker.finish }
  })

/** The same where every line of the file is a JSON object. */
export const problemLines =
  (format: ProblemFormat): ReportReader['read'] =>
  async (source, reading) => {
    const taker = createTaker(format, reading.context)
    await readLines(source, (value, line) => taker.take([line], value), reading)
    return taker.finish()
  }

function createTaker({ title, hint, read }: ProblemFormat, context: ReaderContext) {
  const fields = createJsonFields((what) => context.fail(`is not ${title}: ${what}`, hint))
  let notFindings = 0
  return {
    take(path: JsonPath, value: unknown): void {
      const problems = read(fields.object(value, String(path.at(-1))), { fields, path, context })
      if (problems.length === 0) notFindings += 1
      for (const problem of problems) {
        context.admit()
        context.add(findingOf(problem, context.root))
      }
    },
    finish: () => ({ notFindings, incomplete: [], coverage: null }),
  }
}

/** Whether a file begins with an object that has all these names. */
export const isObjectWith = ({ kind, keys }: Beginning, ...names: readonly string[]): boolean =>
  kind === 'object' && names.every((name) => keys.includes(name))

/** Whether a file begins with a list whose first item has all these names. */
export const isListWith = ({ kind, keys }: Beginning, ...names: readonly string[]): boolean =>
  kind === 'list' && names.every((name) => keys.includes(name))

export const tool = (name: string) => ({ kind: 'tool', name }) as const
