import { dialectOf, syntaxLanguage } from '../syntax/outline.ts'
import { type Inspection, type Sign, nothingSeen, quote } from '../markers/tampering.ts'
import { matchTests, type Matched, contentOf } from './match-tests.ts'
import { compareLines } from './compare-lines.ts'
import { readGeneric } from './read-generic.ts'
import { readJavaScript } from './read-javascript.ts'
import { readPython } from './read-python.ts'
import type { TestCase, TestFile } from './test-file.ts'
import { compareAssertions } from './compare-assertions.ts'

/** The findings about a change of tests, and the stretches of the new text that are new tests. */
export type TestInspection = Inspection & { readonly freshTests: readonly { start: number; end: number }[] }

export function readTests(source: string, path: string): TestFile {
  const language = syntaxLanguage(path)
  const parsed =
    language === 'Python' ? readPython(source) : language ? readJavaScript(source, language) : null
  return parsed ?? readGeneric(source, dialectOf(path))
}

/** Compares the two versions of a file of tests; where one does not parse, both are read by patterns. */
export function inspectTests(path: string, before: string, after: string): TestInspection {
  const [old, now] = [readTests(before, path), readTests(after, path)]
  if (old.isParsed && now.isParsed) return inspection(old, now)
  const unparsed = (file: TestFile): TestFile =>
    file.isParsed ? readGeneric(file.source, file.dialect) : file
  const seen = inspection(unparsed(old), unparsed(now))
  return syntaxLanguage(path) === null ? seen : { ...seen, signs: seen.signs.map(withDoubt) }
}

/** New tests are welcome as long as they run. */
export function inspectNewTests(path: string, after: string): TestInspection {
  const { tests } = readTests(after, path)
  const signs = tests.filter(({ skippedBy }) => skippedBy !== null).map(newSkipSign)
  const moveKeys = tests.filter(({ isSuite }) => !isSuite).map(moveKey)
  return { signs, moveKeys, freshTests: [{ start: 0, end: after.length }] }
}

/** A file of tests that is gone, or that no runner will find any more. */
export function inspectLostTests(path: string, before: string, what: string): Inspection {
  const tests = readTests(before, path).tests.filter(({ isSuite }) => !isSuite)
  const moveKeys = tests.map(moveKey)
  return {
    ...nothingSeen,
    signs: [{ kind: 'test_deleted', line: null, what, ...(tests.length > 0 && { moveKeys }) }],
  }
}

function inspection(before: TestFile, after: TestFile): TestInspection {
  const matched = matchTests(before, after)
  const fresh = matched.fresh.filter(({ isSuite }) => !isSuite)
  const signs = compareTests(before, after)
  return {
    // Where an assertion was changed, the line that it stands in was too; what was not parsed has no sure ends.
    signs: signs.length > 0 || !after.isParsed ? signs : compareLines(matched, before, after),
    moveKeys: fresh.map(moveKey),
    freshTests: outermost(fresh),
  }
}

const outermost = (tests: readonly TestCase[]): TestCase[] => {
  let end = -1
  return tests.filter((test) => {
    const isOutside = test.start >= end
    if (isOutside) end = test.end
    return isOutside
  })
}

const withDoubt = (sign: Sign): Sign => ({
  ...sign,
  what: `${sign.what} (the file could not be parsed; read by patterns)`,
})

/** Everything that a new version of a test file no longer checks, or no longer runs. */
function compareTests(before: TestFile, after: TestFile): readonly Sign[] {
  const matched = matchTests(before, after)
  const { signs, takenOver } = compareAssertions(matched, before, after)
  const gone = matched.gone.filter((test) => !test.isSuite && !isTakenOver(test, takenOver))
  return [...gone.map(deletedSign), ...skipSigns(matched), ...returnSigns(matched), ...signs]
}

/** A test whose every assertion went into another one is not lost. */
const isTakenOver = (test: TestCase, takenOver: ReadonlySet<string>): boolean =>
  test.assertions.length > 0 && test.assertions.every(({ key }) => takenOver.has(key))

const deletedSign = (test: TestCase): Sign => ({
  kind: 'test_deleted',
  line: test.line,
  what: `the test “${quote(test.name)}” was removed`,
  moveKeys: [moveKey(test)],
})

/** What makes a test the same one in another file. */
const moveKey = (test: TestCase): string => `test ${test.name}\n${contentOf(test) ?? ''}`

function skipSigns({ pairs, fresh }: Matched): Sign[] {
  const newly = pairs.filter(({ before, after }) => before.skippedBy === null && after.skippedBy !== null)
  return [
    ...newly.map(({ after }) => skipSign(after)),
    ...fresh.filter(({ skippedBy }) => skippedBy !== null).map(newSkipSign),
  ]
}

/** A new test may skip itself where it cannot run; only a run shows whether it did. */
function newSkipSign(test: TestCase): Sign {
  const mayRun = test.name !== '' && skipsItself.test(test.skippedBy ?? '')
  return mayRun ? { ...skipSign(test), unlessRan: test.name } : skipSign(test)
}

/** Neither a marker that keeps others from running, nor one that turns a failure into a pass. */
const skipsItself = /^(?!.*(?:only|focus|fail)).*(?:skip|runIf|assume)/i

/** Says that a test, or what stands around it, does not run. */
function skipSign(test: TestCase): Sign {
  const name = test.name === '' ? 'what is in this file' : `“${quote(test.name)}”`
  const by = test.skippedBy ?? ''
  const isOnly = /\bonly\b|^f(?:it|describe|context)$|focus/.test(by)
  const verb = /(?:skip|run)(?:if|unless)$/i.test(by) ? 'does not always run' : 'does not run'
  const what = isOnly ? `only ${name} still runs (${quote(by)})` : `${name} ${verb} (${quote(by)})`
  return { kind: 'test_skipped', line: test.line, what }
}

const returnSigns = ({ pairs }: Matched): Sign[] =>
  pairs
    .filter(({ before, after }) => after.earlyReturns > before.earlyReturns)
    .map(({ after }) => ({
      kind: 'test_skipped',
      line: after.line,
      what: `“${quote(after.name)}” returns before its assertions`,
    }))
