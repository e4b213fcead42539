import { type Sign, quote } from '../markers/tampering.ts'
import { type Token, tokenize } from '../../../model/syntax/tokens.ts'
import { isAsStrong, strength } from './compare-claims.ts'
import type { Matched, Pair } from './match-tests.ts'
import type { Assertion, TestCase, TestFile } from './test-file.ts'

/** The assertions of one test that are not word for word in both versions. */
type Changed = Pair & { readonly removed: Assertion[]; readonly added: Assertion[] }

export type Compared = {
  readonly signs: readonly Sign[]
  /** The assertions that are new in a test that runs. */
  readonly takenOver: ReadonlySet<string>
}

/** Finds which assertions of the surviving tests are gone, prove less, or are no longer reached. */
export function compareAssertions({ pairs, fresh }: Matched, before: TestFile, after: TestFile): Compared {
  const unreached: Sign[] = []
  const changed = pairs.map((pair): Changed => {
    const { same, removed, added } = sameIn(pair)
    unreached.push(...same.flatMap(([old, now]) => reachSigns(old, now)))
    return { ...pair, removed, added }
  })
  const [inFresh, inOld] = [
    fresh.map((test) => ({ test, added: test.assertions })),
    changed.map(({ after: test, added }) => ({ test, added })),
  ].map((gained) => gained.filter(({ test }) => test.skippedBy === null))
  // In another old test the same words are about that test's own values.
  const moved = keysOf([...(inFresh ?? []), ...(inOld ?? []).filter(({ test }) => test.isSuite)])
  const signs = changed.flatMap((each) => changeSigns(withoutMoved(each, moved), before, after))
  const takenOver = keysOf([...(inFresh ?? []), ...(inOld ?? [])].filter(({ test }) => !test.isSuite))
  return { signs: [...unreached, ...signs], takenOver }
}

const keysOf = (gained: readonly { readonly added: readonly Assertion[] }[]): ReadonlySet<string> =>
  new Set(gained.flatMap(({ added }) => added.map(({ key }) => key)))

function sameIn({ before, after }: Pair): {
  same: [Assertion, Assertion][]
  removed: Assertion[]
  added: Assertion[]
} {
  const open = Map.groupBy(after.assertions.toReversed(), ({ key }) => key)
  const same: [Assertion, Assertion][] = []
  const removed: Assertion[] = []
  for (const old of before.assertions) {
    const now = open.get(old.key)?.pop()
    if (now) same.push([old, now])
    else removed.push(old)
  }
  const left = new Set([...open.values()].flat())
  return { same, removed, added: after.assertions.filter((now) => left.has(now)) }
}

const withoutMoved = (changed: Changed, moved: ReadonlySet<string>): Changed => ({
  ...changed,
  removed: changed.removed.filter(({ key }) => !moved.has(key)),
})

function reachSigns(old: Assertion, now: Assertion): Sign[] {
  const isLess = now.isSwallowed && !old.isSwallowed ? 'its failure is caught and dropped' : null
  const isRarer = now.guards > old.guards ? 'it is only checked under a condition' : null
  const why = isLess ?? isRarer
  return why === null ? [] : [loosened(now, `${why}: ${quote(now.shown)}`)]
}

const loosened = (now: Assertion, what: string): Sign => ({
  kind: 'assertion_loosened',
  line: now.line,
  what,
})

function changeSigns(changed: Changed, before: TestFile, after: TestFile): Sign[] {
  const { removed, added } = changed
  if (removed.length === 0) return []
  const left = [...added]
  const isRename = renameJudge(changed, before, after)
  const take = (isMatch: (now: Assertion) => boolean): Assertion | undefined => {
    const index = left.findIndex(isMatch)
    return index < 0 ? undefined : left.splice(index, 1)[0]
  }
  return removed.slice(0, maxCompared).flatMap((old) => {
    const renamed = take((now) => isRename(old, now))
    if (renamed) return reachSigns(old, renamed)
    const successor =
      take((now) => now.subject === old.subject && isAsStrong(old, now)) ??
      take((now) => now.subject === old.subject)
    if (successor) return successorSigns(old, successor)
    const other = take((now) => isAboutSame(old, now))
    return other
      ? isStrengthened(old, other)
        ? reachSigns(old, other)
        : [replaced(old, other)]
      : [deleted(old)]
  })
}

/** Enough for a person to see; a test that lost more is reported anyway. */
const maxCompared = 50

function successorSigns(old: Assertion, now: Assertion): Sign[] {
  return isAsStrong(old, now) ? reachSigns(old, now) : [replaced(old, now)]
}

const isAboutSame = (old: Assertion, now: Assertion): boolean =>
  now.matcher !== 'case' && old.matcher !== 'case'

/** `expect(x.includes(1)).toBe(true)` became `expect(x).toEqual([1])`. */
function isStrengthened(old: Assertion, now: Assertion): boolean {
  const wasBoolean = strength(old) === 3 || /^(?:true|True)$/.test(old.expected)
  return (
    wasBoolean &&
    strength(now) >= 9 &&
    !now.isNegated &&
    now.subject !== '' &&
    old.subject.startsWith(`${now.subject} `)
  )
}

const deleted = (old: Assertion): Sign => ({
  kind: 'assertion_deleted',
  line: old.line,
  what: `an assertion was removed: ${quote(old.shown)}`,
})

const replaced = (old: Assertion, now: Assertion): Sign =>
  old.matcher === 'case' && now.matcher === 'case'
    ? loosened(
        now,
        `a row of the table of cases was changed: ${quote(old.expected)} → ${quote(now.expected)}`,
      )
    : loosened(now, `an assertion was changed: ${quote(old.shown)} → ${quote(now.shown)}`)

type Judge = (old: Assertion, now: Assertion) => boolean

function renameJudge({ before, after }: Pair, oldFile: TestFile, newFile: TestFile): Judge {
  let names: readonly [ReadonlySet<string>, ReadonlySet<string>] | null = null
  return (old, now) => {
    const isSameClaim = old.matcher === now.matcher && old.isNegated === now.isNegated
    const renames = isSameClaim ? renamesBetween(old.tokens, now.tokens) : null
    if (!renames) return false
    names ??= [namesIn(oldFile, before), namesIn(newFile, after)]
    return areRenamed(renames, names[0], names[1])
  }
}

function namesIn({ source, dialect }: TestFile, { start, end }: TestCase): ReadonlySet<string> {
  const tokens = tokenize(source.slice(start, end), dialect)
  return new Set(tokens.flatMap(({ kind, text }) => (kind === 'name' ? [text] : [])))
}

type Renames = ReadonlyMap<string, string>

/** Which variables must be renamed for the first to read like the second; null when renaming is not enough. */
function renamesBetween(before: readonly Token[], after: readonly Token[]): Renames | null {
  if (before.length !== after.length || before.length === 0) return null
  const renames = new Map<string, string>()
  for (const [index, old] of before.entries()) {
    const now = after[index]
    if (!now || now.kind !== old.kind) return null
    if (now.text === old.text) continue
    if (!isVariable(before, index) || !isVariable(after, index)) return null
    if ((renames.get(old.text) ?? now.text) !== now.text) return null
    renames.set(old.text, now.text)
  }
  return renames.size > 0 ? renames : null
}

/** Types, members, called functions, keys and arguments by name are part of what is tested. */
function isVariable(tokens: readonly Token[], index: number): boolean {
  const next = tokens[index + 1]?.text ?? ''
  const previous = tokens[index - 1]?.text ?? ''
  const token = tokens[index]
  if (token?.kind !== 'name' || /^\p{Lu}\p{L}*\p{Ll}/u.test(token.text)) return false
  return !/^[(:=]$/.test(next) && !/^(?:\.|->|::)$/.test(previous)
}

/** A variable was renamed when the old name is gone and the new one was not there. */
function areRenamed(renames: Renames, before: ReadonlySet<string>, after: ReadonlySet<string>): boolean {
  return [...renames].every(([old, now]) => !after.has(old) && !before.has(now))
}
