import { lstatSync, readdirSync, readlinkSync, type Dirent } from 'node:fs'
import { join } from 'node:path'

/** Places that no jailed program sees, and those that make up the system around them. */
export interface PrivatePlaces {
  readonly folders: readonly string[]
  readonly files: readonly string[]
  readonly system: readonly string[]
  /** Links in the root of the file system, and what they say. */
  readonly links: readonly { readonly path: string; readonly to: string }[]
}

/** What a system is made of; everything else in the root of the file system and in `/var` is somebody's own. */
const systemFolders = new Set('bin sbin lib lib32 lib64 libx32 usr etc opt nix gnu snap'.split(' '))
const systemState = new Set('lib cache db opt usrlocal'.split(' '))
/** Made anew for each jail, or given in parts. */
const otherFolders = new Set('var proc dev sys'.split(' '))

/** Folders in there that are no part of a system: sockets of services, what people keep, what others run here. */
const privateFolders: readonly string[] = [
  '/home /root /run /tmp /var/run /var/tmp /var/log /var/spool /var/mail /var/backups /var/www /var/cache/apt',
  '/var/lib/docker /var/lib/containers /var/lib/containerd /var/lib/kubelet /var/lib/postgresql /var/lib/mysql',
  '/var/lib/redis /var/lib/private /var/lib/jenkins /etc/ssl/private /etc/kubernetes /etc/docker /etc/ssh',
].flatMap((names) => names.split(' '))

const privateFiles = ['/etc/machine-id', '/etc/krb5.keytab']

let found: PrivatePlaces | null = null

/** Searched once: the places of a machine do not change while a process runs. */
export const privatePlaces = (): PrivatePlaces =>
  (found ??= findPrivatePlaces('/', { isRoot: process.getuid?.() === 0 }))

/**
 * File modes close nothing to root, so files that only root may read are searched for: in the settings of the system at
 * any depth, and beside them among the data of services.
 */
export function findPrivatePlaces(root: string, { isRoot }: { readonly isRoot: boolean }): PrivatePlaces {
  const all = entriesOf(root)
  const state = entriesOf(join(root, 'var')).filter((entry) => entry.isDirectory())
  const top = all.filter(({ name }) => !systemFolders.has(name) && !otherFolders.has(name))
  const closed = isRoot
    ? [
        ...closedBelow(join(root, 'etc'), deepest),
        ...['var/lib', 'var/cache', 'opt', 'usr/local/etc'].flatMap((name) =>
          closedBelow(join(root, name), 0),
        ),
      ]
    : []
  return {
    folders: [
      ...top.filter((entry) => entry.isDirectory()).map(({ name }) => join(root, name)),
      ...state.filter(({ name }) => !systemState.has(name)).map(({ name }) => join(root, 'var', name)),
      ...privateFolders.map((path) => join(root, path)),
      ...closed.filter(({ isFolder }) => isFolder).map(({ path }) => path),
    ],
    files: [
      ...top.filter((entry) => entry.isFile()).map(({ name }) => join(root, name)),
      ...privateFiles.map((path) => join(root, path)),
      ...closed.filter(({ isFolder }) => !isFolder).map(({ path }) => path),
    ],
    system: [
      ...all
        .filter((entry) => entry.isDirectory() && systemFolders.has(entry.name))
        .map(({ name }) => join(root, name)),
      ...state.filter(({ name }) => systemState.has(name)).map(({ name }) => join(root, 'var', name)),
    ],
    links: all
      .filter((entry) => entry.isSymbolicLink())
      .map(({ name }) => ({ path: join(root, name), to: readlinkSync(join(root, name)) })),
  }
}

const deepest = 3
const othersRead = 0o004
const othersEnter = 0o001

interface Closed {
  readonly path: string
  readonly isFolder: boolean
}

/** Files and folders that other people of this machine could not read. */
function closedBelow(folder: string, depth: number): readonly Closed[] {
  return entriesOf(folder).flatMap((entry): readonly Closed[] => {
    const path = join(folder, entry.name)
    const isFolder = entry.isDirectory()
    if (!isFolder && !entry.isFile()) return []
    const mode = lstatSync(path, { throwIfNoEntry: false })?.mode ?? othersRead
    if ((mode & (isFolder ? othersEnter : othersRead)) === 0) return [{ path, isFolder }]
    return isFolder && depth > 0 ? closedBelow(path, depth - 1) : []
  })
}

/** What is in a folder; nothing where there is none, or none that may be read. */
export function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch (error) {
    if (error instanceof Error && 'code' in error) return [] // not there, or not ours to read
    throw error
  }
}
