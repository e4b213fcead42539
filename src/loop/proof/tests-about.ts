export interface Suspects {
  readonly file: string
  /** Other files that may be to blame: a test that loads one of them too counts for nobody. */
  readonly others: readonly string[]
}

/** Of failing tests by name, those that stand in a file of tests which loads the given source file. */
export function testsAbout(
  { file, others }: Suspects,
  failing: readonly string[],
  testTexts: Iterable<string>,
): readonly string[] {
  const loads = loadsPattern(file)
  const loadsOther = others.flatMap((other) => loadsPattern(other) ?? [])
  const texts = [...testTexts].filter(
    (text) => loads?.test(text) === true && !loadsOther.some((pattern) => pattern.test(text)),
  )
  return failing.filter((name) => texts.some((text) => text.includes(ownTitle(name))))
}

const folderNames = new Set(['index', 'main', 'mod', 'lib', '__init__', 'app'])

/** A line that loads something by the file's name, or by its folder's where the name says nothing; null when neither does. */
function loadsPattern(file: string): RegExp | null {
  const parts = file.split('/')
  const stem = (parts.pop() ?? '').replace(/(?<=.)\..*$/, '')
  const name = folderNames.has(stem) ? (parts.pop() ?? '') : stem
  if (name === '' || name === 'src' || folderNames.has(name)) return null
  const escaped = name.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
  return new RegExp(
    String.raw`^.*\b(?:import|require|from|use|include|load)\b.*(?<![\w-])${escaped}(?![\w-])`,
    'm',
  )
}

/** What stands in the code: without the suites around it, and without the number of a repeated name. */
const ownTitle = (name: string): string =>
  (name.split(/ > |::/).at(-1) ?? name).replace(/ #\d+$/, '').replace(/\[.*\]$/, '')
