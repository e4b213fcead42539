import type { WrittenFinding } from '../../../model/issue/finding.ts'
import { cutText, titleOf } from '../../../model/issue/finding-text.ts'
import { parseSeverity } from '../../../model/issue/severity.ts'
import { findingOf, type ReportedProblem } from '../reading/reported-problem.ts'
import { parseLevelled, parseLinePlace } from '../reading/read-text.ts'
import { readXml, type XmlAttributes, type XmlVisitor } from '../reading/read-xml.ts'
import type { ReaderContext, ReportEnd, ReportReader } from '../reading/report-format.ts'
import { findPlace, linePlace } from './junit-places.ts'

interface JunitReader extends XmlVisitor {
  finish(): ReportEnd
}

interface OpenCase {
  readonly attributes: XmlAttributes
  failure: { readonly attributes: XmlAttributes; text: string } | null
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
  let isInFailure = false
  let hasSuite = false
  let notFindings = 0

  function endCase({ attributes, failure }: OpenCase): void {
    if (failure === null) {
      notFindings += 1
      return
    }
    for (const finding of toFindings(attributes, failure, { suites, context })) {
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
      else if (name === 'testcase') openCase = { attributes, failure: null }
      else if (openCase !== null && (name === 'failure' || name === 'error')) {
        isInFailure = openCase.failure === null
        openCase.failure ??= { attributes, text: '' }
      }
    },
    text(text) {
      const failure = openCase?.failure
      if (isInFailure && failure && failure.text.length < maxText) failure.text += cutText(text, maxText)
    },
    close(name) {
      if (name === 'testsuite' || name === 'testsuites') suites.pop()
      else if (name === 'failure' || name === 'error') isInFailure = false
      else if (name === 'testcase' && openCase !== null) {
        endCase(openCase)
        openCase = null
      }
    },
    finish: () => ({ notFindings, incomplete: [], coverage: null }),
  }
}

const junitHint = 'A JUnit report begins with <testsuites> or <testsuite>.'

interface CaseContext {
  readonly suites: readonly XmlAttributes[]
  readonly context: ReaderContext
}

/** One finding; or one for each line where a tool, such as mypy, puts all of its messages into one failure. */
function toFindings(
  attributes: XmlAttributes,
  failure: NonNullable<OpenCase['failure']>,
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
function severityOf({ attributes, text }: NonNullable<OpenCase['failure']>) {
  const words = [attributes['type'], /^\s*line \d+, col \d+, (\w+)/i.exec(text)?.[1]]
  const known = words.find((word) =>
    /^(?:error|warning|warn|info|note|notice|critical|major|minor)$/i.test(word ?? ''),
  )
  return parseSeverity(known ?? 'error')
}

function toFinding(
  attributes: XmlAttributes,
  failure: NonNullable<OpenCase['failure']>,
  { suites, context }: CaseContext,
): WrittenFinding {
  const name = attributes['name']?.trim() || 'a test without a name'
  const message = failure.attributes['message']?.trim() ?? ''
  const body = failure.text.trim()
  // Many reports say the message once more at the head of the trace.
  const text = body.includes(message) ? body : `${message}\n\n${body}`
  const isOfLinter = message !== '' && linePlace.test(body)
  const reason = titleOf(message || body)
  return findingOf(
    {
      source: { kind: 'tool', name: cutText(suites[0]?.['name']?.trim() || 'tests', 100) },
      title: isOfLinter ? reason : reason === '' ? `${name} fails` : `${name}: ${reason}`,
      message: (isOfLinter ? message : text.trim()) || `${name} fails`,
      rule: name,
      severity: severityOf(failure),
      category: isOfLinter ? 'general' : 'testing',
      ...findPlace({ attributes, suites, trace: body, root: context.root }),
    },
    context.root,
  )
}
