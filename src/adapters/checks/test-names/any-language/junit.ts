import { countRan, type ParsedRun, type ParsedTest, type TestStatus } from '../reading/test-run.ts'

interface Suite {
  readonly name: string | undefined
  readonly planned: number | undefined
  /** Reporters count either what stands directly in a suite or every test below it. */
  direct: number
  below: number
}

interface OpenCase {
  readonly path: readonly string[]
  status: TestStatus
}

interface Report {
  readonly tests: readonly ParsedTest[]
  readonly complete: boolean
  readonly end: number
}

const START = /<testsuites?[\s>]/g

/** Takes every JUnit report out of a text that may hold other output; `rest` is what stands around them. */
export function extractJunit(text: string): { readonly run: ParsedRun | null; readonly rest: string } {
  const reports: Report[] = []
  const rest: string[] = []
  let from = 0
  for (const { index } of text.matchAll(START)) {
    if (index < from) continue
    const report = readReport(text, index)
    // A tag that never closes and holds no test was only talked about.
    if (!report.complete && report.tests.length === 0) break
    reports.push(report)
    rest.push(text.slice(from, index))
    from = report.end
  }
  if (reports.length === 0) return { run: null, rest: text }
  rest.push(text.slice(from))
  const complete = reports.every((report) => report.complete)
  const tests = reports.flatMap((report) => report.tests)
  return {
    run: {
      format: 'junit',
      tests,
      complete,
      failuresNamed: complete,
      ran: countRan(tests),
      contradicted: !complete,
    },
    rest: rest.join('\n'),
  }
}

function readReport(text: string, start: number): Report {
  const tests: ParsedTest[] = []
  const suites: Suite[] = []
  let openCase: OpenCase | null = null
  let complete = true
  let end = start

  function closeCase(): void {
    if (openCase !== null) tests.push({ ...openCase, kind: 'test' })
    openCase = null
  }

  for (let tag = nextXmlTag(text, start); tag !== null; tag = nextXmlTag(text, end)) {
    end = tag.end
    if (isSuite(tag) && tag.kind !== 'close') {
      const parent = suites.at(-1)
      if (parent !== undefined) parent.direct += 1
      suites.push(openSuite(tag))
    }
    if (isSuite(tag) && tag.kind !== 'open') {
      complete = closeSuite(suites) && complete
      if (suites.length === 0) return { tests, complete, end }
    }
    if (tag.name === 'testcase' && tag.kind !== 'close') {
      countCase(suites)
      openCase = { path: pathOf(tag, suites), status: 'passed' }
    }
    if (tag.name === 'testcase' && tag.kind !== 'open') closeCase()
    if (openCase !== null && tag.kind !== 'close') openCase.status = worseStatus(openCase.status, tag)
  }
  return { tests, complete: false, end: text.length }
}

function isSuite(tag: XmlTag): boolean {
  return tag.name === 'testsuite' || tag.name === 'testsuites'
}

function openSuite({ name, attributes }: XmlTag): Suite {
  const planned = attributes.get('tests') === undefined ? undefined : Number(attributes.get('tests'))
  // The outermost element carries the name of the tool or of the report, not of a suite.
  return { name: name === 'testsuites' ? undefined : attributes.get('name'), planned, direct: 0, below: 0 }
}

function closeSuite(suites: Suite[]): boolean {
  const suite = suites.pop()
  if (suite?.planned === undefined) return true
  return suite.planned === suite.below || suite.planned === suite.direct
}

function countCase(suites: readonly Suite[]): void {
  const parent = suites.at(-1)
  if (parent !== undefined) parent.direct += 1
  for (const suite of suites) suite.below += 1
}

function pathOf({ attributes }: XmlTag, suites: readonly Suite[]): string[] {
  const path = suites.flatMap((suite) => suite.name || [])
  const group = attributes.get('classname')
  // Many write the suite once more as the class; node writes `test`, or all its suites.
  const known = ['', 'test', ...path, path.join('.')]
  const hasOwnGroup = group !== undefined && !known.includes(group)
  return [...path, ...(hasOwnGroup ? [group] : []), attributes.get('name') ?? '']
}

function worseStatus(status: TestStatus, tag: XmlTag): TestStatus {
  if (status === 'todo') return status
  if (tag.name === 'skipped') return tag.attributes.get('type') === 'todo' ? 'todo' : 'skipped'
  return tag.name === 'failure' || tag.name === 'error' ? 'failed' : status
}

/** One tag of an XML text; `end` is where the text goes on behind it. */
interface XmlTag {
  readonly name: string
  readonly kind: 'open' | 'close' | 'empty'
  readonly attributes: ReadonlyMap<string, string>
  readonly end: number
}

const entities = new Map(Object.entries({ lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }))

/** The tag that begins at `start`; null when the text ends before it does. */
function readXmlTag(text: string, start: number): XmlTag | null {
  const end = findTagEnd(text, start)
  if (end === -1) return null
  const body = text.slice(start + 1, end)
  const name = /^\/?([\p{L}\d_:.-]*)/u.exec(body)?.[1] ?? ''
  const kind = body.startsWith('/') ? 'close' : body.endsWith('/') ? 'empty' : 'open'
  const attributes = new Map<string, string>()
  for (const [, key = '', double, single] of body.matchAll(/\s([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g))
    attributes.set(key, decodeEntities(double ?? single ?? ''))
  return { name, kind, attributes, end: end + 1 }
}

/** The `>` that closes a tag, which may hold others inside its quotes. */
function findTagEnd(text: string, start: number): number {
  let quote: string | null = null
  for (let at = start; at < text.length; at += 1) {
    const char = text.charAt(at)
    if (quote !== null) {
      if (char === quote) quote = null
    } else if (char === '>') return at
    else if (char === '"' || char === "'") quote = char
  }
  return -1
}

const decodeEntities = (text: string): string =>
  text.includes('&')
    ? text.replaceAll(
        /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{1,8}));/gi,
        (whole: string, ...found: unknown[]) => {
          const [decimal, hex, name] = found as [string?, string?, string?]
          if (name !== undefined) return entities.get(name) ?? whole
          const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)
          return code <= 0x10_ffff ? String.fromCodePoint(code) : whole
        },
      )
    : text

const skipped = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
] as const

/** The next tag at or behind `from`, past comments and CDATA; null when the text ends before it does. */
function nextXmlTag(text: string, from: number): XmlTag | null {
  let start = text.indexOf('<', from)
  while (start !== -1) {
    const passed = skipped.find(([opening]) => text.startsWith(opening, start))
    if (passed === undefined) return readXmlTag(text, start)
    const end = text.indexOf(passed[1], start)
    start = end === -1 ? -1 : text.indexOf('<', end)
  }
  return null
}
