import { syntaxLanguage } from '../syntax/outline.ts'
import type { TextChange } from './tampering.ts'

/** A part of a text that gives names to something, and what each name means. */
interface Naming {
  readonly start: number
  readonly end: number
  readonly means: ReadonlyMap<string, string>
}

const known =
  'process|Object|Reflect|Array|String|Number|Promise|Error|Function|JSON|Math|Date|RegExp|Map|Set|globalThis|global|performance|console'
/** Libraries that tell where code runs, or that the library of a test may use. */
const library =
  'assert|async_hooks|child_process|events|fs|module|os|perf_hooks|process|stream|util|v8|worker_threads'
const loaded = String.raw`['"](?:node:)?(?<module>${library})(?:/\w+)?['"]`
const held = String.raw`(?:await\s+import|\w*[rR]equire\w*|\w+\([^()\n]{0,60}\))\(\s*${loaded}\s*\)(?:\.(?:default|strict))*`
const value = String.raw`(?<root>(?:${known})(?:\s*\.\s*\w+){0,4}|(?:Object|Reflect)\.getPrototypeOf\([^;\n]{0,80}\)|[^\s;=]{1,40}\.__proto__)(?=\s*[;,)\n]|\s*$)`
const name = String.raw`[\w$]{1,80}`
const parts = String.raw`\{(?<parts>[^{}]{1,1000})\}`

const javascript: readonly RegExp[] = [
  new RegExp(
    String.raw`\bimport\s+(?:\*\s*as\s+)?(?<whole>${name})?\s*,?\s*(?:${parts})?\s*from\s*${loaded}`,
    'g',
  ),
  new RegExp(
    String.raw`\b(?:const|let|var)\s+(?:(?<whole>${name})|${parts})\s*=\s*(?:${held}|${value})`,
    'g',
  ),
]
const python: readonly RegExp[] = [
  /^[ \t]*import[ \t]+(?<package>[\w.]{1,80})[ \t]+as[ \t]+(?<whole>\w{1,80})/gm,
  /^[ \t]*from[ \t]+(?<package>sys|os|gc|inspect|traceback|threading|time|builtins|importlib|warnings|unittest|ctypes)[ \t]+import[ \t]+\(?(?<parts>[\w ,\t]{1,1000})/gm,
]

/** A name may be given on to another one, and so on. */
const mostSteps = 3

/** Both texts, with what they call by names of their own under the name that everybody knows it by. */
export const withPlainNames = ({ path, before, after }: TextChange): TextChange => ({
  path,
  before: plainNames(path, before),
  after: plainNames(path, after),
})

function plainNames(path: string, source: string): string {
  const language = syntaxLanguage(path)
  if (!language) return source
  const patterns = language === 'Python' ? python : javascript
  let text = source
  for (let step = 0, before = ''; step < mostSteps && before !== text; step += 1) {
    before = text
    text = replaceNames(text, readNamings(text, patterns))
  }
  return text
}

const readNamings = (source: string, patterns: readonly RegExp[]): readonly Naming[] =>
  patterns
    .flatMap((pattern) => [...source.matchAll(pattern)])
    .map(({ index, 0: { length }, groups = {} }) => ({
      start: index,
      end: index + length,
      means: meaningsOf(groups),
    }))
    .toSorted((a, b) => a.start - b.start)

function meaningsOf(groups: Readonly<Record<string, string | undefined>>): ReadonlyMap<string, string> {
  const { module } = groups
  // Modules of Node are told from what else bears their names.
  const library = module === undefined || module === 'process' ? module : `node:${module}`
  const root = (library ?? groups['root'] ?? groups['package'] ?? '').replaceAll(/\s+/g, '')
  const means = new Map<string, string>()
  if (groups['whole'] !== undefined) means.set(groups['whole'], root)
  for (const part of (groups['parts'] ?? '').split(',')) {
    const [, from, to = from] = /^\s*(\w+)\s*(?:(?:\bas\b|:)\s*([\w$]+)\s*)?(?:=.*)?$/.exec(part) ?? []
    if (from !== undefined && to !== undefined) means.set(to, from === 'default' ? root : `${root}.${from}`)
  }
  return means
}

/** Replaces names where they stand alone; lines stay what they are, so that places can still be told. */
function replaceNames(source: string, namings: readonly Naming[]): string {
  const means = new Map(namings.flatMap((each) => [...each.means]).filter(([from, to]) => from !== to))
  if (means.size === 0) return source
  const names = [...means.keys()].map((each) => each.replaceAll('$', String.raw`\$`)).join('|')
  const standing = new RegExp(
    String.raw`(?<![\w$.'"\x60/-]|\.\s|node:)(?:${names})(?![\w$'"\x60-]|\s*:(?!:))`,
    'g',
  )
  let text = ''
  let at = 0
  for (const { start, end } of [...namings, { start: source.length, end: source.length }]) {
    if (start < at) continue
    text += source.slice(at, start).replaceAll(standing, (each) => means.get(each) ?? each)
    text += source.slice(start, end)
    at = end
  }
  return text
}
