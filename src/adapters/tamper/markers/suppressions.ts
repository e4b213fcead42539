import { lineCounter, syntaxLanguage } from '../syntax/outline.ts'
import { type Inspection, type Sign, type TextChange, nothingSeen, quote } from './tampering.ts'
import { type Occurrence, type Stretch, inNodes, insideOf, lineAt, nextLine } from './occurrences.ts'

/** A comment or attribute that silences a tool: the wider its scope, the more it hides. */
type Marker = { readonly tool: string; readonly scope: number; readonly pattern: RegExp }

const codes = String.raw`[ \t]*[:=(\[]?[ \t]*([\w@/.,:"'{} \t-]{0,200})`
const marker = (tool: string, scope: number, text: string): Marker => ({
  tool,
  scope,
  pattern: new RegExp(text + codes, 'g'),
})
const bare = (tool: string, scope: number, text: string): Marker => ({
  tool,
  scope,
  pattern: new RegExp(text, 'g'),
})

const markers: readonly Marker[] = [
  marker('eslint', 1, String.raw`\beslint-disable-(?:next-)?line\b`),
  marker('eslint', 2, String.raw`\beslint-disable(?!-)\b`),
  marker('oxlint', 1, String.raw`\boxlint-disable-(?:next-)?line\b`),
  marker('oxlint', 2, String.raw`\boxlint-disable(?!-)\b`),
  marker('biome', 1, String.raw`\bbiome-ignore(?:-all|-start)?\b`),
  marker('stylelint', 1, String.raw`\bstylelint-disable(?:-(?:next-)?line)?\b`),
  bare('tslint', 1, String.raw`\btslint:disable\b`),
  bare('typescript', 1, '@ts-expect-error'),
  bare('typescript', 2, '@ts-ignore'),
  bare('typescript', 3, '@ts-nocheck'),
  bare('coverage', 1, String.raw`\b(?:istanbul|c8|v8)[ \t]+ignore\b`),
  bare('coverage', 1, String.raw`\bpragma:[ \t]*no[ \t]*(?:cover|branch)\b`),
  marker('flake8', 1, String.raw`#[ \t]*noqa\b`),
  bare('flake8', 2, String.raw`#[ \t]*(?:flake8|ruff)[ \t]*:[ \t]*noqa\b`),
  marker('mypy', 1, String.raw`#[ \t]*(?:type|pyright)[ \t]*:[ \t]*ignore\b`),
  bare('mypy', 2, String.raw`#[ \t]*mypy[ \t]*:[ \t]*(?:ignore-errors|allow)`),
  marker('pylint', 1, String.raw`\bpylint[ \t]*:[ \t]*(?:disable|skip-file)(?:-next)?\b`),
  marker('bandit', 1, String.raw`#[ \t]*nosec\b`),
  bare('semgrep', 1, String.raw`\bnosemgrep\b`),
  marker('golangci', 1, String.raw`\/\/[ \t]*nolint\b`),
  bare('staticcheck', 1, String.raw`\/\/lint:(?:file-)?ignore\b`),
  marker('rustc', 1, String.raw`#\[[ \t]*allow\b`),
  marker('rustc', 1, String.raw`#\[[ \t]*expect\b`),
  marker('rustc', 2, String.raw`#!\[[ \t]*allow\b`),
  marker('java', 1, String.raw`@(?:SuppressWarnings|SuppressFBWarnings|Suppress)\b`),
  marker('rubocop', 1, String.raw`\brubocop[ \t]*:[ \t]*(?:disable|todo)\b`),
  bare('simplecov', 1, ':nocov:'),
  bare('sonar', 1, String.raw`\bNOSONAR\b`),
  marker('csharp', 1, String.raw`#pragma[ \t]+warning[ \t]+disable\b`),
  bare(
    'phpstan',
    1,
    String.raw`@phpstan-ignore|@psalm-suppress|@codeCoverageIgnore|@codingStandardsIgnore|phpcs:ignore|phpcs:disable`,
  ),
  marker('clang', 1, String.raw`\/\/[ \t]*NOLINT(?:NEXTLINE|BEGIN)?\b`),
  marker('clang', 2, String.raw`#pragma[ \t]+(?:GCC|clang)[ \t]+diagnostic[ \t]+ignored\b`),
  bare('eslint', 2, String.raw`\/\*[ \t]*(?:eslint[ \t]+[\w@/-]+[ \t]*:|globals?[ \t]+\w)`),
  marker('deno', 1, String.raw`\bdeno-lint-ignore(?:-file)?\b`),
  bare('jshint', 1, String.raw`\bjshint[ \t]+ignore\b`),
  bare('pyright', 2, String.raw`#[ \t]*pyright[ \t]*:[ \t]*(?:basic|off|\w+[ \t]*=[ \t]*(?:false|none))`),
  bare('pyre', 1, String.raw`#[ \t]*pyre-(?:ignore|fixme)\b`),
  bare('csharp', 1, String.raw`\bSuppressMessage\(`),
  marker('swiftlint', 1, String.raw`\bswiftlint:disable\b`),
  marker('shellcheck', 1, String.raw`#[ \t]*shellcheck[ \t]+disable\b`),
]

/** One cheap look that spares most files the long one. */
const anyMarker =
  /disable|ignore|nocheck|expect-error|no ?cover|no ?branch|noqa|nosec|nosemgrep|nolint|allow|expect\b|Suppress|skip-file|:nocov:|NOSONAR|eslint |global|pyright|pyre-/i

type Suppression = Occurrence & Pick<Marker, 'tool' | 'scope'> & { readonly silenced: ReadonlySet<string> }

/** Comments and attributes in code that silence a checker and were not there before, outside of new tests. */
export function inspectSuppressions(
  { path, before, after }: TextChange,
  exempt: readonly Stretch[] = [],
): Inspection {
  if (!anyMarker.test(after) && !anyMarker.test(before)) return nothingSeen
  const all = [find(before), find(after)] as const
  if (all[0].length === 0 && all[1].length === 0) return nothingSeen
  const [old, now] = [inComments(path, before, all[0]), inComments(path, after, all[1])]
  const isExempt = insideOf(exempt)
  const lineOf = lineCounter(after)
  const added = withoutCovered(now, old).filter(({ index }) => !isExempt(index))
  const removed = withoutCovered(old, now)
  return {
    signs: added.map((each) => signOf(each, lineOf(each.index), moveKeyOf(after, each))),
    moveKeys: removed.map((each) => moveKeyOf(before, each)),
  }
}

const signOf = ({ text }: Suppression, line: number, moveKey: string): Sign => ({
  kind: 'suppression_added',
  line,
  what: `a checker is silenced: ${quote(text)}`,
  moveKeys: [moveKey],
})

/** In another file the marker must stand at the same code to count as moved. */
const moveKeyOf = (source: string, { index }: Suppression): string =>
  `suppression ${lineAt(source, index)}\n${nextLine(source, index)}`

/** Whether a comment silences a checker. */
export const silencesChecker = (comment: string): boolean =>
  anyMarker.test(comment) && find(comment).length > 0

function find(source: string): Suppression[] {
  return markers
    .flatMap(({ tool, scope, pattern }) =>
      [...source.matchAll(pattern)].map((found): Suppression => {
        const silenced = silencedBy(found[1])
        const text = found[0].trim()
        return {
          index: found.index,
          text,
          key: `${tool} ${scope} ${[...silenced].join()}`,
          tool,
          scope,
          silenced,
        }
      }),
    )
    .toSorted((a, b) => a.index - b.index)
}

/** The rules named; a reason behind ` -- ` is none. */
function silencedBy(text: string | undefined): ReadonlySet<string> {
  const named = (text ?? '').split(/(?:^|\s)--/, 1)[0] ?? ''
  const isList = /^[\s"'{]*[\w@/.:-]+(?:["']?\s*,\s*["']?[\w@/.:-]+)*/.exec(named)?.[0] ?? ''
  return new Set(isList.match(/[\w@/.:-]+/g) ?? [])
}

/** In languages with a syntax tree, a marker counts in a comment only: a text may speak of one. */
function inComments(path: string, source: string, found: readonly Suppression[]): readonly Suppression[] {
  if (found.length === 0) return found
  const isInComment = inNodes(source, syntaxLanguage(path), ['comment'])
  return isInComment ? found.filter(({ index }) => isInComment(index)) : found
}

/** Leaves out what the other side has too, or had in a wider form: narrowing is welcome. */
function withoutCovered(found: readonly Suppression[], others: readonly Suppression[]): Suppression[] {
  const open = Map.groupBy(others, ({ key }) => key)
  const rest = found.filter(({ key }) => open.get(key)?.pop() === undefined)
  const wide = [...open.values()].flat().slice(0, 100)
  return rest.filter((each) => {
    const index = wide.findIndex((other) => covers(other, each))
    if (index >= 0) wide.splice(index, 1)
    return index < 0
  })
}

function covers(wide: Suppression, narrow: Suppression): boolean {
  if (wide.tool !== narrow.tool || wide.scope < narrow.scope) return false
  return (
    wide.silenced.size === 0 ||
    (narrow.silenced.size > 0 && [...narrow.silenced].every((rule) => wide.silenced.has(rule)))
  )
}
