import { composesImports, type ImportGraph } from '../../../model/proof/import-graph.ts'

export interface Suspects {
  readonly file: string
  /** Other files that may be to blame: a test that loads and is named after one of them, and not after this one, is theirs. */
  readonly others: readonly string[]
}

export interface TestText {
  readonly path: string
  readonly text: string
}

/**
 * Of failing tests by name, those of test files that load the given source file, through any number of files. A title
 * that stands in no file was put together: it may belong to every file that does so.
 */
export function testsAbout(
  suspects: Suspects,
  failing: readonly string[],
  { tests, graph }: { readonly tests: readonly TestText[]; readonly graph: ImportGraph },
): readonly string[] {
  const own = new Set(tests.filter((test) => isAbout(test, suspects, graph)))
  if (own.size === 0) return []
  const composing = tests.filter(({ text }) => composesTitles.test(text))
  return failing.filter((name) => {
    const possible = testsNamed(name, tests) ?? (composing.length > 0 ? composing : tests)
    return possible.some((test) => own.has(test))
  })
}

/** The files that a failing test may stand in: those that its name holds, else those with its title; null for neither. */
export function testsNamed(name: string, tests: readonly TestText[]): readonly TestText[] | null {
  const named = tests.filter(({ path }) => namesPath(name, path))
  if (named.length > 0) return named
  const written = tests.filter(({ text }) => text.includes(ownTitle(name)))
  return written.length > 0 ? written : null
}

/** Whether a test of this name may stand in the file. */
export const isWrittenIn = (test: TestText, name: string): boolean => testsNamed(name, [test]) !== null

/** Some runners put the file before the title, and Python's the module. */
export const namesPath = (name: string, path: string): boolean => {
  const module = /^(.+)\.py$/.exec(path)?.[1]?.replaceAll('/', '.')
  if (name.includes(path) || module === undefined) return name.includes(path)
  return new RegExp(String.raw`(?<![\w.])${escaped(module)}(?!\w)`).test(name)
}

/** Titles that are no plain text: templates, tables of cases, variables. */
const composesTitles =
  /`[^`\n]*\$\{|\.each\b|\.for\(|parametrize|subTest|\bf["']|\b(?:test|it)\(\s*(?!['"`])[\w.[\]]+\s*[,+]/

function isAbout(test: TestText, { file, others }: Suspects, graph: ImportGraph): boolean {
  if (!loads(test, file, graph)) return false
  const rivals = others.filter((other) => isNamedAfter(test, other) && loads(test, other, graph))
  return rivals.length === 0 || isNamedAfter(test, file)
}

/**
 * By the import graph; where nobody reads one of the two languages, by what the text says. A test that puts the name of
 * what it loads together may load any file.
 */
const loads = ({ path, text }: TestText, file: string, graph: ImportGraph): boolean =>
  graph.isRead(path) && graph.isRead(file)
    ? graph.importersOf(file).has(path) || composesImports.test(text)
    : mentions(text, file)

/** Whether a line of a text loads something by the file's name. */
export const mentions = (text: string, file: string): boolean => loadsPattern(file)?.test(text) === true

function isNamedAfter({ path }: TestText, file: string): boolean {
  const stem = nameOf(file)
  const words = path.slice(path.lastIndexOf('/') + 1)
  return stem !== null && new RegExp(`(?<![a-z0-9])${escaped(stem)}(?![a-z0-9])`, 'i').test(words)
}

const folderNames = new Set(['index', 'main', 'mod', 'lib', '__init__', 'app'])

/** What a file is called by, or its folder where the name says nothing; null when neither does. */
function nameOf(file: string): string | null {
  const parts = file.split('/')
  const stem = (parts.pop() ?? '').replace(/(?<=.)\..*$/, '')
  const name = folderNames.has(stem) ? (parts.pop() ?? '') : stem
  return name === '' || name === 'src' || folderNames.has(name) ? null : name
}

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')

/** A line that loads something by the file's name; null when that says nothing. */
function loadsPattern(file: string): RegExp | null {
  const name = nameOf(file)
  if (name === null) return null
  return new RegExp(
    String.raw`^.*\b(?:import|require\w*|from|use|include\w*|load)\b.*(?<![\w-])${escaped(name)}(?![\w-])`,
    'm',
  )
}

/** What stands in the code: without the suites around it, and without the number of a repeated name. */
const ownTitle = (name: string): string =>
  (name.split(/ > |::/).at(-1) ?? name).replace(/ #\d+$/, '').replace(/\[.*\]$/, '')
