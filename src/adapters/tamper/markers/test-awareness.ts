import { lineCounter } from '../syntax/outline.ts'
import { type Occurrence, additions, lineAt } from './occurrences.ts'
import { type Inspection, nothingSeen, quote } from './tampering.ts'

/** Variables that runners and their surroundings set, and nothing else does. */
const runnerVariable =
  /\b(?:NODE_TEST_CONTEXT|VITEST(?:_\w+)?|JEST_WORKER_ID|PYTEST_CURRENT_TEST|PYTEST_VERSION|MOCHA_\w+|AVA_\w+|TAP_CHILD_ID|RSPEC_\w+)\b|\b(?:process\.env(?:\.|\[['"])|environ(?:\.get\(|\[)['"]|getenv\(['"])CI\b|\bNODE_ENV\b[^\n]{0,20}['"]test['"]/g
/** The names of those who called. */
const callers =
  /\.stack\b|\bcaptureStackTrace\b|\binspect\.(?:stack|currentframe)\b|\b_getframe\b|\bextract_stack\b/g
/** What was loaded, or how the program was started. */
const started =
  /\b(?:process\.(?:argv|execArgv|mainModule)|require\.(?:main|cache)|sys(?:['"]\))?\.(?:argv|modules))\b/g
const namesTests = /test|spec|jest|mocha|tape|vitest/i

/** Places where code asks whether a test is running it: what it does then says nothing of what it does otherwise. */
export function inspectTestAwareness(before: string, after: string): Inspection {
  const found = additions(find(before), find(after))
  if (found.length === 0) return nothingSeen
  const lineOf = lineCounter(after)
  return {
    signs: found.map(({ index, text }) => ({
      kind: 'test_awareness' as const,
      line: lineOf(index),
      what: `code asks whether a test runs it: ${quote(text)}`,
    })),
    moveKeys: [],
  }
}

function find(source: string): Occurrence[] {
  const asks = [callers, started].flatMap((pattern) =>
    [...source.matchAll(pattern)].filter(({ index }) => namesTests.test(lineAt(source, index))),
  )
  return [...source.matchAll(runnerVariable), ...asks].map(({ index }) => {
    const text = lineAt(source, index)
    return { index, text, key: text.replaceAll(/\s+/g, '') }
  })
}
