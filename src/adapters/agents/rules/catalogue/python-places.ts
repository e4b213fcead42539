import type { Edit } from '../engine/rule.ts'
import type { LinterPlace } from './linter-rule.ts'
import { headAbove, isForPython2 } from './python-text.ts'

/** Modules that only hand on what they import, imports that a condition asks for, and marked ones are used elsewhere. */
export function isUnusedImport(place: LinterPlace): boolean {
  const { path, text, message, start } = place
  if (isMadeReady(place)) return false
  const lineStart = text.lastIndexOf('\n', start - 1) + 1
  const line = text.slice(lineStart, (text.indexOf('\n', start) + 1 || text.length + 1) - 1)
  const around = /^\s/.test(line)
    ? (headAbove(text, start, /^\s*(?:if|else|elif|try|except|def|with)\b/)?.text ?? '')
    : ''
  const isNested = /^\s*(?:if|else|elif|try|except|with)\b/.test(around) && !around.includes('TYPE_CHECKING')
  const isMarked =
    /#\s*ruff:\s*ignore/.test(line) || /compat/i.test(text.slice(Math.max(0, lineStart - 120), lineStart))
  const handsOn =
    /(?:^|\/)(?:__init__|setup|conftest|\w*compat)\.py$|\.pyi$/.test(path) || message.includes('find_spec')
  const statement = text.slice(0, lineStart).lastIndexOf('\nfrom ')
  const opening = text.slice(statement + 1).split('\n', 1)[0] ?? ''
  const isKept = /^\s/.test(line) && /\(\s*#\s*noqa\b/i.test(opening)
  // A long list of names that stand alone is there to be imported from here.
  const isListed = /^\s+\w+,?\s*$/.test(line)
  const isBlank = /^# (?:Register|Create) your \w+ here/m.test(text)
  // A version and its like are there to be asked for.
  const isOfModule = /\b__\w+__`/.test(message)
  const name = text.slice(start, place.end)
  const isInType = /^\w+$/.test(name) && new RegExp(`#\\s*type:.*\\b${name}\\b`).test(text)
  return !isOfModule && !isInType && !isNested && !isMarked && !isKept && !handsOn && !isListed && !isBlank
}

/** Removes one of several names that a statement imports, where Ruff removes all that are unused; null for the only one. */
export function dropName({ text, start, end }: LinterPlace): readonly Edit[] | null {
  const comma = /^(?:\s|\\\n)*,(?:\s|\\\n)*(?=[A-Za-z_])/.exec(text.slice(end))?.[0]
  if (comma !== undefined) return [{ start, end: end + comma.length, text: '' }]
  const before = /,(?:\s|\\\n)*$/.exec(text.slice(Math.max(0, start - 400), start))?.[0]
  return before === undefined ? null : [{ start: start - before.length, end, text: '' }]
}

/** An application of Django imports its receivers where it is ready, for what they do. */
const isMadeReady = ({ text, start }: LinterPlace): boolean =>
  /\bdef ready\b/.test(headAbove(text, start, /^\s*def\b/)?.text ?? '')

/** A time that is written out or counted from 1970 on the spot; elsewhere it is compared with others that have no zone. */
export const isUsedAtOnce = ({ text, start }: LinterPlace): boolean =>
  /^[^\n]*\.(?:strftime|timestamp)\(/.test(text.slice(start))

/** A script that is started has the name of no module. */
export const isModule = ({ path, text }: LinterPlace): boolean =>
  !/(?:^|\/)(?:scripts?|contrib|tools?|bin)\//.test(path) && !/^if __name__\s*==/m.test(text)

/** Whether the class field that the message names is declared above without a value. */
export function isOnlyAnnotated({ text, start, message }: LinterPlace): boolean {
  const before = text.slice(0, start)
  const name = /`(\w+)`/.exec(message)?.[1] ?? ''
  const last = before
    .matchAll(new RegExp(`^\\s+${name}\\s*([:=].*)$`, 'gm'))
    .toArray()
    .at(-1)
  return last !== undefined && /^:[^=]*$/.test(last[1] ?? '')
}

/** Whether pairs are taken apart, each of which has the name. */
export const isUnpackedTwice = ({ text, start }: LinterPlace): boolean =>
  /^\s*\([^()]*\)\s*,\s*\([^()]*\)\s*=/.test(text.slice(text.lastIndexOf('\n', start - 1) + 1))

/**
 * Arguments that are handed on may hold a timeout, somebody may want none, and whoever waits for a script can end it.
 */
export function waitsForEver({ path, text, start, end }: LinterPlace): boolean {
  const isScript =
    /(?:^|\/)(?:scripts?|tools?|ci|continuous_integration|release|dev|hack|bin|setup)\/|(?:^|\/)noxfile\.py$/.test(
      path,
    ) || /\bsys\.argv\b/.test(text)
  const isWanted = /^[^()]*\((?:[^()]|\([^()]*\))*\btimeout\s*=\s*None\b/.test(
    text.slice(start, start + 1_000),
  )
  return (
    !isScript &&
    !isWanted &&
    !/\btimeout\s*=\s*None\b/.test(text.slice(start, end)) &&
    !/^[^()]*\((?:[^()]|\([^()]*\))*\*\*/.test(text.slice(start, start + 1_000))
  )
}

/** Nothing is what another __init__ returns. */
export function returnsSomething({ text, start }: LinterPlace): boolean {
  const statement = text.slice(start, start + 200)
  const name = /^return\s+(\w+)\s*(?:\n|$)/.exec(statement)?.[1]
  const isKept = name !== undefined && new RegExp(`\\b${name} = .*\\.__init__\\(`).test(text.slice(0, start))
  return !isKept && !/^return\s+(?:super\([\w., ]*\)|[\w.]+)\.__init__\(/.test(statement)
}

/** An interface of Zope leaves out the object itself. */
export const isOfClass = ({ text, start }: LinterPlace): boolean =>
  !/\(.*\bInterface\b/.test(headAbove(text, start, /^\s*class\b/)?.text ?? '')

/** A loader of the project's own makes what the project says. */
export function loadsAnything({ text, message, start, end }: LinterPlace): boolean {
  const loader = /loader `([\w.]+)`/.exec(message)?.[1]
  const isOwn = /^class Loader\(/m.test(text) || /\b(?!yaml\b)\w+\.Loader\b/.test(text.slice(start, end))
  if (loader === 'Loader' && isOwn) return false
  return loader === undefined || /^(?:yaml\.)?(?:Unsafe)?Loader$/.test(loader)
}

/** Where a condition asks for the debugger, whoever runs the program asked for it. */
export const runsForEverybody = ({ text, start }: LinterPlace): boolean =>
  !/debug|\bdev|__main__/i.test(headAbove(text, start, /^\s*(?:if|elif)\b/)?.text ?? '')

/** A module may be given some names by whoever runs it, by Python 2, or by gettext, and a text in a type need not be a name. */
export function isMissing({ path, text, start, end }: LinterPlace): boolean {
  const before = text.slice(text.lastIndexOf('\n', start - 1) + 1, start)
  const isInText = before.split('"').length % 2 === 0 || before.split("'").length % 2 === 0
  const isOld = /^(?:basestring|cmp|execfile|file|long|raw_input|reduce|reload|unichr|unicode|xrange)$/
  const isForOld =
    isOld.test(text.slice(start, end)) &&
    (isForPython2(text) || headAbove(text, start, /^\s*(?:if|else|elif|except)\b/) !== null)
  const isGiven = /^(?:__\w+__|_|_n|N_|[dn]?p?gettext)$/.test(text.slice(start, end))
  // What fills the module while it is loaded gives it more names, and a template is filled in by people.
  const isDeleted = new RegExp(`^\\s*del\\b.*\\b${text.slice(start, end)}\\b`, 'm').test(text)
  const isFilled =
    /\bglobals\(\)(?:\[|\.update\b)|\._convert_\(/.test(text) || isDeleted || /template[^/]*$/i.test(path)
  return !path.endsWith('.pyi') && !isFilled && !isInText && !isForOld && !isGiven
}

/** Two signs that stand side by side; with a bracket between them the second one was meant. */
export const isDoubled = ({ text, start }: LinterPlace): boolean => /^(?:\+\+|--)/.test(text.slice(start))

/** Whether two things are the same object can be asked of NaN, too. */
export const isCompared = ({ text, start }: LinterPlace): boolean =>
  !/\bis(?:\s+not)?\s+$/.test(text.slice(0, start))

/** Whether many keys get one empty value that is not replaced right after. */
export function isShared({ text, start, end }: LinterPlace): boolean {
  if (!/(?:\[\s*\]|\{\s*\}|\b(?:list|dict|set)\(\s*\))\s*,?\s*\)$/.test(text.slice(start, end))) return false
  const name = /(\w+)\s*=\s*$/.exec(text.slice(0, start))?.[1]
  return (
    name === undefined || !new RegExp(`^\\s*\\n\\s*for\\b.*\\n\\s*${name}\\[\\w+\\] = `).test(text.slice(end))
  )
}

/** The short name of gettext is also given to functions that do something else. */
export const isTranslated = ({ text }: LinterPlace): boolean => !/^\s*def _\(|^_ = re\./m.test(text)

/** Loggers of other styles fill braces, and what is no logger has arguments of its own. */
export function isStandardLog({ text, start }: LinterPlace): boolean {
  const call = text.slice(start, start + 400)
  const isLogger = /^[\w.]*(?:log|logger|logging)\.\w+\(/i.test(call)
  return isLogger && !/^[^'"]*['"][^%]*?\{[\w.[\]]*(?:[!:][^{}]*)?\}/.test(call)
}

/** The raw string that mends the first wrong escape of a line mends the others. */
export function isFirstEscape({ text, start }: LinterPlace): boolean {
  const before = text.slice(text.lastIndexOf('\n', start - 1) + 1, start)
  return !/(?<!\\)(?:\\\\)*\\[^\\'"abfnrtvx0-7NuU]/.test(before)
}

/** A function that replaces a function is a mistake; one that replaces a value or an import may be meant. */
export function isDefinedAlike(place: LinterPlace): boolean {
  const { text, message, start } = place
  if (isMadeReady(place)) return false
  const first = Number(/from line (\d+)/.exec(message)?.[1] ?? 0)
  const own = text.slice(text.lastIndexOf('\n', start - 1) + 1, start)
  const kindOf = (line: string): string => /^\s*(?:async\s+)?(def|class|import|from)\b/.exec(line)?.[1] ?? ''
  return kindOf(own) !== '' && kindOf(own) === kindOf(text.split('\n')[first - 1] ?? '')
}
