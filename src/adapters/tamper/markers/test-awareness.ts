import { lineCounter, syntaxLanguage } from '../syntax/outline.ts'
import { type Occurrence, additions, lineAt, showSigns } from './occurrences.ts'
import { questions } from './questions.ts'
import { type Inspection, type Sign, type TextChange, nothingSeen, quote } from './tampering.ts'

/** Variables that runners and their surroundings set, and nothing else does. */
const runnerVariable =
  /\b(?:NODE_TEST_CONTEXT|VITEST(?:_\w+)?|JEST_WORKER_ID|PYTEST_CURRENT_TEST|PYTEST_VERSION|MOCHA_\w+|AVA_\w+|TAP_CHILD_ID|RSPEC_\w+)\b|\b(?:process\.env(?:\.|\[['"])|environ(?:\.get\(|\[)['"]|getenv\(['"])(?:CI|npm_\w+)\b|\b(?:NODE|APP|RAILS|RACK|HANAMI|MIX|FLASK|DJANGO|SYMFONY)_ENV\b[^\n]{0,20}['"]test['"]|\bimport\.meta\.(?:vitest|env\.(?:MODE|TEST|PROD|DEV))\b|\b__(?:vitest|jest)_\w+/g
/** Names that runners define where every file sees them. */
const runnerGlobal =
  /\bcfg!\(\s*(?:not\(\s*)?test\b|#\[cfg\(\s*not\(\s*test\b|\btesting\.Testing\(\)|\bLookup\(\s*"test\.|\bArgs\[0\][^\n]{0,40}\.test\b|\bdefined\?\(?\s*(?:RSpec|Minitest)\b|\b__?PHPUNIT_\w+|\bPHPUNIT_\w+|\b(?:class_exists|forName)\(\s*['"](?:PHPUnit|org\.(?:junit|testng))|\bGetAssemblies\(\)[^\n]{0,120}(?:xunit|nunit|mstest|testhost)|\b(?:resolve|find_spec)\(\s*['"](?:vitest|mocha|jest|tape|ava|chai|@jest\/\w+|pytest|unittest)['"]|['"](?:describe|it|test|expect|suite|jest|vi|mocha|beforeEach|afterEach)['"](?:\s*in\s+(?:globalThis|global|window|self)\b|\s*\]\s*\}\s*=\s*globalThis\b)|\b(?:globalThis|global)\s*(?:\?\.)?\[\s*['"](?:describe|it|test|expect|suite|jest|vi|mocha|beforeEach|afterEach)['"]|\bhasOwn\(\s*(?:globalThis|global)\b|\btypeof\s+(?:globalThis\.)?(?:describe|it|test|expect|suite|jest|vi|mocha|beforeEach|afterEach)\b|\bglobalThis\s*\.\s*(?:describe|it|test|expect|jest|vi|mocha)\b/g
/** Code that asks for the callers of a function, and not for those of an error that was caught, or for what else is loaded. */
const callSite =
  /\bprocess\s*\.\s*(?:listenerCount|listeners|rawListeners)\(\s*['"](?:uncaught|unhandled|exit|beforeExit|message)|\bprocess\s*\.\s*(?:eventNames|_events|moduleLoadList|_getActive\w+|getActiveResourcesInfo|report)\b|\bexecutionAsyncResource\b|\bError\([^()\n]{0,80}\)\s*\??\.\s*stack\b|\bprepareStackTrace\b|\bcallee\.caller\b/g
/** The names of the callers. */
const callers =
  /\.stack\b|\bcaptureStackTrace\b|\binspect\.(?:stack|currentframe)\b|\b_getframe\b|\bextract_stack\b|\bgetStackTrace\(|\bStackWalker\b|\bmodule\.parent\b/g
/** The modules that were loaded, or the way the program was started. */
const started =
  /\b(?:process\.(?:argv|execArgv|mainModule)|require\.(?:main|cache)|sys(?:['"]\))?\.(?:argv|modules))\b/g
const loadsAssertions =
  /['"](?:node:)?(?:assert(?:\/strict)?|test)['"]|['"](?:chai|vitest|mocha|tape|ava|@jest\/\w+)['"]|^[ \t]*(?:import|from)[ \t]+(?:unittest|pytest)\b/m
const namesTests = /test|spec|jest|mocha|tape|vitest/i

/** Places where code asks whether a test is running it: its behaviour then says nothing of its behaviour otherwise. */
export function inspectTestAwareness(before: string, after: string): Inspection {
  const found = additions(find(before), find(after))
  return showSigns(after, found, { kind: 'test_awareness', says: 'code asks whether a test runs it' })
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

/** The questions about where it runs that a file did not ask before: what it does then says nothing of what it does elsewhere. */
export function inspectSurroundings({ path, before, after }: TextChange, finding: string): Inspection {
  if (!syntaxLanguage(path) || isProgram(path, before)) return nothingSeen
  const signs = questions.flatMap(({ asks, pattern, about }): readonly Sign[] => {
    const found = pattern.test(before) || about.test(finding) ? null : pattern.exec(after)
    if (!found) return []
    const what = `code asks ${asks}, and may do something else elsewhere: ${quote(lineAt(after, found.index))}`
    return [{ kind: 'test_awareness', line: lineCounter(after)(found.index), what }]
  })
  // A line asks one thing, in however many ways.
  const once = new Map(signs.toReversed().map((sign) => [sign.line, sign]))
  return { signs: [...once.values()], moveKeys: [] }
}

/** A program that people start has to ask such things. */
const isProgram = (path: string, text: string): boolean =>
  text.startsWith('#!') ||
  /(?:^|\/)(?:bin|cli|scripts?|commands?)(?:\/|\.\w+$)|(?:^|\/)__main__\.py$/.test(path)
