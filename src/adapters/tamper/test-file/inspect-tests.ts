import { dialectOf, syntaxLanguage } from '../syntax/outline.ts'
import { type Inspection, type Sign, nothingSeen } from '../markers/tampering.ts'
import { compareTests, moveKey, newSkipSign } from './compare-tests.ts'
import { matchTests } from './match-tests.ts'
import { readGeneric } from './read-generic.ts'
import { readJavaScript } from './read-javascript.ts'
import { readPython } from './read-python.ts'
import type { TestCase, TestFile } from './test-file.ts'

/** What a change of tests shows, and which stretches of the new text are tests that were not there before. */
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
  const fresh = matchTests(before, after).fresh.filter(({ isSuite }) => !isSuite)
  return {
    signs: compareTests(before, after),
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
