import { isCode } from '../../../model/path-kind.ts'
import type { FileChange, Sign } from './tampering.ts'

/** Parts of a patch that a person who reads its diff cannot see: bytes instead of text, and characters that hide or reorder it. */
export function inspectUnreadable(change: FileChange): readonly Sign[] {
  const { path, status, before, after } = change
  if (status === 'deleted' || after === null || (before === after && status !== 'added')) return []
  const bytes = whyBytes(change, after)
  if (bytes !== null) return [{ kind: 'unreadable', line: null, what: bytes }]
  return hiddenCharacters(path, before ?? '', after)
}

const compiled =
  /(?:^|\/)__pycache__\/|\.(?:py[cod]|class|o|obj|so(?:\.\d+)*|dylib|dll|exe|wasm|jar|war|ear|aar|dex|beam|node|luac|elc|rlib|rmeta|ko|bc|cm[iox]|whl|egg)$/i

function whyBytes({ path, status, before, isBinary }: FileChange, after: string): string | null {
  const verb = status === 'added' ? 'added' : 'changed'
  if (compiled.test(path)) return `a compiled file was ${verb}, and nobody can read in a diff what it does`
  if (!isBinary && !isBytes(after)) return null
  if (before === null) return `a binary file was ${verb}, and nobody can read in a diff what it holds`
  // A picture may be changed: whoever looks at the patch sees that it is one, and was one before.
  return isBytes(before) ? null : 'a text became a binary file'
}

/** Below this share of bytes that are no UTF-8 it is a text in an old encoding. */
const mostUndecoded = 0.1

/** git looks for NUL at the beginning only. */
const isBytes = (text: string): boolean =>
  text.includes('\0') || text.split('\uFFFD').length - 1 > text.length * mostUndecoded

function hiddenCharacters(path: string, before: string, after: string): readonly Sign[] {
  const known = new Set(before.split('\n'))
  const lines = after.split('\n').map((text, at) => ({ text, line: at + 1 }))
  const fresh = lines.filter(({ text }) => !known.has(text))
  const bidi = isTranslation(path) ? undefined : fresh.find(({ text }) => bidiControl.test(text))
  if (bidi)
    return [
      sign(bidi.line, 'a bidirectional control character makes code read in another order than it runs'),
    ]
  const unseen = isCode(path) ? fresh.find(({ text }) => hasInvisible(text)) : undefined
  return unseen ? [sign(unseen.line, 'an invisible character stands in code')] : []
}

const sign = (line: number, what: string): Sign => ({ kind: 'unreadable', line, what })

const bidiControl = /\p{Bidi_Control}/u

/** Where scripts need them, joiners and variants are part of the writing. */
const needed =
  /(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}#*\d])(?:\u200D|\uFE0F)|(?<=[\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Kannada}\p{Script=Telugu}\p{Script=Tamil}\p{Script=Gujarati}\p{Script=Khmer}])(?:\u200C|\u200D)/gu
const invisible = /\p{Default_Ignorable_Code_Point}/u

const hasInvisible = (text: string): boolean =>
  invisible.test(text) && invisible.test(text.replaceAll(needed, ''))

/** Texts in other languages, which need such characters; code among them does not. */
const isTranslation = (path: string): boolean =>
  !isCode(path) &&
  /\.(?:po|pot|xlf|xliff|arb|ftl|resx|strings|stringsdict)$|(?:^|\/)(?:locales?|i18n|l10n|lang(?:uage)?s?|translations?|messages|[\w-]+\.lproj|values-[\w-]+)\//i.test(
    path,
  )
