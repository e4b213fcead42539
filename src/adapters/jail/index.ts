import { existsSync, realpathSync, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { basename, dirname, join } from 'node:path'
import type { EnclosedStart, Jail, Room, Start } from '../../loop/ports.ts'
import type { Sandbox } from '../../model/config/written.ts'
import { bwrapArguments, type Mount } from './bwrap-arguments.ts'
import { describeProbe } from './describe-probe.ts'
import { defaultLimits, limitedStart, makeControlGroup, type Limits } from './limits.ts'
import type { Probe } from './probe.ts'
import { toolMounts } from './tool-folders.ts'
import { isInside, namedPrograms } from './named-programs.ts'

export interface JailOptions {
  readonly mode: Sandbox
  /** Null when nobody looked, since there shall be none. */
  readonly probe: Probe | null
  /** FIXPOINT_HOME, of which a program sees what it was given. */
  readonly home: string
  /** The person's checkout; it may hold what git does not know, such as keys. */
  readonly root: string
  /** The person's own home. */
  readonly userHome: string | undefined
  /** Where git finds the objects of a workspace. */
  readonly objectDirs: readonly string[]
  readonly limits?: Limits
}

/** Folders that are no part of a system: people's, sockets of services, what others run here. */
const privateFolders: readonly string[] = [
  '/home /root /mnt /media /run /tmp /var/tmp /var/log /var/spool /var/mail /var/backups /var/cache/apt',
  '/var/lib/docker /var/lib/containers /var/lib/containerd /var/lib/kubelet /var/lib/postgresql /var/lib/mysql',
  '/var/lib/redis /var/lib/private /etc/ssl/private /etc/kubernetes /etc/docker /etc/ssh /etc/sudoers.d',
].flatMap((names) => names.split(' '))

const privateFiles: readonly string[] = [
  '/etc/shadow /etc/shadow- /etc/gshadow /etc/gshadow- /etc/sudoers /etc/krb5.keytab /etc/machine-id',
].flatMap((names) => names.split(' '))

/** What names are looked up with, where that lies among what is hidden. */
const resolverFolders = ['/run/systemd/resolve', '/run/resolvconf', '/run/NetworkManager']

const gib = 1024 ** 3

/** The jail of this machine: bubblewrap, or nothing that says so. */
export function createJail(options: JailOptions): Jail {
  const { probe, mode } = options
  const state = describeProbe(probe, mode)
  if (mode === 'off' || probe === null || !probe.found) return { state, around: () => null }
  const limits = options.limits ?? defaultLimits
  return {
    state,
    around: (room) => ({
      async enclose(start) {
        const { cwd, mounts } = planMounts(options, room, start)
        const network = room.network === 'open' ? 'open' : 'none'
        const plan = { mounts, cwd, network, emptyBytes: 4 * gib, can: probe.can } as const
        const group = await makeControlGroup(limits)
        const inner = [start.program, ...start.args]
        const outer = limitedStart(group, limits, [probe.program, ...bwrapArguments(plan), ...inner])
        return {
          ...outer,
          cwd: '/',
          env: { ...start.env, ...temporaryFolder(start, mounts) },
          ...(group === null && { measured: limits }),
          release: async () => group?.remove(),
        } satisfies EnclosedStart
      },
    }),
  }
}

function planMounts(
  options: JailOptions,
  room: Room,
  start: Start,
): { readonly cwd: string; readonly mounts: readonly Mount[] } {
  const cwd = realpathSync(start.cwd)
  const homes = uniqueReal([options.userHome, userInfo().homedir])
  const temporary = [start.env['TMPDIR'], process.env['TMPDIR']]
  const own = uniqueReal([options.home, options.root, ...homes, ...temporary]).filter(
    (path) => !isSystem(path),
  )
  const hidden = [...uniqueReal(privateFolders), ...own]
  const given = [
    ...options.objectDirs.map((path) => ({ how: 'read', path }) as const),
    ...[process.execPath, ...namedPrograms(start, { hidden, homes, avoid: own })].map(
      (path) => ({ how: 'read', path }) as const,
    ),
    ...(room.network === 'open' ? resolverFolders.map((path) => ({ how: 'read', path }) as const) : []),
    ...(room.readable ?? []).map((path) => ({ how: 'read', path }) as const),
    ...(room.writable ?? []).map((path) => ({ how: 'write', path }) as const),
  ]
  const mounts: readonly Mount[] = [
    ...hidden.map((path) => ({ how: 'empty', path }) as const),
    ...privateFiles.filter((path) => existsSync(path)).map((path) => ({ how: 'blank', path }) as const),
    ...toolMounts(
      { homes, hidden, env: start.env, hasPackageSettings: room.hasPackageSettings ?? false },
      { exists: existsSync },
    ),
    ...given.filter(({ path, how }) => existsSync(path) && (how === 'write' || isBelowAny(path, hidden))),
    { how: room.isReadOnly ? 'read' : 'write', path: cwd },
  ]
  return { cwd, mounts: mounts.map(placed) }
}

/** Links among the folders around it are followed; it itself may be one, and is then what it leads to. */
const placed = (mount: Mount): Mount => ({
  ...mount,
  path: join(realpathSync(dirname(mount.path)), basename(mount.path)),
})

const isBelowAny = (path: string, folders: readonly string[]): boolean =>
  folders.some((folder) => isInside(path, folder))

/** Hiding one of these would leave no system. */
const isSystem = (path: string): boolean =>
  /^\/(usr|etc|bin|sbin|lib\w*|opt|var|proc|sys|dev|nix|snap)?$/.test(path)

function uniqueReal(paths: readonly (string | undefined)[]): readonly string[] {
  const found = paths.flatMap((path) =>
    path !== undefined && statSync(path, { throwIfNoEntry: false })?.isDirectory()
      ? [realpathSync(path)]
      : [],
  )
  return [...new Set(found)]
}

/** The folder for temporary files is a new one, unless one was made for this very run. */
function temporaryFolder({ env }: Start, mounts: readonly Mount[]): Readonly<Record<string, string>> {
  const named = env['TMPDIR']
  if (named === undefined) return {}
  const isGiven = mounts.some(({ how, path }) => how === 'write' && isInside(named, path))
  return isGiven ? {} : { TMPDIR: '/tmp' }
}
