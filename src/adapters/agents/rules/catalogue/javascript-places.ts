import type { Edit } from '../engine/rule.ts'
import { throwsIntoTry } from './harmless-places.ts'
import type { LinterPlace } from './linter-rule.ts'

/** Parameters of types are part of an interface, and a script without modules shares its functions with the page. */
export function isPlainlyUnused({ text, message, start, end }: LinterPlace): boolean {
  const [before, after] = [text.slice(0, start).trimEnd(), text.slice(end).trimStart()]
  const isTypeParameter =
    before.endsWith('<') || /^(?:>|extends\b)/.test(after) || (before.endsWith(',') && /^=[^=>]/.test(after))
  const name = (/'([\w$]+)'/.exec(message)?.[1] ?? '').replaceAll('$', '\\$')
  const isTopLevel = new RegExp(
    `^(?:async\\s+)?(?:function|var|let|const|class)\\s*\\*?\\s*${name}\\b`,
    'm',
  ).test(text)
  const isModule = /^\s*(?:import|export)\b|^\S.*\brequire\(|\bmodule\.exports\b/m.test(text)
  // A constructor may be called, and a whole module be loaded, for what it does.
  const isLoadedLater = /^=\s*require\(/.test(after) && /\n[ \t]+(?:const|let|var)$/.test(before)
  const isMade = /^=\s*new\b/.test(after) || /\*\s*as$/.test(before) || isLoadedLater
  // A part of a type is named to stand for whatever is there; a type in a comment is used by the type checker.
  const isInferred = /\binfer$/.test(before)
  const isInComment = new RegExp(`@\\w+\\s*\\{[^}\\n]*\\b${name}\\b`).test(text)
  const isForElements = name === 'React' && /<\/|\/>/.test(text)
  // A constant without a value stands for what somebody else has set.
  const isAmbient =
    /\b(?:const|let|var)$/.test(before) &&
    /^:(?:[^=\n]|=>)*(?:\n|$)/.test(after) &&
    (/\bconst$/.test(before) || /^declare\b[^;]*$/m.test(before))
  // The second of what a hook gives is named by habit; a state that nobody sets is a mistake.
  const isOfHook = /\[\s*[\w$]+\s*,$/.test(before) && /^\]\s*=\s*use(?!State|Reducer)[A-Z]\w*[(<]/.test(after)
  const isMeant = /^[^\n]*\/\/[^\n]*\bnot\b[^\n]*\bused\b/i.test(text.slice(end))
  const isNeeded =
    isMeant ||
    isTypeParameter ||
    isMade ||
    isInferred ||
    isInComment ||
    isForElements ||
    isAmbient ||
    isOfHook
  return !isNeeded && (isModule || !isTopLevel)
}

/** A variable whose assignment stands in a comment was switched off on purpose, as is one that a comment calls undefined; `var` may stand twice. */
export function isNotCommentedOut({ path, text, start, end }: LinterPlace): boolean {
  if (path.endsWith('.d.ts')) return false
  const name = /^[\w$]+/.exec(text.slice(start, end))?.[0] ?? ''
  const word = `\\b${name.replaceAll('$', '\\$')}\\s*=`
  const isMeant = /\bundefined\b(?:(?!\*\/)[^])*\*\/\s*(?:let|var)\s+$/.test(
    text.slice(Math.max(0, start - 600), start),
  )
  const isLeftForLater = /^[^\n]*\n[^\n]*\n[^\n]*\bTODO\b/.test(text.slice(start))
  return (
    !isMeant && !isLeftForLater && !new RegExp(`^\\s*(?://|\\*).*${word}|\\bvar\\s+${word}`, 'm').test(text)
  )
}

/** An empty pattern of a parameter leaves the argument out on purpose. */
export const isBound = ({ text, start }: LinterPlace): boolean =>
  /\b(?:const|let|var)\s+$/.test(text.slice(Math.max(0, start - 40), start))

/** Object is what decorators are given, and a type of several may mean the object. */
export const isPlainAnnotation = ({ path, text, start, end }: LinterPlace): boolean =>
  !path.endsWith('.d.ts') &&
  text.slice(start, end) !== 'Object' &&
  /:\s*$/.test(text.slice(Math.max(0, start - 10), start)) &&
  /^\s*(?:[,;)={\n]|$)/.test(text.slice(end, end + 10))

/** A pair of a value and an element is no list of elements. */
export const isItemOfList = ({ text, start, message }: LinterPlace): boolean =>
  (!message.includes('in array') || /(?:\[|>\s*,)\s*$/.test(text.slice(0, start))) &&
  // What is spread into it may hold the key.
  !/^<?[\w.]+\s*\{\.\.\.[\w.]+\([^()]*\bkey\s*[:,]/.test(text.slice(start))

/** The caught error is part of what is thrown, and no log has its stack; where the code asks for its kind, the new error says as much as the old one did. */
export function losesStack({ text, start, end }: LinterPlace): boolean {
  const before = text.slice(Math.max(0, start - 2_000), start)
  const caught = before
    .matchAll(/\bcatch\s*\(\s*([\w$]+)[^)]*\)\s*\{/g)
    .toArray()
    .at(-1)
  const name = `(?<![\\w$])${(caught?.[1] ?? '').replaceAll('$', '\\$')}(?![\\w$])`
  const since = before.slice((caught?.index ?? 0) + (caught?.[0].length ?? 0))
  // What was found out about it is asked for by another name.
  const known = new RegExp(`\\b(?:const|let)\\s+((?:is|has)\\w+)\\s*=[^;\\n]*${name}`).exec(since)?.[1]
  const isAsked =
    new RegExp(`\\b(?:if|case|switch)\\b[^{;]*${name}`).test(since) ||
    (known !== undefined && new RegExp(`\\bif\\s*\\(\\s*${known}\\b`).test(since))
  const isLogged = new RegExp(
    `(?:\\b(?:console|winston)|log(?:ger|ging)?(?:\\(\\))?)\\.\\w+\\((?:[^;]*[^.\\w$;])?${name}(?!\\.message)`,
    'i',
  ).test(since)
  const isHeld = /^(?:throw\s+)?new\s+AggregateError\b/.test(text.slice(start, end))
  const isLost = !isHeld && !isAsked && !isLogged && !throwsIntoTry(since)
  return (
    caught !== undefined &&
    isLost &&
    new RegExp(name).test(since + text.slice(start, end)) &&
    !new RegExp(`${name}\\.stack`).test(text.slice(start, end))
  )
}

/** oxlint only suggests it. */
export function dropAwait({ text, start }: LinterPlace): readonly Edit[] | null {
  const found = /^await\s+/.exec(text.slice(start))?.[0]
  return found === undefined ? null : [{ start, end: start + found.length, text: '' }]
}

/** A component may take what it likes. */
export const isOfElement = ({ text, start }: LinterPlace): boolean =>
  /<[a-z][\w-]*(?:\s[^<>]*)?$/.test(text.slice(Math.max(0, start - 1_000), start))

/** A comparison with a negation compares a boolean with a boolean. */
export const comparesInOrder = ({ text, start }: LinterPlace): boolean => {
  const line = text.slice(text.lastIndexOf('\n', start) + 1).split('\n')[0] ?? ''
  return !/[!=]==?\s*!/.test(line)
}
