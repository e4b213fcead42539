import { placePath } from '../../../model/repository-path.ts'
import type { XmlAttributes } from '../reading/read-xml.ts'

interface JunitPlace {
  readonly path: string | null
  readonly line: number | null
  readonly endLine: number | null
}

/** Linters call a suite by its file. */
const looksLikeFile = /^[^<>"|\n]*[/\\][^<>"|\n]*\.\w{1,10}$/
/** `at run (file:///a/b.js:3:9)`, `b/c.py:12: AssertionError`, `File "b/c.py", line 12`. */
const tracePlace =
  /(?:File "([^"\n]{1,400})", line (\d{1,9}))|((?:file:\/\/)?[^\s()<>"':,]{1,400}\.\w{1,10}):(\d{1,9})/g
/** How linters begin the text of a failure. */
export const linePlace = /^\s*line (\d{1,9})\b/i
const maxTracePlaces = 200

/** Where a failure is: the file and line that the report names, else the first place of its trace inside the repository. */
export function findPlace(failure: {
  readonly attributes: XmlAttributes
  readonly suites: readonly XmlAttributes[]
  readonly trace: string
  readonly root: string
}): JunitPlace {
  const { attributes, suites, trace, root } = failure
  const named = attributes['file'] || namedBySuite(suites)
  const inTrace = placesOf(trace, root)
  if (!named) return inTrace[0] ?? { path: null, line: null, endLine: null }
  const ownLine = toLine(attributes['line']) ?? toLine(linePlace.exec(trace)?.[1])
  const placed = placePath(named, root)
  const sameFile = inTrace.find(({ path }) => 'path' in placed && path === placed.path)
  return { path: named, line: ownLine ?? sameFile?.line ?? null, endLine: null }
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
    places.push({ path: placed.path, line: toLine(match[2] ?? match[4]), endLine: null })
  }
  return places
}

const toLine = (text: string | undefined): number | null => {
  const line = Number(text)
  return Number.isSafeInteger(line) && line > 0 ? line : null
}
