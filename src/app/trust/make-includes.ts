import { posix } from 'node:path'
import { pathSeenFrom, type InnerSource } from './script-line.ts'

interface MakeText {
  /** The text that includes others. */
  readonly text: string
  /** All that was read so far, which sets variables. */
  readonly all: string
  readonly folder: string
}

/** A name that becomes longer than this was made to grow without end. */
const longest = 10_000
const mostSteps = 20
const mostStars = 2

/** The files that the lines of a makefile include, over variables and stars; what cannot be told is taken note of. */
export async function includedNames(
  { text, all, folder }: MakeText,
  source: InnerSource,
): Promise<readonly string[]> {
  const lines = [...text.matchAll(/^[ \t]*[-s]?include[ \t]+([^#\r\n]+)/gm)].map(([, line = '']) => line)
  if (lines.length === 0) return []
  const values = valuesIn(all)
  const found: string[] = []
  for (const line of lines) {
    const names = withValues(line, values)
    if (names === null) source.passOver(line.trim(), 'what it includes cannot be told')
    else
      for (const name of names.split(/\s+/).filter(Boolean))
        found.push(...(await matching(name, folder, source)))
  }
  return found
}

type Values = ReadonlyMap<string, string | null>

/** The values that are given in plain words, once; null for what else is set, which may be anything. */
function valuesIn(all: string): Values {
  const values = new Map<string, string | null>()
  const set = all.matchAll(/^[ \t]*(?:(?:export|override)[ \t]+)*([\w.-]+)[ \t]*([^\s\w]{0,3})=[ \t]*(.*)$/gm)
  for (const [, name = '', how = '', value = ''] of set) {
    const isPlain = !values.has(name) && /^(:{0,3}|\?)$/.test(how)
    values.set(name, isPlain ? value.replace(/(^|\s)#.*$/, '').trim() : null)
  }
  return values
}

/** A text with the values of variables in their places; null where one of them is not plain. */
function withValues(written: string, values: Values): string | null {
  let text = written
  for (let step = 0; step < mostSteps && text.includes('$') && text.length < longest; step += 1)
    text = text
      .replaceAll(/\$[({]CURDIR[)}]/g, '.')
      .replaceAll(/\$[({]wildcard[ \t]+([^$(){}]*)[)}]/g, '$1')
      .replaceAll(/\$[({]([\w.-]+)[)}]/g, (_, name: string) => values.get(name) ?? '$?')
  return /[$`]/.test(text) || text.length >= longest ? null : text
}

const wild = /[*?[]/

/** The files that a name with stars stands for, as a shell reads it; without any, the name itself. */
async function matching(name: string, folder: string, source: InnerSource): Promise<readonly string[]> {
  if (!wild.test(name)) return [name]
  let found = [name.startsWith('/') ? '/' : '.']
  for (const part of name.split('/').filter(Boolean))
    if (wild.test(part)) {
      const listed = await Promise.all(
        found.map(async (path) => {
          const names = await source.list(pathSeenFrom(folder, path))
          return names.filter((one) => shellPattern(part).test(one)).map((one) => posix.join(path, one))
        }),
      )
      found = listed.flat().toSorted()
    } else found = found.map((path) => posix.join(path, part))
  return found
}

/** Classes of characters count as any character, and so do many stars: a file too many does no harm. */
function shellPattern(part: string): RegExp {
  const [first = '', ...rest] = part.replaceAll(/\[[^\]]*\]/g, '?').split(/\*+/)
  if (rest.length > mostStars) return /^/
  const plain = (text: string): string =>
    text.replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`).replaceAll('?', '.')
  return new RegExp(`^${[first, ...rest].map(plain).join('.*')}$`, 's')
}
