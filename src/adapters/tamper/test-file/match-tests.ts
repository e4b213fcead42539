import { type TestCase, type TestFile, pathOf } from './test-file.ts'

export type Pair = { readonly before: TestCase; readonly after: TestCase }

/** How two versions of a test file correspond: what stayed, what is gone, what is new. */
export type Matched = {
  readonly pairs: readonly Pair[]
  readonly gone: readonly TestCase[]
  readonly fresh: readonly TestCase[]
}

const fullName = (test: TestCase): string => `${test.isSuite} ${pathOf(test.suite, test.name)}`
const ownName = (test: TestCase): string => `${test.isSuite} ${test.name}`
/** What a test claims, or null when it claims nothing. */
export const contentOf = (test: TestCase): string | null =>
  test.assertions.length > 0 ? `${test.isSuite} ${test.assertions.map(({ key }) => key).join('\n')}` : null

/** Finds each test again: by its full name, moved to another suite, or renamed with the same assertions. */
export function matchTests(before: TestFile, after: TestFile): Matched {
  let matched: Matched = { pairs: [], gone: before.tests, fresh: after.tests }
  for (const keyOf of [fullName, ownName, contentOf]) matched = matchBy(matched, keyOf)
  return matched
}

function matchBy({ pairs, gone, fresh }: Matched, keyOf: (test: TestCase) => string | null): Matched {
  const open = Map.groupBy(fresh.toReversed(), keyOf)
  const found: Pair[] = []
  const lost: TestCase[] = []
  for (const test of gone) {
    const key = keyOf(test)
    const now = key === null ? undefined : open.get(key)?.pop()
    if (now) found.push({ before: test, after: now })
    else lost.push(test)
  }
  const taken = new Set(found.map(({ after }) => after))
  return { pairs: [...pairs, ...found], gone: lost, fresh: fresh.filter((test) => !taken.has(test)) }
}
