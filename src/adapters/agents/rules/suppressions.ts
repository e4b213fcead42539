import { isHostile } from '../../../model/syntax/is-parseable.ts'
import { parseSource } from './engine/language.ts'
import type { RuleInfo, RuleLanguage } from './engine/rule.ts'
import type { Match } from './engine/scan.ts'
import { isLinterRule } from './scan-sources.ts'

/** Comments that silence the linters we run. */
const suppression =
  /\b(?:eslint|oxlint)-(?:disable|enable)(?=[-\s*]|$)|\bnoqa\b|\bruff\s{0,20}:\s{0,20}(?:(?:file-)?ignore|disable|enable)\b/gi

/** The text with its suppressions made void; everything stays at its place. */
export const withoutSuppressions = (text: string): string =>
  text.replaceAll(suppression, (found) => found.replaceAll(/[a-z]/gi, 'x'))

/** What a text without its comments is called beside the text itself. */
export const beneath = (path: string): string => `\0/${path}`

/** The text with every word in its comments made void: some rules look away where a comment tells a reason. Null for no program. */
export function withoutRemarks(text: string, language: RuleLanguage): string | null {
  if (isHostile(text, language === 'Python' ? 'python' : 'javascript')) return null
  const comments = parseSource(text, language).findAll({ rule: { kind: 'comment' } })
  const pieces: string[] = []
  let from = 0
  for (const { start, end } of comments.map((comment) => comment.range())) {
    pieces.push(text.slice(from, start.index), text.slice(start.index, end.index).replaceAll(/[a-z]/gi, 'x'))
    from = end.index
  }
  return [...pieces, text.slice(from)].join('')
}

/** The names that other tools give to the problem of a rule, where they differ. */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  'eslint/no-unused-vars': ['JSUnusedLocalSymbols', 'JSUnusedGlobalSymbols'],
  'eslint/no-unreachable': ['UnreachableCodeJS'],
  'js/throw-literal': ['no-throw-literal', 'only-throw-error'],
  'js/template-in-string': ['no-template-curly-in-string'],
  'js/missing-callback-return': ['array-callback-return'],
  'js/unawaited-return-in-try': ['return-await'],
  'js/indexof-truthiness': ['JSIncompatibleTypesComparison'],
  'js/code-injection': ['no-eval', 'no-new-func', 'no-implied-eval'],
  'py/bare-except': ['bare-except', 'W0702', 'PyBroadException'],
  'py/raise-without-from': ['raise-missing-from', 'W0707'],
  'py/mutable-default': ['dangerous-default-value', 'W0102', 'PyDefaultArgument'],
  'ruff/F401': ['unused-import', 'W0611', 'PyUnresolvedReferences'],
  'ruff/F541': ['f-string-without-interpolation', 'W1309'],
  'ruff/F811': ['function-redefined', 'E0102', 'PyRedeclaration'],
  'ruff/F821': ['undefined-variable', 'E0602', 'PyUnresolvedReferences', 'name-defined'],
}

/** A comment of another tool: which line it is for, and the problems it names; without names it means all it may. */
interface Comment {
  readonly pattern: RegExp
  readonly stands: 'on' | 'above'
  /** The problems that a comment without names may silence; none of a rule whose linter reads such comments itself. */
  readonly bare: (rule: RuleInfo) => boolean
}

const ofOurOwn = (rule: RuleInfo): boolean => !isLinterRule(rule)
const isSecurity = ({ category }: RuleInfo): boolean => category === 'security'
const isType = ({ id }: RuleInfo): boolean => /^ruff\/(?:F821|F811|PLE\d+)$/.test(id)
const anything = (): boolean => true
const nothing = (): boolean => false

const comments: readonly Comment[] = [
  { pattern: /\b(?:eslint|oxlint)-disable-line\b([^*\n]*)/, stands: 'on', bare: ofOurOwn },
  { pattern: /\b(?:eslint|oxlint)-disable-next-line\b([^*\n]*)/, stands: 'above', bare: ofOurOwn },
  { pattern: /#\s*noqa\b:?([^#\n]*)/i, stands: 'on', bare: ofOurOwn },
  { pattern: /#\s*nosec\b:?()/, stands: 'on', bare: isSecurity },
  { pattern: /\bjshint ignore:\s*line\b()/, stands: 'on', bare: anything },
  { pattern: /\bNOSONAR\b()/, stands: 'on', bare: anything },
  { pattern: /\bnolint\b()/, stands: 'on', bare: anything },
  { pattern: /#\s*type:\s*ignore\b\[?([^\]#\n]*)/, stands: 'on', bare: isType },
  { pattern: /#\s*pylint:\s*disable=([^#\n]*)/, stands: 'on', bare: nothing },
  // Biome writes the names of ESLint's rules without their hyphens.
  { pattern: /\bbiome-ignore\s+lint\/\w+\/(\w+)/, stands: 'above', bare: nothing },
  { pattern: /\bnoinspection\s+([\w, ]*)/, stands: 'above', bare: nothing },
]

export interface Silenced {
  readonly kept: readonly Match[]
  /** How many matches a comment asks to leave out. */
  readonly silenced: number
}

/** The matches without those that a comment on their line, alone on the line above, or around them asks to leave out. */
export function notIgnored(matches: readonly Match[], text: string): Silenced {
  if (matches.length === 0) return { kept: matches, silenced: 0 }
  const lines = text.split('\n')
  const kept = matches.filter(({ rule, line }) => {
    const [own = '', above = ''] = [lines[line - 1], lines[line - 2]]
    const isAlone = /^\s*(?:\/\/|#|\/\*|\*|\{\/\*)/.test(above)
    if (isIgnoredBy(own, rule.id) || (isAlone && isIgnoredBy(above, rule.id))) return false
    if (ofOurOwn(rule) && isInDisabledPart(lines.slice(0, line), rule)) return false
    const head = pylintAbove(above)
    return !comments.some((comment) => [own, head].some((on) => silences(comment, { on, above }, rule)))
  })
  return { kept, silenced: matches.length - kept.length }
}

/** Pylint's comment may stand alone above the line that it is for. */
const pylintAbove = (above: string): string => (/^\s*#\s*pylint:/.test(above) ? above : '')

function silences(
  { pattern, stands, bare }: Comment,
  lines: Readonly<Record<Comment['stands'], string>>,
  rule: RuleInfo,
): boolean {
  const found = pattern.exec(lines[stands])
  if (!found) return false
  const names = namesIn(found[1] ?? '')
  return names.length === 0 ? bare(rule) : names.some((name) => isNameOf(name, rule))
}

/** The names of a list; what follows two dashes is a reason. */
const namesIn = (list: string): readonly string[] =>
  (list.split(/\s--\s/)[0] ?? '').split(/[\s,]+/).filter((name) => /^[@\w][\w/@-]*$/.test(name))

function isNameOf(name: string, rule: RuleInfo): boolean {
  const plain = name.split('/').at(-1) ?? name
  const ownNames = isLinterRule(rule) ? [rule.name, rule.name.split('/').at(-1)] : []
  const bare = ownNames.map((own) => own?.replaceAll('-', '').toLowerCase())
  return (
    name === rule.id ||
    ownNames.includes(plain) ||
    bare.includes(plain.toLowerCase()) ||
    (otherNames[rule.id] ?? []).includes(plain)
  )
}

/** ESLint's comments for a whole part of a file, which the linter itself reads for its own rules. */
function isInDisabledPart(before: readonly string[], rule: RuleInfo): boolean {
  const last = before.findLast((line) => {
    const found = /\/\*\s*(?:eslint|oxlint)-(?:disable|enable)(?!-)([^*]*)/.exec(line)
    const names = namesIn(found?.[1] ?? '')
    return found !== null && (names.length === 0 || names.some((name) => isNameOf(name, rule)))
  })
  return last !== undefined && /-disable/.test(last)
}

/** `fixpoint-ignore RULE: reason`; without a reason it does not count. */
const isIgnoredBy = (line: string, id: string): boolean =>
  [...line.matchAll(/\bfixpoint-ignore\s+([\w./-]+)\s*:\s*\S/g)].some(([, rule]) => rule === id)

/** True where a linter may have kept silent because of a comment. */
export const mayBeSilenced = (text: string): boolean => text.search(suppression) !== -1
