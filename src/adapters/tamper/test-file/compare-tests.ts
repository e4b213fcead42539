import { type Sign, quote } from '../markers/tampering.ts'
import { compareAssertions } from './compare-assertions.ts'
import { type Matched, contentOf, matchTests } from './match-tests.ts'
import type { TestCase, TestFile } from './test-file.ts'

/** Everything that a new version of a test file no longer checks, or no longer runs. */
export function compareTests(before: TestFile, after: TestFile): readonly Sign[] {
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
export const moveKey = (test: TestCase): string => `test ${test.name}\n${contentOf(test) ?? ''}`

function skipSigns({ pairs, fresh }: Matched): Sign[] {
  const newly = pairs.filter(({ before, after }) => before.skippedBy === null && after.skippedBy !== null)
  return [
    ...newly.map(({ after }) => skipSign(after)),
    ...fresh.filter(({ skippedBy }) => skippedBy !== null).map(newSkipSign),
  ]
}

/** A new test may skip itself where it cannot run; only a run shows whether it did. */
export function newSkipSign(test: TestCase): Sign {
  const mayRun = test.name !== '' && skipsItself.test(test.skippedBy ?? '')
  return mayRun ? { ...skipSign(test), unlessRan: test.name } : skipSign(test)
}

/** Neither what keeps others from running, nor what turns a failure into a pass. */
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
