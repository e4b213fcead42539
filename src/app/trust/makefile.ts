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
  { read }: Pick<InnerSource, 'read'>,
): Promise<readonly FoundLine[]> {
  const folder = optionsOf(words, 'C', ['--directory']).reduce(pathSeenFrom, from)
  const named = optionsOf(words, 'f', ['--file', '--makefile'])
  for (const together of named.length === 0 ? names.map((name) => [name]) : [named]) {
    const files = together.map((name) => pathSeenFrom(folder, name))
    const whole = await withIncluded(files, folder, read)
    if (whole === null) continue
    const file = files.join(' ')
    const { rules, settings } = parseMakefile(whole)
    const asked = words.filter((word) => !word.startsWith('-') && !word.includes('='))
    const first = rules.flatMap(({ targets }) => targets).find((target) => !target.startsWith('.'))
    const used = closureOf(rules, [...asked, first ?? ''])
    return [
      ...used.map(({ targets, needs, recipe }) => ({
        file,
        folder,
        name: [targets.join(' '), ...needs].join(' '),
        line: recipe.join('\n'),
      })),
      ...(settings.length > 0 ? [{ file, folder, name: 'settings', line: settings.join('\n') }] : []),
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

/** The texts of files and of all that they include, each once; null when there is none. */
async function withIncluded(
  files: readonly string[],
  folder: string,
  read: InnerSource['read'],
): Promise<string | null> {
  const seen = new Set(files)
  const texts: string[] = []
  for (const file of seen) {
    const text = (await read(file))?.replaceAll(/\\\r?\n/g, ' ')
    if (text === undefined) continue
    texts.push(text)
    for (const [, included = ''] of text.matchAll(/^ *[-s]?include[ \t]+([^#\r\n]+)/gm))
      for (const name of wordsIn(included)) seen.add(pathSeenFrom(folder, name))
  }
  return texts.length > 0 ? texts.join('\n') : null
}

function parseMakefile(text: string): {
  readonly rules: readonly MakeRule[]
  readonly settings: readonly string[]
} {
  const rules: { targets: string[]; needs: string[]; recipe: string[] }[] = []
  const settings: string[] = []
  for (const line of text.split(/\r?\n/)) {
    const rule = /^([^\s#:=][^:=#]*)::?(?![:=])([^=]*)$/.exec(line)
    if (line.startsWith('\t')) rules.at(-1)?.recipe.push(line.trim())
    else if (rule) {
      const [needs = '', ...recipe] = (rule[2] ?? '').split(';')
      rules.push({
        targets: wordsIn(rule[1]),
        needs: wordsIn(needs),
        recipe: recipe.map((part) => part.trim()),
      })
    } else if (line.trim() !== '' && !line.trimStart().startsWith('#')) settings.push(line.trim())
  }
  return { rules, settings }
}

const wordsIn = (text = ''): string[] => text.trim().split(/\s+/).filter(Boolean)

/** Patterns and names that are put together from variables may be anything, so they always count. */
function closureOf(rules: readonly MakeRule[], asked: readonly string[]): readonly MakeRule[] {
  const wanted = new Set(asked)
  const used = new Set<MakeRule>()
  for (let before = -1; before !== used.size;) {
    before = used.size
    for (const rule of rules.filter(({ targets }) =>
      targets.some((target) => wanted.has(target) || /[%$]/.test(target)),
    )) {
      used.add(rule)
      for (const need of rule.needs) wanted.add(need)
    }
  }
  return rules.filter((rule) => used.has(rule))
}
