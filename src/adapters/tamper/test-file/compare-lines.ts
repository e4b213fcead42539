import { type Sign, quote } from '../markers/tampering.ts'
import type { Matched, Pair } from './match-tests.ts'
import type { TestCase, TestFile } from './test-file.ts'

/**
 * What old tests no longer do beside their assertions, which are compared by themselves: calls of helpers that may assert
 * something, what those are given, and what all tests of a file are written with.
 */
export function compareLines({ pairs }: Matched, before: TestFile, after: TestFile): readonly Sign[] {
  const lines = pairs.filter(({ before: { isSuite } }) => !isSuite)
  const imported = new Set(piecesOf(outsideOf(after)).filter(loads).flatMap(namesIn))
  return [
    ...lines.flatMap((pair) => changedCalls(pair, before, after)),
    ...lines.flatMap((pair) => hiddenImports(pair, { before, after, imported })),
    ...changedOutside(before, after),
  ]
}

function changedCalls(
  { before: test, after: now }: Pair,
  before: TestFile,
  after: TestFile,
): readonly Sign[] {
  const shown = test.assertions.map((assertion) => squeeze(assertion.shown).slice(0, comparedLength))
  const asserted = shown.filter((text) => text !== '')
  const lost = lostFrom(bodyOf(test, before), bodyOf(now, after)).filter(
    (piece) => call.test(piece) && !asserts.test(piece) && !asserted.some((text) => piece.includes(text)),
  )
  return lost.map((piece) => ({
    kind: 'assertion_loosened',
    line: now.line,
    what: `what the test “${quote(test.name)}” does was changed: ${quote(piece)}`,
  }))
}

const comparedLength = 40
const call = /[\p{L}\p{N}_$\])]\s*\(/u
/** Words of the libraries that assertions are read by. */
const asserts = /\b(?:expect|assert|should|raises)\b/

/** A name that the file imports, and that a test now gives to something else. */
function hiddenImports(
  { before: test, after: now }: Pair,
  {
    before,
    after,
    imported,
  }: Readonly<Record<'before' | 'after', TestFile>> & {
    readonly imported: ReadonlySet<string>
  },
): readonly Sign[] {
  const added = lostFrom(bodyOf(now, after), bodyOf(test, before))
  return added.flatMap((piece): readonly Sign[] => {
    const name =
      /^(?:const|let|var|function|def|class)\s+([\p{L}\p{N}_$]+)|^([\p{L}\p{N}_$]+)\s*=(?!=)/u.exec(piece)
    if (!name || !imported.has(name[1] ?? name[2] ?? '')) return []
    const what = `the test “${quote(test.name)}” puts something else in the place of what it imports: ${quote(piece)}`
    return [{ kind: 'assertion_loosened', line: now.line, what }]
  })
}

/** Imports and helpers that stand outside of tests. */
function changedOutside(before: TestFile, after: TestFile): readonly Sign[] {
  const now = piecesOf(outsideOf(after))
  return lostFrom(outsideOf(before), outsideOf(after))
    .filter((piece) => (loads(piece) ? !now.some((other) => loadsAsMuch(other, piece)) : defines.test(piece)))
    .map((piece) => ({
      kind: 'assertion_loosened',
      line: null,
      what: `what the tests of the file are written with was changed: ${quote(piece)}`,
    }))
}

/** Plain data is compared when the tests run with it and without it. */
const defines = /[\p{L}\p{N}_$\])]\s*\(|=>|\b(?:class|def|function)\b/u

const loads = (piece: string): boolean => /^(?:import|from)\b|\brequire\(/.test(piece)
const namesIn = (piece: string): readonly string[] => piece.match(/[\p{L}\p{N}_$]+/gu) ?? []

/** The same module, and every name that was taken from it. */
function loadsAsMuch(now: string, before: string): boolean {
  const names = new Set(namesIn(now))
  return loads(now) && namesIn(before).every((name) => names.has(name))
}

/** The text of a test from where its own code begins. */
const bodyOf = ({ start, end }: TestCase, { source }: TestFile): string =>
  source.slice(start, end).replace(/^[^\n]*?(?:=>\s*\{?|\bfunction\b[^\n{]*\{|:\s*(?=\n))/, '')

/** A file without its tests. */
function outsideOf({ source, tests }: TestFile): string {
  const own = tests.filter(({ isSuite }) => !isSuite).toSorted((a, b) => a.start - b.start)
  let at = 0
  let text = ''
  for (const { start, end } of own) {
    if (start > at) text += `${source.slice(at, start)}\n`
    at = Math.max(at, end)
  }
  return text + source.slice(at)
}

/** Statements, roughly: a line, or what stands between two semicolons; free of formatting and remarks. */
const piecesOf = (text: string): readonly string[] =>
  text
    .split(/[\n;]/)
    .map((line) => squeeze(line.replace(/(?:^|\s)(?:\/\/|#(?![[!])).*$/, '')))
    .filter((piece) => piece !== '')

const squeeze = (text: string): string =>
  text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[\s,;)}\]]+$/g, '')
    .trim()

/** Pieces that are there less often than before, however the text is laid out now. */
function lostFrom(before: string, after: string): readonly string[] {
  const [old, now] = [compact(before), compact(after)]
  const kept = new Set(piecesOf(after).map(compact))
  const unsure = [...new Set(piecesOf(before))].filter((piece) => !kept.has(compact(piece)))
  const twice = repeated(piecesOf(before)).filter((piece) => kept.has(compact(piece)))
  return [...unsure, ...twice].filter(
    (piece, at) =>
      at >= mostCounted || countOf(compact(valueOf(piece)), now) < countOf(compact(valueOf(piece)), old),
  )
}

/** More than these count as lost: whoever changes that many asks a person anyway. */
const mostCounted = 500

const repeated = (pieces: readonly string[]): readonly string[] => {
  const seen = new Set<string>()
  return [...new Set(pieces.filter((piece) => seen.has(piece) || !seen.add(piece)))]
}

/** What is given to a name: the name itself may be another one. */
const valueOf = (piece: string): string =>
  piece.replace(/^(?:(?:const|let|var)\s+)?[\p{L}\p{N}_$]+\s*=(?![=>])\s*(?:await\s+)?(?=.*\()/u, '')

const compact = (text: string): string => text.replaceAll(/\s+/g, '').replaceAll(/,(?=[)\]}])/g, '')
const countOf = (part: string, text: string): number => text.split(part).length - 1
