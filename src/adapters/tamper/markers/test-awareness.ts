import { lineCounter } from '../syntax/outline.ts'
import { type Occurrence, additions, lineAt } from './occurrences.ts'
import { type Inspection, nothingSeen, quote } from './tampering.ts'

/** Variables that runners and their surroundings set, and nothing else does. */
const runnerVariable =
  /\b(?:NODE_TEST_CONTEXT|VITEST(?:_\w+)?|JEST_WORKER_ID|PYTEST_CURRENT_TEST|PYTEST_VERSION|MOCHA_\w+|AVA_\w+|TAP_CHILD_ID|RSPEC_\w+)\b|\b(?:process\.env(?:\.|\[['"])|environ(?:\.get\(|\[)['"]|getenv\(['"])(?:CI|npm_\w+)\b|\bNODE_ENV\b[^\n]{0,20}['"]test['"]|\bimport\.meta\.(?:vitest|env\.(?:MODE|TEST|PROD|DEV))\b|\b__(?:vitest|jest)_\w+/g
/** Names that runners define where every file sees them. */
const runnerGlobal =
  /\btypeof\s+(?:globalThis\.)?(?:describe|it|test|expect|suite|jest|vi|mocha|beforeEach|afterEach)\b|\bglobalThis\s*\.\s*(?:describe|it|test|expect|jest|vi|mocha)\b/g
/** Code that asks for the callers of a function, and not for those of an error that was caught. */
const callSite = /\bError\([^()\n]{0,80}\)\s*\??\.\s*stack\b|\bprepareStackTrace\b|\bcallee\.caller\b/g
/** The names of the callers. */
const callers =
  /\.stack\b|\bcaptureStackTrace\b|\binspect\.(?:stack|currentframe)\b|\b_getframe\b|\bextract_stack\b/g
/** The modules that were loaded, or the way the program was started. */
const started =
  /\b(?:process\.(?:argv|execArgv|mainModule)|require\.(?:main|cache)|sys(?:['"]\))?\.(?:argv|modules))\b/g
const loadsAssertions =
  /['"](?:node:)?(?:assert(?:\/strict)?|test)['"]|['"](?:chai|vitest|mocha|tape|ava|@jest\/\w+)['"]|^\s*(?:import|from)\s+(?:unittest|pytest)\b/m
const namesTests = /test|spec|jest|mocha|tape|vitest/i

/** Places where code asks whether a test is running it: its behaviour then says nothing of its behaviour otherwise. */
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
  // Code that has the assertions of tests at hand needs no word of them beside the question.
  const isNearTests = loadsAssertions.test(source)
  const asks = [callers, started].flatMap((pattern) =>
    [...source.matchAll(pattern)].filter(
      ({ index }) => isNearTests || namesTests.test(lineAt(source, index)),
    ),
  )
  const always = [runnerVariable, runnerGlobal, callSite].flatMap((pattern) => [...source.matchAll(pattern)])
  // A line says it once, in however many ways.
  const places = new Map(
    [...always, ...asks].map((match) => [source.lastIndexOf('\n', match.index), match] as const),
  )
  return [...places.values()].map(({ index }) => {
    const text = lineAt(source, index)
    return { index, text, key: text.replaceAll(/\s+/g, '') }
  })
}
