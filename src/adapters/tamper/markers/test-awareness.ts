import { lineCounter, syntaxLanguage } from '../syntax/outline.ts'
import { type Occurrence, additions, lineAt, showSigns } from './occurrences.ts'
import { type Inspection, type Sign, type TextChange, nothingSeen, quote } from './tampering.ts'

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

/** A question that code can ask about where it runs. */
interface Question {
  readonly asks: string
  readonly pattern: RegExp
  /** Findings that are about just that: a word that many findings use must not let a cheat pass. */
  readonly about: RegExp
}

const readsFiles = String.raw`(?:exists|access|l?stat|readFile|readdir|opendir)(?:Sync)?|isfile|isdir|listdir|glob|Path|open|new URL`
/** The tests of a repository, its history, and what configures this program. */
const ownFile = String.raw`['"\x60](?:[^'"\x60\n]{0,80}/)?(?:tests?|__tests__|specs?|\.git|\.?fixpoint(?:\.ya?ml)?)[/'"\x60]`

const questions: readonly Question[] = [
  {
    asks: 'how long it has been running',
    pattern:
      /\b(?:process|os)\.uptime\(|[{,]\s*uptime\b[^\n]{0,60}\b(?:process|os)\b|\bperformance\.(?:now\(\)\s*[<>]=?\s*[\d.]|timeOrigin\b)|\bif\s+time\.(?:monotonic|perf_counter|process_time)\(\)[^\n]{0,60}\belse\b/,
    about: /\buptime\b|\belapsed\b|\bperformance\.now\b|\bmonotonic\b|\bbenchmarks?\b|\bprofil(?:er|ing)\b/i,
  },
  {
    asks: 'how the program was started',
    pattern:
      /\bprocess\.(?:argv0?|execArgv|execPath|title|mainModule)\b|\bimport\.meta\.main\b|\bsys\.(?:argv|orig_argv|flags)\b|[{,]\s*(?:argv0?|execArgv)\b[^\n]{0,60}\bprocess\b|\bfrom\s+sys\s+import\b[^\n]*\b(?:orig_)?argv\b/,
    about: /argv\b|\bcommand[- ]line\b|\bcli\b|\bentry[- ]point\b/i,
  },
  {
    asks: 'whether there is a terminal',
    pattern: /\bisTTY\b|\bisatty\(/,
    about: /\b(?:is_?a?)?tty\b|\bterminals?\b|\binteractive\b/i,
  },
  {
    asks: 'who calls it',
    pattern:
      /\binspect\.(?:stack|currentframe|getouterframes)\b|\b_getframe\b|\btraceback\.(?:extract_stack|walk_stack|format_stack)\b/,
    about: /\bstack (?:frame|level|trace)s?\b|\bstacklevel\b|\bcallers?\b|\btracebacks?\b/i,
  },
  {
    asks: 'which files there are',
    pattern:
      /\b(?:readdir(?:Sync)?|opendir(?:Sync)?|glob(?:Sync)?|listdir|rglob|iterdir|scandir)\(|\bos\.walk\(/,
    about:
      /\b(?:readdir|opendir|listdir|scandir|iterdir|globs?|globbing|director(?:y|ies)|folders?|plugins?)\b/i,
  },
  {
    asks: 'for files that only a repository has',
    pattern: new RegExp(String.raw`\b(?:${readsFiles})\(\s*[^\n]{0,120}${ownFile}`),
    about:
      /\.git\b|\bgit (?:repositor|director|folder)|\bfixpoint\.ya?ml\b|\btests? (?:files?|folders?|director)/i,
  },
]

/** The questions about where it runs that a file did not ask before: what it does then says nothing of what it does elsewhere. */
export function inspectSurroundings({ path, before, after }: TextChange, finding: string): Inspection {
  if (!syntaxLanguage(path) || isProgram(path, before)) return nothingSeen
  const signs = questions.flatMap(({ asks, pattern, about }): readonly Sign[] => {
    const found = pattern.test(before) || about.test(finding) ? null : pattern.exec(after)
    if (!found) return []
    const what = `code asks ${asks}: ${quote(lineAt(after, found.index))}`
    return [{ kind: 'test_awareness', line: lineCounter(after)(found.index), what }]
  })
  return { signs, moveKeys: [] }
}

/** A program that people start has to ask such things. */
const isProgram = (path: string, text: string): boolean =>
  text.startsWith('#!') ||
  /(?:^|\/)(?:bin|cli|scripts?|commands?)(?:\/|\.\w+$)|(?:^|\/)__main__\.py$/.test(path)
