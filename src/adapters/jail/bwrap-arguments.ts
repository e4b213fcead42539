import type { Layers } from './layers.ts'
import { isInside } from './named-programs.ts'

/** One place of the file system as a jailed program sees it; a place that is not named is not there. */
export type Mount =
  | Bound
  /** A folder of its own that is gone with the jail; a `hidden` one is there, and nothing can be put into it. */
  | { readonly how: 'empty' | 'hidden'; readonly path: string }
  /** A file that holds nothing. */
  | { readonly how: 'blank'; readonly path: string }
  | { readonly how: 'link'; readonly path: string; readonly to: string }

/** An existing place, bound for reading, for writing, or under a layer that takes the writes. */
export interface Bound {
  readonly how: 'read' | 'write' | 'layer'
  readonly path: string
  /** Where it lies outside, if that is elsewhere. */
  readonly from?: string
}

/** Everything that decides what a jailed program sees. */
export interface JailPlan {
  readonly mounts: readonly Mount[]
  readonly cwd: string
  readonly network: 'none' | 'open'
  /** The most that a folder of its own takes, in bytes. */
  readonly emptyBytes: number
  /** What this bubblewrap knows beyond the oldest that will do. */
  readonly can: BwrapPowers
  /** Who the program is; given where bubblewrap is started as somebody else. */
  readonly as?: { readonly uid: number; readonly gid: number }
}

export interface BwrapPowers {
  /** Forbids user namespaces inside, and with them most of what the kernel lets only root do. */
  readonly disableUserns: boolean
  /** Takes a filter of system calls. */
  readonly seccomp: boolean
  readonly layers: Layers
  /** The kernel ends a program with this process from its first moment on, before bubblewrap itself sees to that. */
  readonly diesEarly: boolean
}

/** Where bubblewrap tells that the program was really started, and how it ended. */
const STATUS_FD = 3
/** Where it reads the filter of system calls. */
const FILTER_FD = 4

/** The plan in the words of bubblewrap. Parents stand before what lies in them, so that nothing hides what was bound. */
export function bwrapArguments(plan: JailPlan): readonly string[] {
  const { network, can, cwd, emptyBytes } = plan
  const ordered = inOrder(plan.mounts)
  const hidden = ordered.filter((mount) => mount.how === 'hidden' && isCovering(mount, ordered))
  return [
    ...words('--unshare-user --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try'),
    ...(network === 'none' ? ['--unshare-net'] : []),
    ...(can.disableUserns ? ['--disable-userns'] : []),
    ...(can.seccomp ? words(`--seccomp ${FILTER_FD}`) : []),
    ...(plan.as ? words(`--uid ${plan.as.uid} --gid ${plan.as.gid}`) : []),
    ...words(`--cap-drop ALL --die-with-parent --json-status-fd ${STATUS_FD}`),
    ...words(`--dev /dev --size ${emptyBytes} --perms 1777 --tmpfs /dev/shm --proc /proc`),
    ...ordered.flatMap((mount) =>
      isCovering(mount, ordered) ? mountArguments(mount, plan) : placeholder(mount),
    ),
    // These come last, because a place that is bound in them must be made first.
    ...['/', '/dev', ...hidden.map(({ path }) => path)].flatMap((path) => ['--remount-ro', path]),
    '--chdir',
    cwd,
    '--',
  ]
}

const words = (line: string): readonly string[] => line.split(' ')

const depthOf = (path: string): number => path.split('/').filter((part) => part !== '').length

/** Outer places first; of two mounts of one place the later one counts. */
function inOrder(mounts: readonly Mount[]): readonly Mount[] {
  const last = new Map(mounts.map((mount) => [mount.path, mount]))
  return [...last.values()].toSorted((a, b) => depthOf(a.path) - depthOf(b.path))
}

/** A mount that only hides is useless outside of everything that is bound, because nothing is there. Every mount costs time. */
function isCovering(mount: Mount, ordered: readonly Mount[]): boolean {
  if (mount.how !== 'hidden' && mount.how !== 'blank') return true
  const around = ordered.findLast((other) => other !== mount && isInside(mount.path, other.path))
  return around !== undefined && ['read', 'write', 'layer'].includes(around.how)
}

/** An empty folder in the place of one that need not be hidden, for programs that expect one. */
const placeholder = ({ how, path }: Mount): readonly string[] => (how === 'hidden' ? ['--dir', path] : [])

function mountArguments(mount: Mount, { emptyBytes, can }: JailPlan): readonly string[] {
  const { path } = mount
  switch (mount.how) {
    case 'empty':
      return ['--perms', modeOf(path), '--size', String(emptyBytes), '--tmpfs', path]
    case 'hidden':
      return ['--tmpfs', path]
    case 'blank':
      // The device itself, since bound without its nature it could not even be opened.
      return ['--dev-bind', '/dev/null', path]
    case 'link':
      return ['--symlink', mount.to, path]
    case 'layer':
      if (can.layers === 'own') return ['--overlay-src', path, '--tmp-overlay', path]
      return [can.layers === 'before' ? '--bind' : '--ro-bind', path, path]
    default:
      return [mount.how === 'write' ? '--bind' : '--ro-bind', mount.from ?? path, path]
  }
}

const modeOf = (path: string): string => (path === '/tmp' || path === '/var/tmp' ? '1777' : '0755')
