import type { WrittenFinding } from '../../../model/issue/finding.ts'
import { cutText, titleOf } from '../../../model/issue/finding-text.ts'
import { parseSeverity } from '../../../model/issue/severity.ts'
import { findingOf, lineOf, type ReportedProblem } from '../reading/reported-problem.ts'
import { parseLevelled, parseLinePlace, type TextPlace } from '../reading/read-text.ts'
import { readXml, type XmlAttributes, type XmlVisitor } from '../reading/read-xml.ts'
import type { ReaderContext, ReportEnd, ReportReader } from '../reading/report-format.ts'
import { placePath } from '../../../model/repository-path.ts'

interface JunitReader extends XmlVisitor {
  finish(): ReportEnd
}

interface OpenCase {
  readonly attributes: XmlAttributes
  /** The one that is open; a linter has one for each problem of a rule. */
  failure: Failure | null
  hasFailed: boolean
}

interface Failure {
  readonly attributes: XmlAttributes
  text: string
}

const maxText = 8_000

/** Reads the failures and errors of a JUnit report; what passed or was skipped is no finding. */
export const junitReader: ReportReader = {
  recognise: ({ root }) => root === 'testsuites' || root === 'testsuite',
  async read(source, reading) {
    const reader = createReader(reading.context)
    await readXml(source, reader, reading)
    return reader.finish()
  },
}

function createReader(context: ReaderContext): JunitReader {
  const suites: XmlAttributes[] = []
  let openCase: OpenCase | null = null
  let hasSuite = false
  let notFindings = 0

  function endFailure(one: OpenCase, failure: Failure): void {
    one.failure = null
    one.hasFailed = true
    for (const finding of toFindings(one.attributes, failure, { suites, context })) {
      context.admit()
      context.add(finding)
    }
  }

  return {
    open(name, attributes) {
      if (!hasSuite && name !== 'testsuites' && name !== 'testsuite')
        throw context.fail(`is XML, but no JUnit report: it begins with <${cutText(name, 60)}>`, junitHint)
      hasSuite = true
      if (name === 'testsuite' || name === 'testsuites') suites.push(attributes)
      else if (name === 'testcase') openCase = { attributes, failure: null, hasFailed: false }
      else if (openCase !== null && isFailure(name)) openCase.failure = { attributes, text: '' }
    },
    text(text) {
      const failure = openCase?.failure
      if (failure && failure.text.length < maxText) failure.text += cutText(text, maxText)
    },
    close(name) {
      if (name === 'testsuite' || name === 'testsuites') suites.pop()
      else if (isFailure(name) && openCase?.failure) endFailure(openCase, openCase.failure)
      else if (name === 'testcase') {
        if (openCase?.hasFailed === false) notFindings += 1
        openCase = null
      }
    },
    finish: () => ({ notFindings, incomplete: [], coverage: null }),
  }
}

const isFailure = (name: string): boolean => name === 'failure' || name === 'error'

const junitHint = 'A JUnit report begins with <testsuites> or <testsuite>.'

interface CaseContext {
  readonly suites: readonly XmlAttributes[]
  readonly context: ReaderContext
}

/** One finding; or one for each line where a tool, such as mypy, puts all of its messages into one failure. */
function toFindings(
  attributes: XmlAttributes,
  failure: Failure,
  around: CaseContext,
): readonly WrittenFinding[] {
  const name = cutText(around.suites[0]?.['name']?.trim() || 'tests', 100)
  const lines = failure.text.split('\n').filter((line) => line.trim() !== '')
  const problems = lines.map((line) => readMessageLine(line, name))
  const isList = lines.length > 0 && problems.every((problem) => problem !== null)
  if (!isList) return [toFinding(attributes, failure, around)]
  return problems.map((problem) => findingOf(problem, around.context.root))
}

/** `app/a.py:22: error: message  [code]` */
function readMessageLine(line: string, name: string): ReportedProblem | null {
  const place = parseLinePlace(line)
  const said = place && parseLevelled(place.rest)
  if (!place || !said) return null
  return {
    source: { kind: 'tool', name },
    message: said.message,
    rule: said.rule,
    severity: parseSeverity(said.level),
    path: place.path,
    line: place.line,
    endLine: null,
    column: place.column,
  }
}

/** The word of a linter for it: in `type`, or as ESLint begins the text: `line 3, col 5, Warning - …`. */
function severityOf({ attributes, text }: Failure) {
  const words = [attributes['type'], /^\s*line \d+, col \d+, (\w+)/i.exec(text)?.[1]]
  const known = words.find((word) =>
    /^(?:error|warning|warn|info|note|notice|critical|major|minor|low|medium|high)$/i.test(word ?? ''),
  )
  return parseSeverity(known ?? 'error')
}

function toFinding(
  attributes: XmlAttributes,
  failure: Failure,
  { suites, context }: CaseContext,
): WrittenFinding {
  const inName = placeInName.exec(attributes['name'] ?? '')
  const name = (inName?.[1] ?? attributes['name'])?.trim() || 'a test without a name'
  const written = failure.attributes['message']?.trim() ?? ''
  const told = placeInMessage(written, attributes)
  const message = told?.rest ?? written
  const body = failure.text.trim()
  // Many reports say the message once more at the head of the trace.
  const text = body.includes(message) ? body : `${message}\n\n${body}`
  const isOfLinter = message !== '' && (linePlace.test(body) || inName !== null || told !== null)
  const reason = titleOf(message || body)
  return findingOf(
    {
      source: { kind: 'tool', name: cutText(suites[0]?.['name']?.trim() || 'tests', 100) },
      title:
        isOfLinter || reason.startsWith(`${name}: `)
          ? reason
          : reason === ''
            ? `${name} fails`
            : `${name}: ${reason}`,
      message: (isOfLinter ? message : text.trim()) || `${name} fails`,
      rule: told ? (failure.attributes['type'] ?? null) : name,
      severity: severityOf(failure),
      category: isOfLinter ? 'general' : 'testing',
      ...(told ?? findPlace({ attributes, suites, trace: body, root: context.root })),
      ...(inName && { path: inName[2] ?? null, line: lineOf(inName[3]), column: lineOf(inName[4]) }),
    },
    context.root,
  )
}

interface JunitPlace {
  readonly path: string | null
  readonly line: number | null
  readonly endLine: number | null
  readonly column?: number | null
}

/** `PSR12.Files.FileHeader at /src/a.php (3:1)`, as PHP_CodeSniffer names a case. */
const placeInName = /^(\S+) at (\S.*) \((\d{1,9}):(\d{1,9})\)$/

/** `lua/a.lua:3:7: unused variable`, as luacheck says of the class `lua/a.lua`. */
function placeInMessage(message: string, { classname }: XmlAttributes): TextPlace | null {
  const place = parseLinePlace(message)
  return place !== null && place.path === classname ? place : null
}

/** Linters call a suite by its file. */
const looksLikeFile = /^[^<>"|\n]*[/\\][^<>"|\n]*\.\w{1,10}$/
/** `at run (file:///a/b.js:3:9)`, `b/c.py:12: AssertionError`, `File "b/c.py", line 12`. */
const tracePlace =
  /(?:File "([^"\n]{1,400})", line (\d{1,9}))|((?:file:\/\/)?[^\s()<>"':,]{1,400}\.\w{1,10}):(\d{1,9})/g
/** How linters begin the text of a failure. */
const linePlace = /^\s*line (\d{1,9})\b(?:, col (\d{1,9})\b)?/i
const maxTracePlaces = 200

/** Where a failure is: the file and line that the report names, else the first place of its trace inside the repository. */
function findPlace(failure: {
  readonly attributes: XmlAttributes
  readonly suites: readonly XmlAttributes[]
  readonly trace: string
  readonly root: string
}): JunitPlace {
  const { attributes, suites, trace, root } = failure
  const named = attributes['file'] || namedBySuite(suites)
  const inTrace = placesOf(trace, root)
  if (!named) return inTrace[0] ?? { path: null, line: null, endLine: null }
  const [, textLine, textColumn] = linePlace.exec(trace) ?? []
  const ownLine = lineOf(attributes['line']) ?? lineOf(textLine)
  const column = lineOf(attributes['column']) ?? lineOf(textColumn)
  const placed = placePath(named, root)
  const sameFile = inTrace.find(({ path }) => 'path' in placed && path === placed.path)
  return { path: named, line: ownLine ?? sameFile?.line ?? null, endLine: null, column }
}

function namedBySuite(suites: readonly XmlAttributes[]): string | undefined {
  const suite = suites.at(-1)
  const name = suite?.['name'] ?? ''
  return suite?.['file'] || (looksLikeFile.test(name) ? name : undefined)
}

function placesOf(trace: string, root: string): readonly JunitPlace[] {
  const places: JunitPlace[] = []
  for (const match of trace.matchAll(tracePlace)) {
    if (places.length >= maxTracePlaces) break
    const written = (match[1] ?? match[3] ?? '').replace(/^file:\/\//, '')
    const placed = placePath(written, root)
    if ('refused' in placed || /(?:^|\/)node_modules\//.test(placed.path)) continue
    places.push({ path: placed.path, line: lineOf(match[2] ?? match[4]), endLine: null })
  }
  return places
}
