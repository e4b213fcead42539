import { type SyntaxSpan, type SyntaxLanguage, outline, syntaxLanguage } from '../syntax/outline.ts'
import { type Inspection, type TextChange, nothingSeen } from './tampering.ts'
import { type Occurrence, additions, findMatches, showSigns } from './occurrences.ts'

const javascriptExit =
  /\bprocess\s*\.\s*(?:exit|reallyExit)\s*\(\s*(?:0\s*)?\)|\bprocess\s*\.\s*exitCode\s*=\s*0\b|\bprocess\s*\.\s*(?:kill\s*\(\s*process\s*\.\s*pid|abort\s*\()|\bDeno\s*\.\s*exit\s*\(\s*(?:0\s*)?\)/g
const pythonExit =
  /\bos\s*\.\s*_exit\s*\(\s*(?:0|os\.EX_OK)?\s*\)|\bsys\s*\.\s*exit\s*\(\s*(?:0|None)?\s*\)|(?<![.\w])(?:exit|quit|_exit)\s*\(\s*0?\s*\)|\braise\s+SystemExit\b(?:\s*\(\s*(?:0|None)?\s*\)|(?!\s*\())|\bos\s*\.\s*(?:abort\s*\(|kill\s*\(\s*os\s*\.\s*getpid)|\bpytest\s*\.\s*exit\s*\(/g
const genericExit =
  /\bos\.Exit\(\s*0\s*\)|\bprocess::exit\(\s*0\s*\)|\bSystem\.exit\(\s*0\s*\)|\bEnvironment\.Exit\(\s*0\s*\)|(?<![.\w:])(?:exit|_exit|exit!|die)\s*\(\s*0?\s*\)/g

const mainCheck = /^if\s*\(?[^\n]{0,200}(?:__name__|require\.main|import\.meta\.(?:main|url|filename))/
const javascriptKinds = [
  'arrow_function',
  'call_expression',
  'comment',
  'function_declaration',
  'function_expression',
  'generator_function_declaration',
  'if_statement',
  'method_definition',
  'string',
  'template_string',
]
const pythonKinds = ['comment', 'decorator', 'function_definition', 'if_statement', 'lambda', 'string']

/** A file of tests is loaded by a runner, which also calls its functions. */
type FileKind = 'test' | 'source'

/** Successful ends of the process that happen as soon as a file is imported, or as a test runs. */
export function inspectExits({ path, before, after }: TextChange, kind: FileKind): Inspection {
  const language = syntaxLanguage(path)
  if (!language && kind === 'source') return nothingSeen
  const pattern = language === 'Python' ? pythonExit : language ? javascriptExit : genericExit
  const [all, old] = [findMatches(after, pattern), findMatches(before, pattern)]
  if (additions(old, all).length === 0) return nothingSeen
  const now = onImport(after, all, { language, kind })
  const found = additions(onImport(before, old, { language, kind }), now)
  return showSigns(after, found, { kind: 'exit_on_import', says: 'the process ends as if all were well' })
}

/** Only this many are looked at: each is compared with every span of the file. */
const maxExits = 100

function onImport(
  source: string,
  found: readonly Occurrence[],
  { language, kind }: { readonly language: SyntaxLanguage | null; readonly kind: FileKind },
): readonly Occurrence[] {
  const kinds = language === 'Python' ? pythonKinds : javascriptKinds
  const spans = language && found.length > 0 ? outline(source, language, kinds) : null
  if (!spans) return found
  return found.slice(0, maxExits).filter(({ index }) => {
    const around = spans.filter(({ start, end }) => start <= index && index < end)
    return language === 'Python' ? pythonRuns(source, around, kind) : javascriptRuns(source, around, kind)
  })
}

const isQuoted = (around: readonly SyntaxSpan[]): boolean =>
  around.some(({ kind }) => kind === 'comment' || kind === 'string' || kind === 'template_string')

const isMainOnly = (source: string, around: readonly SyntaxSpan[]): boolean =>
  around.some(
    ({ kind, start }) => kind === 'if_statement' && mainCheck.test(source.slice(start, start + 300)),
  )

function pythonRuns(source: string, around: readonly SyntaxSpan[], file: FileKind): boolean {
  if (isQuoted(around) || isMainOnly(source, around)) return false
  return file === 'test' || !around.some(({ kind }) => kind === 'function_definition')
}

const waitsForEvent =
  /\.\s*(?:on|once|addListener|addEventListener)\s*\(\s*['"`](?!exit|beforeExit)[^'"`]*['"`]\s*,\s*(?:async\s*)?$/

/** A function that is called on the spot or handed to a call runs; one with a name waits to be called. */
function javascriptRuns(source: string, around: readonly SyntaxSpan[], file: FileKind): boolean {
  if (isQuoted(around) || isMainOnly(source, around)) return false
  const functions = around.filter(({ kind }) => kind.includes('function') || kind === 'method_definition')
  const isCallback = ({ kind, start, parent }: SyntaxSpan): boolean =>
    (kind === 'arrow_function' || kind === 'function_expression') &&
    parent?.kind === 'call_expression' &&
    !waitsForEvent.test(source.slice(Math.max(parent.start, start - 200), start))
  return file === 'test'
    ? functions.every(({ kind }) => kind !== 'method_definition')
    : functions.every(isCallback)
}
