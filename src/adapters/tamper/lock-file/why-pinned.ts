import { pathKind } from '../../../model/path-kind.ts'
import type { FileChange, TamperOptions } from '../markers/tampering.ts'
import { whyForeign } from './foreign-updates.ts'
import { dependencyFields } from './read-lock.ts'

const pins = 'it pins dependencies'

/** Why a lock file of a patch is for a person to allow; null where it only follows the update that the finding asks for. */
export function whyPinned(
  lock: FileChange,
  changes: readonly FileChange[],
  { findingFile, findingTitle = '' }: Pick<TamperOptions, 'findingFile' | 'findingTitle'>,
): string | null {
  if (findingFile === null || !isAboutPackages(findingFile) || !isAbove(lock.path, findingFile)) return pins
  if (lock.status !== 'modified') return pins
  const manifests = changes.filter(({ path }) => pathKind(path) === 'manifest')
  const asked = manifests.map(askedBy)
  if (asked.includes(null)) return `${pins}, and a manifest is changed by more than the versions it asks for`
  const why = whyForeign({ ...lock, finding: findingTitle, asked: asked.flatMap((names) => names ?? []) })
  return why === null ? null : `${pins}, and ${why}`
}

const isAboutPackages = (path: string): boolean => ['manifest', 'lockfile'].includes(pathKind(path))

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1)
/** One lock file may be that of all packages below it. */
const isAbove = (lock: string, file: string): boolean => folderOf(file).startsWith(folderOf(lock))

/** The dependencies that a manifest asks for in another version; null where it says anything else than before. */
function askedBy({ path, before, after }: FileChange): readonly string[] | null {
  if (before === null || after === null) return null
  return path.toLowerCase().endsWith('.json') ? askedByJson(before, after) : askedByLines(before, after)
}

/** A version of the registry: no path, link, address or other name. */
const isVersion = (value: unknown): boolean => typeof value === 'string' && /^[\w\s.<>=~^*|-]+$/.test(value)

type Fields = Readonly<Record<string, unknown>>

function askedByJson(before: string, after: string): readonly string[] | null {
  const [old, now] = [parse(before), parse(after)]
  if (!old || !now) return null
  const names = new Set<string>()
  for (const field of new Set([...Object.keys(old), ...Object.keys(now)])) {
    if (JSON.stringify(old[field]) === JSON.stringify(now[field])) continue
    if (!(dependencyFields as readonly string[]).includes(field)) return null
    const [was, is] = [{ ...(old[field] as Fields) }, { ...(now[field] as Fields) }]
    for (const name of new Set([...Object.keys(was), ...Object.keys(is)])) {
      if (was[name] === is[name]) continue
      if (is[name] !== undefined && !isVersion(is[name])) return null
      names.add(name)
    }
  }
  return [...names]
}

function parse(text: string): Fields | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : null
  } catch {
    return null
  }
}

/** `name = "1.2"`, or a table of one line with a version in it. */
const cargoLine =
  /^([\w-]+)\s*=\s*(?:"[\w\s.<>=~^*,-]*"|\{(?![^}]*\b(?:path|git|registry|package)\s*=)[^}]*\})\s*$/

function askedByLines(before: string, after: string): readonly string[] | null {
  const [old, now] = [before.split('\n'), after.split('\n')]
  const changed = [
    ...old.filter((line) => !now.includes(line)),
    ...now.filter((line) => !old.includes(line)),
  ].map((line) => cargoLine.exec(line)?.[1] ?? null)
  return changed.includes(null) ? null : [...new Set(changed)].filter((name) => name !== null)
}
