import { existsSync, lstatSync, readFileSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { basename, dirname, join } from 'node:path'
import type { Kept, Room, Start, Unseen } from '../../loop/ports.ts'
import type { Bound, Mount } from './bwrap-arguments.ts'
import type { Layers } from './layers.ts'
import { isInside, namedPrograms } from './named-programs.ts'
import { entriesOf, privatePlaces } from './private-places.ts'
import { toolMounts, type Looks } from './tool-folders.ts'

/** What lies where on this machine. */
export interface Places {
  /** FIXPOINT_HOME, of which a program sees only the parts that it was given. */
  readonly home: string
  /** The person's checkout; it may hold what git does not know, such as keys. */
  readonly root: string
  /** The person's own home. */
  readonly userHome: string | undefined
  /** Where git finds the objects of a workspace. */
  readonly objectDirs: readonly string[]
}

/** What names are looked up with, where that lies among what is hidden. */
const resolverFolders = ['/run/systemd/resolve', '/run/resolvconf', '/run/NetworkManager']

/** What a program sees of the file system, and what it works in. */
export function planMounts(
  options: Places,
  room: Room,
  start: Start,
): { readonly cwd: string; readonly mounts: readonly Mount[] } {
  const cwd = realpathSync(start.cwd)
  const homes = uniqueReal([options.userHome, registeredHome()])
  const places = privatePlaces()
  // What a program may fill: the homes and the folders for temporary files.
  const scratch = uniqueReal([
    ...homes,
    '/tmp',
    '/var/tmp',
    start.env['TMPDIR'],
    process.env['TMPDIR'],
  ]).filter((path) => !isSystem(path))
  const own = uniqueReal([options.home, options.root, ...scratch]).filter((path) => !isSystem(path))
  const hidden = [...new Set([...uniqueReal(places.folders), ...own])]
  const given: readonly Bound[] = [
    ...options.objectDirs.map((path) => ({ how: 'read', path }) as const),
    ...[process.execPath, ...namedPrograms(start, { hidden, homes, avoid: own })].map(
      (path) => ({ how: 'read', path }) as const,
    ),
    ...(room.network === 'open' ? resolverFolders.map((path) => ({ how: 'read', path }) as const) : []),
    ...(room.readable ?? []).map((path) => ({ how: 'read', path }) as const),
    ...(room.writable ?? []).map(writableMount),
  ]
  const mounts: readonly Mount[] = [
    ...systemMounts(),
    ...hidden.map((path) => ({ how: scratch.includes(path) ? 'empty' : 'hidden', path }) as const),
    ...places.files.filter((path) => existsSync(path)).map((path) => ({ how: 'blank', path }) as const),
    ...toolMounts(
      { homes, hidden, env: start.env, hasPackageSettings: room.hasPackageSettings ?? false },
      looks,
    ),
    ...(room.own ?? []).map((path) => ({ how: 'empty', path }) as const),
    ...given.filter(
      ({ path, how, from = path }) => existsSync(from) && (how === 'write' || isBelowAny(path, hidden)),
    ),
    { how: room.isReadOnly ? 'read' : 'write', path: cwd },
    ...(room.unseen ? findUnseen(cwd, room.unseen) : []).flatMap((path) => unseenMount(path, cwd)),
  ]
  return { cwd, mounts: withoutDoubled(mounts.map(placed)) }
}

/**
 * Settings that need no capability: root can change all of them, such as the program that the kernel starts for a
 * crash; others can change the limits of their own namespaces. Bubblewrap itself sees to `/proc/irq` and `/proc/bus`.
 */
const kernelSettings = ['/proc/sys', '/proc/fs', '/proc/acpi', '/proc/scsi']

/** What runtimes ask of the machine: processors, pages, limits. The rest of `/sys` names its devices, firmware and networks. */
const machineFacts = ['/sys/devices/system', '/sys/kernel/mm']

const groups = '/sys/fs/cgroup'
/** Where every controller is a mount of its own, those that runtimes read; each mount costs time. */
const controllers = ['cpu', 'cpuacct', 'cpuset', 'memory'].map((name) => join(groups, name))

/** The system, to be read. */
export const systemMounts = (): readonly Mount[] => {
  const { system, links } = privatePlaces()
  const limits = existsSync(join(groups, 'cgroup.controllers')) ? [groups] : controllers
  const parts = [...kernelSettings, ...machineFacts, ...limits].filter((path) => entriesOf(path).length > 0)
  return [
    ...links.map((link) => ({ how: 'link', ...link }) as const),
    ...[...system, ...parts].map((path) => ({ how: 'read', path }) as const),
  ]
}

/** The home that the system knows of, which HOME need not be; a user of a number alone, as in containers, has none. */
function registeredHome(): string | undefined {
  try {
    return userInfo().homedir
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined
    throw error
  }
}

const looks: Looks = {
  exists: existsSync,
  list: (path) => (isFolder(path) ? readdirSync(path) : []),
  read: (path) => (statSync(path, { throwIfNoEntry: false })?.isFile() ? readFileSync(path, 'utf8') : ''),
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false

const writableMount = (given: string | Kept): Bound =>
  typeof given === 'string'
    ? { how: 'write', path: given }
    : { how: 'write', path: given.at, from: given.from }

/** Folders of installed files, thousands of them, and our own; a repository may well fill other folders itself. */
const passedOver = new Set(['node_modules', '.git', '.venv'])

/** Everything of those names below a folder, outermost first. */
function findUnseen(cwd: string, { names, except }: Unseen): readonly string[] {
  const wanted = new Set(names.map((name) => name.toLowerCase()))
  const isNeeded = (path: string): boolean => except.some((file) => isInside(join(cwd, file), path))
  const below = (folder: string): readonly string[] =>
    entriesOf(folder).flatMap((entry) => {
      const path = join(folder, entry.name)
      if (wanted.has(entry.name.toLowerCase()) && !isNeeded(path)) return [path]
      return entry.isDirectory() && !passedOver.has(entry.name) ? below(path) : []
    })
  return below(cwd)
}

/** A place that exists is covered. A link is covered at its target, which hides the link as well, unless the target is elsewhere. */
function unseenMount(path: string, cwd: string): readonly Mount[] {
  if (!existsSync(path)) return []
  const real = realpathSync(path)
  if (real === cwd || !isInside(real, cwd)) return []
  return [{ how: lstatSync(real).isDirectory() ? 'empty' : 'blank', path: real }]
}

/** Links among the folders around it are followed; it itself may be one, and is then what it leads to. */
const placed = (mount: Mount): Mount => ({
  ...mount,
  path: join(realFolder(dirname(mount.path)), basename(mount.path)),
})

/**
 * Without what is in sight anyway, with the folder around it; every mount costs time. A link may lead out of that folder,
 * and a place that is mounted twice is one that was to be covered.
 */
function withoutDoubled(mounts: readonly Mount[]): readonly Mount[] {
  const paths = mounts.map(({ path }) => path)
  const isRead = (mount: Mount): boolean => mount.how === 'read' && mount.from === undefined
  return mounts.filter((mount) => {
    if (!isRead(mount) || paths.filter((path) => path === mount.path).length > 1) return true
    const around = paths.filter((path) => path !== mount.path && isInside(mount.path, path))
    const nearest = around.reduce((long, path) => (path.length > long.length ? path : long), '')
    const isDoubled = mounts.filter(({ path }) => path === nearest).every(isRead) && nearest !== ''
    return !isDoubled || realpathSync(mount.path) !== mount.path
  })
}

/** The real path of a folder, of which only the beginning may be there yet. */
const realFolder = (folder: string): string =>
  existsSync(folder) || dirname(folder) === folder
    ? realpathSync(folder)
    : join(realFolder(dirname(folder)), basename(folder))

const isBelowAny = (path: string, folders: readonly string[]): boolean =>
  folders.some((folder) => isInside(path, folder))

/** Hiding one of these would leave no system. */
const isSystem = (path: string): boolean =>
  /^\/(usr|etc|bin|sbin|lib\w*|opt|var|proc|sys|dev|nix|snap)?$/.test(path)

function uniqueReal(paths: readonly (string | undefined)[]): readonly string[] {
  const found = paths.flatMap((path) => (path !== undefined && isFolder(path) ? [realpathSync(path)] : []))
  return [...new Set(found)]
}

export const layeredFolders = (mounts: readonly Mount[]): readonly string[] =>
  mounts.flatMap(({ how, path }) => (how === 'layer' ? path : []))

/** What a program may fill and is kept in memory. */
export const scratchOf = (mounts: readonly Mount[], layers: Layers): readonly string[] => [
  '/dev/shm',
  ...mounts.flatMap(({ how, path }) => (how === 'empty' ? path : [])),
  ...(layers === 'none' ? [] : layeredFolders(mounts)),
]

/** The folder for temporary files is a new one, unless one was made for this very run. */
export function temporaryFolder({ env }: Start, mounts: readonly Mount[]): Readonly<Record<string, string>> {
  const named = env['TMPDIR']
  if (named === undefined) return {}
  const isGiven = mounts.some(({ how, path }) => how === 'write' && isInside(named, path))
  return isGiven ? {} : { TMPDIR: '/tmp' }
}
