import type { EnclosedStart, Jail, Room, Start } from '../../loop/ports.ts'
import type { Sandbox } from '../../model/config/written.ts'
import { bwrapArguments } from './bwrap-arguments.ts'
import { makeControlGroup } from './control-group.ts'
import { describeProbe } from './describe-probe.ts'
import { openGate, type OpenGate } from './gate/open-gate.ts'
import { layeredCommand } from './layers.ts'
import { countedInside, defaultLimits, keptFree, limitedStart, type Limits } from './limits.ts'
import { layeredFolders, planMounts, scratchOf, temporaryFolder, type Places } from './plan-mounts.ts'
import { filterFor } from './seccomp.ts'
import type { Probe } from './probe.ts'
import { throughDoors } from './gate/through-doors.ts'

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
  const readable = [...(room.readable ?? []), ...(gate === null ? [] : [gate.folder])]
  const { cwd, mounts } = planMounts(options, { ...room, readable }, start)
  const network = room.network === 'open' ? 'open' : 'none'
  const before = probe.can.layers === 'before' ? layeredFolders(mounts) : []
  const group = hasControlGroups ? await makeControlGroup(limits) : null
  const command = await layeredCommand({ folders: before, home: options.home, bytes: emptyBytes }, [
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
  ])
  return {
    ...limitedStart(group, { limits, diesEarly: probe.can.diesEarly }, command),
    cwd: '/',
    env: { ...inner.env, ...temporaryFolder(inner, mounts) },
    ...filterFor(probe.can),
    measured: {
      use: group === null ? { ...limits, scratch: scratchOf(mounts, probe.can.layers) } : null,
      disk: { folder: cwd, freeBytes: keptFree(cwd, limits) },
    },
    async release() {
      await gate?.close()
      await group?.remove()
    },
  }
}
