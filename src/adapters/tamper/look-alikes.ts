import unhomoglyph from 'unhomoglyph'
import type { FileChange, Tampering } from './markers/tampering.ts'
import { movesOf, quote } from './markers/tampering.ts'

/** Names that a patch brings and that a person would take for another name beside them: another script, another case, something invisible. */
export function findLookAlikes(
  changes: readonly FileChange[],
  /** Every path of the tree before the patch. */
  existing: ReadonlySet<string>,
): readonly Tampering[] {
  const { brought, gone } = movesOf(changes, existing)
  if (brought.length === 0) return []
  const folders = byFolder([...existing, ...brought])
  return brought.flatMap((path) => {
    const twin = findTwin(path, folders, { existing, gone })
    const what = hasHidden(path)
      ? 'its name holds a character that cannot be seen'
      : twin && `its name looks like that of ${quote(twin)}`
    return what ? [{ path, line: null, kind: 'unreadable' as const, what }] : []
  })
}

/** The names in each folder. */
function byFolder(paths: readonly string[]): ReadonlyMap<string, ReadonlySet<string>> {
  const folders = new Map<string, Set<string>>()
  for (const path of paths)
    for (const [folder, name] of partsOf(path)) {
      const names = folders.get(folder)
      if (names) names.add(name)
      else folders.set(folder, new Set([name]))
    }
  return folders
}

/** `a/b/c` as the folders above each name: `['', 'a'], ['a', 'b'], ['a/b', 'c']`. */
function partsOf(path: string): readonly (readonly [folder: string, name: string])[] {
  const names = path.split('/')
  return names.map((name, at) => [names.slice(0, at).join('/'), name] as const)
}

interface Known {
  readonly existing: ReadonlySet<string>
  readonly gone: ReadonlySet<string>
}

/** Another path that differs from this one in a name that looks the same, in the same folder. */
function findTwin(
  path: string,
  folders: ReadonlyMap<string, ReadonlySet<string>>,
  { gone }: Known,
): string | null {
  for (const [folder, name] of partsOf(path))
    for (const other of folders.get(folder) ?? []) {
      if (other === name || !looksAlike(other, name)) continue
      const twin = folder === '' ? other : `${folder}/${other}`
      // A file may be given its own name in another case or normal form.
      if (!gone.has(twin) || plain(other) !== plain(name)) return twin
    }
  return null
}

const looksAlike = (a: string, b: string): boolean =>
  skeleton(a) === skeleton(b) || skeleton(plain(a)) === skeleton(plain(b))

/** The form in which file systems that fold names compare them. */
const plain = (name: string): string => name.normalize('NFC').toLowerCase()

const hidden = /[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Cc}]/gu
const emojiParts = /(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}#*\d])(?:\u200D|\uFE0F)/gu

const hasHidden = (path: string): boolean => path.replaceAll(emojiParts, '').search(hidden) !== -1

/** What a name looks like, after Unicode's table of characters that are confused with each other. */
const skeleton = (name: string): string =>
  unhomoglyph(name.normalize('NFD').replaceAll(hidden, '')).normalize('NFD')
