import type { WrittenFinding } from '../../../model/issue/finding.ts'
import { cutText, titleOf } from '../../../model/issue/finding-text.ts'
import { parseSeverity } from '../../../model/issue/severity.ts'
import { findingOf } from '../reading/reported-problem.ts'
import { readXml, type XmlAttributes, type XmlVisitor } from '../reading/read-xml.ts'
import type { ReaderContext, ReportEnd, ReportReader } from '../reading/report-format.ts'
import { findPlace, linePlace } from './place.ts'

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
  recognise: ({ kind }) => kind === 'xml',
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
    context.admit()
    context.add(toFinding(attributes, failure, { suites, context }))
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

function toFinding(
  attributes: XmlAttributes,
  failure: NonNullable<OpenCase['failure']>,
  { suites, context }: { readonly suites: readonly XmlAttributes[]; readonly context: ReaderContext },
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
      severity: parseSeverity('error'),
      category: isOfLinter ? 'general' : 'testing',
      ...findPlace({ attributes, suites, trace: body, root: context.root }),
    },
    context.root,
  )
}
