/** One place of the file system as a jailed program sees it; what is not named is as it is, and can only be read. */
export type Mount =
  | Bound
  /** A folder of its own that is gone with the jail. */
  | { readonly how: 'empty'; readonly path: string }
  /** A file that holds nothing. */
  | { readonly how: 'blank'; readonly path: string }

/** What is there already, bound to be read, to be written, or under a layer that takes what is written. */
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
}

export interface BwrapPowers {
  /** Forbids user namespaces inside, and with them most of what the kernel lets only root do. */
  readonly disableUserns: boolean
  /** Puts a throw-away layer over a folder. */
  readonly overlay: boolean
}

/** Where bubblewrap tells that the program was really started, and how it ended. */
const STATUS_FD = 3

/** The plan in the words of bubblewrap. Parents stand before what lies in them, so that nothing hides what was bound. */
export function bwrapArguments(plan: JailPlan): readonly string[] {
  const { network, can, mounts, cwd } = plan
  return [
    ...words('--unshare-user --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try'),
    ...(network === 'none' ? ['--unshare-net'] : []),
    ...(can.disableUserns ? ['--disable-userns'] : []),
    ...words(`--cap-drop ALL --die-with-parent --json-status-fd ${STATUS_FD}`),
    ...words('--ro-bind / / --dev /dev --proc /proc'),
    ...inOrder(mounts).flatMap((mount) => mountArguments(mount, plan)),
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

function mountArguments(mount: Mount, { emptyBytes, can }: JailPlan): readonly string[] {
  const { how, path } = mount
  if (mount.how === 'empty') return ['--perms', modeOf(path), '--size', String(emptyBytes), '--tmpfs', path]
  // The device itself, since bound without its nature it could not even be opened.
  if (mount.how === 'blank') return ['--dev-bind', '/dev/null', path]
  if (how === 'layer' && can.overlay) return ['--overlay-src', path, '--tmp-overlay', path]
  return [how === 'write' ? '--bind' : '--ro-bind', mount.from ?? path, path]
}

const modeOf = (path: string): string => (path === '/tmp' || path === '/var/tmp' ? '1777' : '0755')
