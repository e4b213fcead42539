import { pathKind } from '../../../model/path-kind.ts'
import type { FileChange, TamperOptions } from '../markers/tampering.ts'
import { dependencyFields, readLock, type LockedPackage, type LockedPackages } from './read-lock.ts'

const pins = 'it pins dependencies'

/** Why a person has to allow a lock file of a patch; null where it only follows the update that the finding asks for. */
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

interface LockChange {
  readonly path: string
  readonly before: string | null
  readonly after: string | null
  /** What the finding says: it names the package that must be updated. */
  readonly finding: string
  /** Direct dependencies that the patch asks for in another version. */
  readonly asked: readonly string[]
}

/**
 * Why a change of a lock file is more than the update that a finding asks for: packages that the updated one does not
 * depend on, another content of the same version, or another place to fetch from. Null where it is no more.
 */
function whyForeign({ path, before, after, finding, asked }: LockChange): string | null {
  const [old, now] = [before, after].map((text) => (text === null ? null : readLock(path, text)))
  if (!old || !now) return 'nobody here can tell what it pins'
  const changed = changedPackages(old, now)
  const named = namesIn(finding, [...old.values()])
  // Where the finding names no package, the one that the patch asks for is meant.
  const wanted = new Set(named.length > 0 || asked.length > 1 ? named : asked)
  const updated = new Set([
    ...wanted,
    ...usersOf(wanted, old, [...asked, ...changed.map(({ name }) => name)]),
  ])
  const uncalled = asked.filter((name) => !updated.has(name))
  if (uncalled.length > 0) return `the finding does not ask for ${uncalled.join(', ')}`
  const allowed = treeOf(updated, old)
  const added = treeOf(updated, now)
  const isOwn = ({ name, place }: LockedPackage): boolean =>
    allowed.has(name) || (added.has(name) && !hasName(old, name) && isPlain(place, allowed))
  const foreign = changed.filter((each) => !isOwn(each))
  if (foreign.length > 0)
    return `other packages change too: ${listNames(foreign)}; the update of ${[...updated].join(', ') || 'nothing'} does not need it`
  const odd = [...now.values()].filter((each) => changed.includes(each) && isOdd(each, old))
  return odd.length > 0
    ? `${listNames(odd)} would come from elsewhere, in an older version or with another content`
    : null
}

/** Every package that is there on one side only, or differs; the repository's own entry says what is asked for. */
const changedPackages = (old: LockedPackages, now: LockedPackages): readonly LockedPackage[] =>
  [...new Set([...old.keys(), ...now.keys()])].flatMap((place) => {
    const [was, is] = [old.get(place), now.get(place)]
    if (place === '' || JSON.stringify(was) === JSON.stringify(is)) return []
    return is ?? was ?? []
  })

const hasName = (packages: LockedPackages, name: string): boolean =>
  [...packages.values()].some((each) => each.name === name)

/** The packages whose names stand in a text as words of their own. */
const namesIn = (text: string, packages: readonly LockedPackage[]): readonly string[] =>
  [...new Set(packages.map(({ name }) => name))].filter((name) => {
    const escaped = name.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
    return new RegExp(String.raw`(?<![\w@/.-])${escaped}(?![\w/-])`).test(text)
  })

/** The packages among these that brought a wanted one before. */
const usersOf = (
  wanted: ReadonlySet<string>,
  old: LockedPackages,
  names: readonly string[],
): readonly string[] =>
  names.filter((name) => {
    const tree = treeOf(new Set([name]), old)
    return [...wanted].some((each) => tree.has(each))
  })

/** The names of packages with all that they depend on. */
function treeOf(names: ReadonlySet<string>, packages: LockedPackages): ReadonlySet<string> {
  const byName = Map.groupBy(packages.values(), ({ name }) => name)
  const seen = new Set<string>()
  const open = [...names]
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (seen.has(name)) continue
    seen.add(name)
    open.push(...(byName.get(name) ?? []).flatMap(({ needs }) => needs))
  }
  return seen
}

/** A new package that only the updated ones see, or that took the place of no earlier one. */
function isPlain(place: string, allowed: ReadonlySet<string>): boolean {
  const parts = place.split('node_modules/')
  if (parts.length === 1 || (parts.length === 2 && parts[0] === '')) return true
  return allowed.has((parts.at(-2) ?? '').replace(/\/$/, ''))
}

function isOdd({ place, name, version, source, checksum }: LockedPackage, old: LockedPackages): boolean {
  // A requirement that is asked for on other systems only has another place, and is the same package.
  const isSame = (each: LockedPackage): boolean => each.source === 'pip' && each.name === name
  const was = old.get(place) ?? old.values().find(isSame)
  if (source === null || checksum === null) return true
  if (was?.version === version && (was.checksum !== checksum || was.source !== source)) return true
  if (was && isOlder(version, was.version)) return true
  const hosts = new Set([...old.values()].flatMap((each) => (each.source ? [hostOf(each.source)] : [])))
  return !hosts.has(hostOf(source))
}

function isOlder(version: string, than: string): boolean {
  const [now, was] = [version, than].map((text) => text.split(/[-+]/)[0]?.split('.').map(Number) ?? [])
  const at = (now ?? []).findIndex((part, index) => part !== was?.[index])
  return at !== -1 && (now?.[at] ?? 0) < (was?.[at] ?? 0)
}

const hostOf = (source: string): string =>
  /^(?:registry|sparse)\+/.test(source) ? source : (/^\w+:\/\/[^/]+\//.exec(source)?.[0] ?? source)

const most = 5
const listNames = (packages: readonly LockedPackage[]): string => {
  const names = [...new Set(packages.map(({ name }) => name))]
  return names.length > most
    ? `${names.slice(0, most).join(', ')} and ${names.length - most} more`
    : names.join(', ')
}
