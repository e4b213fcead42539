import { lineCounter, syntaxLanguage } from '../syntax/outline.ts'
import { type Inspection, type Sign, type TextChange, nothingSeen, quote } from './tampering.ts'
import { type SuppressionMarker, suppressionMarkers } from './suppression-markers.ts'
import { type Occurrence, type Stretch, inNodes, insideOf, lineAt, nextLine } from './occurrences.ts'

/** One cheap look that spares most files the long one. */
const anyMarker =
  /disable|ignore|nocheck|expect-error|no ?cover|no ?branch|noqa|nosec|nosem|nolint|allow|expect\b|Suppress|skip-file|:nocov:|NOSONAR|eslint\b|global|pyright|pyre-|generated|exclude|suppress|skip|allow|\boff\b|FlowFix|lgtm|codeql|coverity|whitelist|_EXCL_|COVERAGE-OFF|Coverage\b|typed:|dialyzer|critic|no +(?:warnings|strict)|OPTIONS_GHC|nowarn|sanitize|go:build|\+build|# *if *\(? *(?:0|false|never)|\bcfg\(|[.-]OFF\b|NOPMD|CHECKSTYLE|noinspection|phpcs:|codingStandards|system_header|exported|jshint|derived|node:coverage|do not edit|-V\d|lint [-!+]|(?:\/\/|\/\*)line[ \t]|pragma/i

type Suppression = Occurrence &
  Pick<SuppressionMarker, 'tool' | 'scope'> & { readonly silenced: ReadonlySet<string> }

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
  return suppressionMarkers
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
