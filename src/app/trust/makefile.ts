import { posix } from 'node:path'
import { includedNames } from './make-includes.ts'
import { pathSeenFrom, type FoundLine, type InnerSource } from './script-line.ts'

const names = ['GNUmakefile', 'makefile', 'Makefile']

interface MakeCall {
  readonly words: readonly string[]
  readonly folder: string
}

interface MakeRule {
  readonly targets: readonly string[]
  readonly needs: readonly string[]
  readonly recipe: readonly string[]
}

/** The recipes of the targets that make is asked for, of all that they need, and every line that sets something for them. */
export async function makeLines(
  { words, folder: from }: MakeCall,
  source: InnerSource,
): Promise<readonly FoundLine[]> {
  const folder = optionsOf(words, 'C', ['--directory']).reduce(pathSeenFrom, from)
  const named = optionsOf(words, 'f', ['--file', '--makefile'])
  for (const together of named.length === 0 ? names.map((name) => [name]) : [named]) {
    const files = together.map((name) => pathSeenFrom(folder, name))
    const found = await withIncluded(files, folder, source)
    if (found.text === null) continue
    const file = files.join(' ')
    const { rules, settings } = parseMakefile(found.text)
    const asked = words.filter((word) => !word.startsWith('-') && !word.includes('='))
    const first = rules.flatMap(({ targets }) => targets).find((target) => !target.startsWith('.'))
    // A rule for a file that make reads is run before anything else.
    const read = found.files.flatMap((path) => [path, posix.relative(folder, path)])
    const used = hasHidden.test(found.text) ? rules : closureOf(rules, [...asked, ...read, first ?? ''])
    return [
      ...used.map(({ targets, needs, recipe }) => ({
        file,
        folder,
        name: [targets.join(' '), ...needs].join(' '),
        line: recipe.join('\n'),
      })),
      ...(settings.length > 0 ? [{ file, folder, name: 'settings', line: settings.join('\n') }] : []),
      ...found.unshown,
    ]
  }
  return []
}

/** Every value of an option, which may stand in the same word as its letter or after it, behind letters that take none. */
const optionsOf = (words: readonly string[], letter: string, long: readonly string[]): readonly string[] =>
  words.flatMap((word, index) => {
    const [, found, short = ''] = /^-[^-CEIWfjlo]*([CEIWfjlo])(.*)$/.exec(word) ?? []
    const [name = '', ...value] = word.split('=')
    if (found !== letter && !long.includes(name)) return []
    return (found === letter ? short : value.join('=')) || (words[index + 1] ?? [])
  })

interface Included {
  /** Null when there is none of the files. */
  readonly text: string | null
  readonly files: readonly string[]
  /** A line for each file whose text is not for others' eyes. */
  readonly unshown: readonly FoundLine[]
}

/** The texts of files and of all that they include, each once. */
async function withIncluded(
  files: readonly string[],
  folder: string,
  source: InnerSource,
): Promise<Included> {
  const seen = new Set(files)
  const texts: string[] = []
  const unshown: FoundLine[] = []
  for (const file of seen) {
    const text = (await source.read(file))?.replaceAll(/\\\r?\n/g, ' ')
    if (text === undefined) continue
    if (!files.includes(file) && !(await source.isShown(file))) {
      unshown.push({
        file,
        folder,
        name: 'not shown, git does not know it',
        line: `sha256 ${await source.digest(file)}`,
      })
      continue
    }
    texts.push(text)
    for (const name of await includedNames({ text, all: texts.join('\n'), folder }, source))
      seen.add(pathSeenFrom(folder, name))
  }
  return { text: texts.length > 0 ? texts.join('\n') : null, files: [...seen], unshown }
}

/** Where these stand, what a target runs cannot be told from its lines. */
const hasHidden = /^[ \t]*(define\b|override[ \t]+define\b|\.(RECIPEPREFIX|DEFAULT_GOAL|SECONDEXPANSION)\b)/m
const condition = /^[ \t]*(ifn?eq|ifn?def|else|endif)\b/
const directive = /^ *([-s]?include|-?load|define|endef|undefine|export|unexport|override|private|vpath)\b/

function parseMakefile(text: string): {
  readonly rules: readonly MakeRule[]
  readonly settings: readonly string[]
} {
  const rules: { targets: string[]; needs: string[]; recipe: string[] }[] = []
  const settings: string[] = []
  let isInRule = false
  for (const line of text.split(/\r?\n/)) {
    const isPlain = !condition.test(line) && !directive.test(line)
    const rule = isPlain ? /^([^\s#:=][^:=#]*)::?(?![:=])([^=]*)$/.exec(line) : null
    if (line.startsWith('\t') && isInRule) rules.at(-1)?.recipe.push(line.trim())
    else if (rule) {
      const [needs = '', ...recipe] = (rule[2] ?? '').split(';')
      isInRule = true
      rules.push({
        targets: wordsIn(rule[1]),
        needs: wordsIn(needs),
        recipe: recipe.map((part) => part.trim()),
      })
    } else if (line.trim() !== '' && !line.trimStart().startsWith('#')) {
      // Only a condition may stand between the lines of a recipe.
      isInRule &&= condition.test(line)
      settings.push(line.trim())
    }
  }
  return { rules, settings }
}

const wordsIn = (text = ''): string[] => text.trim().split(/\s+/).filter(Boolean)

/** What these need is no target; other names with a dot are rules for kinds of files, or for what has none. */
const special =
  /^\.(PHONY|SUFFIXES|PRECIOUS|INTERMEDIATE|SECONDARY|NOTINTERMEDIATE|DELETE_ON_ERROR|IGNORE|SILENT|POSIX|ONESHELL|NOTPARALLEL|EXPORT_ALL_VARIABLES|LOW_RESOLUTION_TIME|WAIT)$/

/** Patterns and names that are put together from variables may be anything, so they always count. */
function isAlwaysUsed({ targets, needs }: MakeRule): boolean {
  const isOpen = (word: string): boolean =>
    /[%$]/.test(word) || (/^\.[^/]*$/.test(word) && !special.test(word))
  return targets.some(isOpen) || needs.some((need) => need.includes('$'))
}

function closureOf(rules: readonly MakeRule[], asked: readonly string[]): readonly MakeRule[] {
  const wanted = new Set(asked)
  const used = new Set<MakeRule>()
  for (let before = -1; before !== used.size;) {
    before = used.size
    // What is named by a variable may be any target.
    if ([...wanted].some((word) => word.includes('$'))) return rules
    for (const rule of rules.filter(
      (one) => one.targets.some((target) => wanted.has(target)) || isAlwaysUsed(one),
    )) {
      used.add(rule)
      if (!rule.targets.every((target) => special.test(target)))
        for (const need of rule.needs) wanted.add(need)
    }
  }
  return rules.filter((rule) => used.has(rule))
}
