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
  const folder = pathSeenFrom(from, optionOf(words, '-C', '--directory') ?? '')
  const named = optionOf(words, '-f', '--file')
  for (const name of named === null ? names : [named]) {
    const file = pathSeenFrom(folder, name)
    const text = await read(file)
    if (text === null) continue
    const whole = await withIncluded(text, folder, read)
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

function optionOf(words: readonly string[], short: string, long: string): string | null {
  const index = words.findIndex((word) => word === short || word === long)
  if (index !== -1) return words[index + 1] ?? null
  const joined = words.find((word) => word.startsWith(`${long}=`))
  return joined === undefined ? null : joined.slice(long.length + 1)
}

async function withIncluded(text: string, folder: string, read: InnerSource['read']): Promise<string> {
  const included = [...text.matchAll(/^[-s]?include[ \t]+(.+)$/gm)].flatMap(([, files = '']) =>
    files.trim().split(/\s+/),
  )
  const texts = await Promise.all(included.map((file) => read(pathSeenFrom(folder, file))))
  return [text, ...texts].filter((part) => part !== null).join('\n')
}

function parseMakefile(text: string): {
  readonly rules: readonly MakeRule[]
  readonly settings: readonly string[]
} {
  const rules: { targets: string[]; needs: string[]; recipe: string[] }[] = []
  const settings: string[] = []
  for (const line of text.replaceAll(/\\\r?\n/g, ' ').split(/\r?\n/)) {
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
