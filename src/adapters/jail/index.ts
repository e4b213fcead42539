import type { EnclosedStart, Jail, Room, Start, JailState } from '../../loop/ports.ts'
import type { Sandbox } from '../../model/config/written.ts'
import { bwrapArguments } from './bwrap-arguments.ts'
import { hastenJoining, makeControlGroup } from './control-group.ts'
import { openGate, type OpenGate } from './gate/open-gate.ts'
import { layersOver } from './layers.ts'
import { countedInside, defaultLimits, keptFree, limitedStart, type Limits } from './limits.ts'
import { layeredFolders, planMounts, scratchOf, temporaryFolder, type Places } from './plan-mounts.ts'
import { filterFor } from './seccomp.ts'
import type { Probe, Missing } from './probe.ts'

export interface JailOptions extends Places {
  readonly mode: Sandbox
  /** Null when nobody looked, because no jail is wanted. */
  readonly probe: Probe | null
  readonly limits?: Limits
  /** Whether the kernel is asked to keep the limits; else they are measured. */
  readonly hasControlGroups?: boolean
}

const emptyBytes = 4 * 1024 ** 3

/** The jail of this machine: bubblewrap, or none, and then it says so. */
export function createJail(options: JailOptions): Jail {
  const { probe, mode } = options
  const state = describeProbe(probe, mode)
  if (mode === 'off' || probe === null || !probe.found) return { state, around: () => null }
  return {
    state,
    around: (room) => ({ enclose: (start) => enclose({ ...options, probe }, room, start) }),
  }
}

interface Found extends JailOptions {
  readonly probe: Extract<Probe, { found: true }>
}

async function enclose(options: Found, room: Room, start: Start): Promise<EnclosedStart> {
  const { network } = room
  const gate = typeof network === 'string' ? null : await openGate(network, start, options.home)
  try {
    const inner = gate === null ? start : throughDoors(start, gate)
    return await begin(options, { room, start, inner, gate })
  } catch (error) {
    await gate?.close()
    throw error
  }
}

interface Begun {
  readonly room: Room
  readonly start: Start
  /** The same, with what comes before it inside. */
  readonly inner: Start
  readonly gate: OpenGate | null
}

async function begin(options: Found, { room, start, inner, gate }: Begun): Promise<EnclosedStart> {
  const { probe, limits = defaultLimits, hasControlGroups = true } = options
  if (hasControlGroups) hastenJoining()
  const readable = [...(room.readable ?? []), ...(gate === null ? [] : [gate.folder])]
  const { cwd, mounts } = planMounts(options, { ...room, readable }, start)
  const network = room.network === 'open' ? 'open' : 'none'
  const before = probe.can.layers === 'before' ? layeredFolders(mounts) : []
  const layers = layersOver(before, { home: options.home, bytes: emptyBytes })
  const group = hasControlGroups ? await makeControlGroup(limits) : null
  const command = [
    probe.program,
    ...bwrapArguments({
      mounts,
      cwd,
      network,
      emptyBytes,
      can: probe.can,
      ...(before.length > 0 && { as: { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 } }),
    }),
    ...countedInside(group, limits, [inner.program, ...inner.args]),
  ]
  return {
    ...limitedStart({ group, layers, limits, diesEarly: probe.can.diesEarly }, command),
    cwd: '/',
    env: { ...inner.env, ...temporaryFolder(inner, mounts) },
    ...filterFor(probe.can),
    measured: {
      use: group === null ? { ...limits, scratch: scratchOf(mounts, probe.can.layers) } : null,
      disk: { folder: cwd, ...keptFree(cwd, limits) },
    },
    async release() {
      await gate?.close()
      await group?.remove()
    },
  }
}

const unprotected = 'agents and checks run with your rights'

const reasons: Readonly<Record<Missing, { readonly why: string; readonly remedy: string }>> = {
  other_system: {
    why: 'there is one on Linux only',
    remedy: 'run Fixpoint on Linux, in a container or virtual machine of its own',
  },
  not_installed: {
    why: 'bubblewrap is not installed',
    remedy: 'sudo apt-get install -y bubblewrap (or dnf, apk, pacman: the package has that name everywhere)',
  },
  namespaces_restricted: {
    why: 'AppArmor keeps user namespaces from bubblewrap',
    remedy: 'sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0',
  },
  namespaces_forbidden: {
    why: 'user namespaces are not allowed here',
    remedy:
      'sudo sysctl -w user.max_user_namespaces=15000 kernel.unprivileged_userns_clone=1; in a container, a seccomp profile that allows them and an unmasked /proc (docker run --security-opt seccomp=unconfined --security-opt systempaths=unconfined)',
  },
  broken: {
    why: 'bubblewrap does not work here',
    remedy: 'bwrap --unshare-all --ro-bind / / true shows why',
  },
}

/** What the person is told. */
export function describeProbe(probe: Probe | null, mode: Sandbox): JailState {
  if (mode === 'off' || probe === null)
    return { isThere: false, text: `no jail: sandbox is off; ${unprotected}`, remedy: null }
  if (probe.found)
    return {
      isThere: true,
      text: `jail: bubblewrap ${probe.version}${probe.can.seccomp ? '' : ', without a filter of system calls'}`,
      remedy: null,
    }
  const { why, remedy } = reasons[probe.why]
  const said = probe.said === '' || probe.why === 'other_system' ? '' : ` (${firstLine(probe.said)})`
  return { isThere: false, text: `no jail: ${why}${said}; ${unprotected}`, remedy }
}

const firstLine = (text: string): string => (text.split('\n')[0] ?? '').slice(0, 200)

/** Runs inside, beside the program: listens on loopback and passes every byte on to a socket that leads out. */
const doorkeeper = `
const net = require('node:net')
const open = ([port, path]) => new Promise((resolve, reject) => {
  net.createServer({ allowHalfOpen: true }, (inner) => {
    const outer = net.connect({ path, allowHalfOpen: true })
    inner.on('error', () => outer.destroy()).pipe(outer)
    outer.on('error', () => inner.destroy()).pipe(inner)
  }).on('error', reject).listen(port, '127.0.0.1', resolve)
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {})
Promise.all(JSON.parse(process.argv[1]).map(open)).then(() => console.log('open'), (error) => {
  console.log(error.message)
  process.exit(1)
})
`

/** Waits until the doors are open, then becomes the program; the doorkeeper ends with everything else in the jail. */
const enter = `
said=/tmp/.doors
mkfifo "$said" || exit 125
"$1" -e "$2" -- "$3" < /dev/null > "$said" 2>&1 &
read -r word < "$said"
rm -f "$said"
[ "$word" = open ] || { echo "the doors of the jail did not open: $word" >&2; exit 125; }
shift 3
exec "$@"
`

/** The program with a doorkeeper beside it, and with variables that tell it the way out. */
const throughDoors = (start: Start, gate: OpenGate): Start => ({
  program: '/bin/sh',
  args: [
    '-c',
    enter,
    'sh',
    process.execPath,
    doorkeeper,
    JSON.stringify(gate.doors),
    start.program,
    ...gate.args,
  ],
  cwd: start.cwd,
  env: gate.env,
})
