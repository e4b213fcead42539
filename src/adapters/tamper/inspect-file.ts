import picomatch from 'picomatch'
import { inspectExits } from './markers/exits.ts'
import { inspectHiddenNames } from './markers/hidden-names.ts'
import {
  inspectReplacedAssertions,
  inspectTextTests,
  inspectTouchedJudge,
} from './markers/replaced-assertions.ts'
import { withPlainNames } from './markers/plain-names.ts'
import { inspectSuppressions } from './markers/suppressions.ts'
import { inspectSurroundings, inspectTestAwareness } from './markers/test-awareness.ts'
import { inspectTypeEscapes } from './markers/type-escapes.ts'
import { inspectUnreadable } from './markers/unreadable.ts'
import { type PathKind, isCode, isDocument, isNamedAsTest, pathKind } from '../../model/path-kind.ts'
import { whyPinned } from './lock-file/why-pinned.ts'
import { protectedReason, type Guard } from './protected-file.ts'
import { changedSnapshots } from './markers/snapshots.ts'
import type { FileChange, Inspection, Sign, TamperOptions } from './markers/tampering.ts'
import { nothingSeen } from './markers/tampering.ts'
import { inspectLostTests, inspectNewTests, inspectTests } from './test-file/inspect-tests.ts'
import { loweredMinimums, loweredThresholds } from './markers/thresholds.ts'

/** Looks at one file on its own; `findTampering` then leaves out what only moved between files. */
export function inspectFile(change: FileChange, guard: Guard): Inspection {
  const reason = protectedReason(change, guard)
  const guarded: Sign[] = reason
    ? [{ kind: 'protected_file', line: null, what: `a protected file was ${verbOf(change)}: ${reason}` }]
    : []
  const content = inspectContent(change, guard.finding)
  return { ...content, signs: [...guarded, ...inspectUnreadable(change), ...content.signs] }
}

export function guardOf(changes: readonly FileChange[], options: TamperOptions): Guard {
  const globs = options.protectedGlobs.filter((glob) => glob.trim() !== '')
  const isConfigured = globs.length > 0 ? picomatch(globs, { dot: true, nocase: true }) : () => false
  return {
    ofPath(path) {
      if (isConfigured(path)) return 'the configuration protects it'
      return options.checkFiles?.has(path) ? judges : null
    },
    ofLock: (lock) => whyPinned(lock, changes, options),
    finding: options.findingTitle ?? '',
  }
}

const judges =
  'a verification command runs it, so a change of it decides what green means; approve it if it is what you want'

const verbs: Readonly<Record<FileChange['status'], string>> = {
  added: 'added',
  modified: 'changed',
  deleted: 'deleted',
  renamed: 'renamed',
  mode_changed: 'given another mode',
  type_changed: 'replaced by something else',
}
const verbOf = ({ status }: FileChange): string => verbs[status]

function inspectContent(change: FileChange, finding: string): Inspection {
  const oldKind = pathKind(change.oldPath ?? change.path)
  if (oldKind === 'test' || oldKind === 'snapshot') {
    if (isLost(change)) return inspectLoss(change, oldKind)
  }
  switch (pathKind(change.path)) {
    case 'test':
      return inspectTestFile(change, oldKind)
    case 'snapshot':
      return inspectSnapshot(change)
    case 'source':
      return inspectSource(change, finding)
    default:
      return inspectSettings(change)
  }
}

/** Deleted, turned into something else, or renamed to where no runner looks, be it by case only. */
function isLost({ status, path, oldPath }: FileChange): boolean {
  if (status === 'deleted' || status === 'type_changed') return true
  if (status !== 'renamed' || oldPath === null) return false
  const isOtherCase = path.toLowerCase() === oldPath.toLowerCase()
  return (
    pathKind(path) !== pathKind(oldPath) || (isNamedAsTest(oldPath) && (isOtherCase || !isNamedAsTest(path)))
  )
}

function inspectLoss(change: FileChange, kind: PathKind): Inspection {
  const path = change.oldPath ?? change.path
  if (kind === 'snapshot' || !isCode(path)) {
    if (isDocument(path)) return nothingSeen
    return comparedWith(`a file that tests compare with was ${verbOf(change)}`)
  }
  return inspectLostTests(path, change.before ?? '', `a file of tests was ${verbOf(change)}`)
}

const seen = (...signs: readonly Sign[]): Inspection => ({ signs, moveKeys: [] })

function inspectTestFile(change: FileChange, oldKind: PathKind): Inspection {
  const { path, status, before, after } = change
  const isNew = status === 'added' || oldKind !== 'test'
  if (before === after && before !== null) return nothingSeen
  if (!isCode(path)) return isNew || isDocument(path) ? nothingSeen : fixtureChanged
  if (after === null || (before === null && !isNew)) return isNew ? nothingSeen : unreadable
  if (isNew) {
    const exits = isFixture(path) ? nothingSeen : inspectExits({ path, before: '', after }, 'test')
    return together(inspectNewTests(path, after), ...inspectReach('', after), exits)
  }
  const old = before ?? ''
  const texts = { path, before: old, after }
  const tests = inspectTests(path, old, after)
  const minimums = seen(...loweredMinimums(old, after))
  const suppressions = inspectSuppressions(texts, tests.freshTests)
  return together(tests, minimums, suppressions, ...inspectReach(old, after), inspectExits(texts, 'test'))
}

/** What tests do that tests have no need for. */
const inspectReach = (before: string, after: string): readonly Inspection[] => [
  inspectReplacedAssertions(before, after),
  inspectTextTests(before, after),
]

/** A program that tests start, not one that they import. */
const isFixture = (path: string): boolean => /(?:^|\/)(?:__)?fixtures?(?:__)?\//i.test(path)

const comparedWith = (what: string): Inspection => seen({ kind: 'snapshot_changed', line: null, what })
const fixtureChanged = comparedWith('a file that tests compare with was changed')
const unreadable = comparedWith('a file of tests was changed that cannot be read as text')

function inspectSnapshot({ path, status, before, after }: FileChange): Inspection {
  if (status === 'added' || (before !== null && before === after)) return nothingSeen
  return before === null || after === null ? fixtureChanged : seen(...changedSnapshots(path, before, after))
}

function inspectSource({ path, before, after, status, isBinary }: FileChange, finding: string): Inspection {
  if (isDocument(path) || before === after || status === 'deleted') return nothingSeen
  if (!isCode(path))
    return after === null ? nothingSeen : inspectSuppressions({ path, before: before ?? '', after })
  if (after === null) {
    const what = 'source code was changed that cannot be read as text'
    return isBinary || status === 'modified'
      ? seen({ kind: 'protected_file', line: null, what })
      : nothingSeen
  }
  const old = before ?? ''
  const texts = { path, before: old, after }
  const plain = withPlainNames(texts)
  return together(
    inspectInlineTests(path, old, after),
    inspectSuppressions(texts),
    inspectTypeEscapes(path, old, after),
    sayingOnce([
      inspectExits(texts, 'source'),
      inspectHiddenNames(texts),
      inspectTouchedJudge(texts),
      inspectTouchedJudge(plain),
      inspectTestAwareness(plain.before, plain.after),
      inspectSurroundings(plain, finding),
    ]),
  )
}

/** A line is wrong in one way: the first that sees something there says it. */
function sayingOnce(inspections: readonly Inspection[]): Inspection {
  const signs = new Map<number | null, Sign>()
  for (const sign of inspections.flatMap((each) => each.signs))
    if (!signs.has(sign.line)) signs.set(sign.line, sign)
  return { signs: [...signs.values()], moveKeys: inspections.flatMap(({ moveKeys }) => moveKeys) }
}

const inlineTests = '#[cfg(test)]'

/** Rust keeps unit tests at the end of the file they test. */
function inspectInlineTests(path: string, before: string, after: string): Inspection {
  const [old, now] = [before.indexOf(inlineTests), after.indexOf(inlineTests)]
  if (!/\.rs$/i.test(path) || old < 0) return nothingSeen
  const at = now < 0 ? after.length : now
  const blank = (text: string): string => text.replaceAll(/[^\n]/g, ' ')
  return inspectTests(
    path,
    blank(before.slice(0, old)) + before.slice(old),
    blank(after.slice(0, at)) + after.slice(at),
  )
}

function inspectSettings({ before, after }: FileChange): Inspection {
  return before === null || after === null || before === after
    ? nothingSeen
    : seen(...loweredThresholds(before, after))
}

function together(...inspections: readonly Inspection[]): Inspection {
  return {
    signs: inspections.flatMap(({ signs }) => signs),
    moveKeys: inspections.flatMap(({ moveKeys }) => moveKeys),
  }
}
