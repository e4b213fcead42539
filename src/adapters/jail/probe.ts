import type { Start, Walls } from '../../loop/ports.ts'
import { renderBoundedText } from '../process/bounded-text.ts'
import { runProcess } from '../process/run-process.ts'
import { bwrapArguments, type BwrapPowers } from './bwrap-arguments.ts'
import { layersTrial } from './layers.ts'
import { dyingWithParent } from './limits.ts'
import { systemMounts } from './plan-mounts.ts'
import { filterFor, seccompFilter } from './seccomp.ts'

/** What a look at this machine told about bubblewrap. */
export type Probe =
  | { readonly found: true; readonly program: string; readonly version: string; readonly can: BwrapPowers }
  | { readonly found: false; readonly why: Missing; readonly said: string }

/** Why there can be no jail; each has a remedy of its own. */
export type Missing =
  | 'other_system'
  | 'not_installed'
  | 'namespaces_restricted'
  | 'namespaces_forbidden'
  | 'broken'

export interface ProbeRequest {
  readonly platform: string
  readonly isProgram: (path: string) => boolean
  /** What a file of the kernel's settings says; empty when it is not there. */
  readonly readSetting: (path: string) => string
}

/** A busy machine is no machine without a jail. */
const probeTimeoutMs = 60_000
/** Not the PATH: a program that somebody put there would be the wall. */
const folders = ['/usr/bin', '/bin', '/usr/local/bin', '/run/current-system/sw/bin']

/** Starts an empty jail with all walls, since nothing else tells whether this kernel allows them. */
export async function probeBubblewrap(request: ProbeRequest): Promise<Probe> {
  const { platform, isProgram } = request
  if (platform !== 'linux') return { found: false, why: 'other_system', said: platform }
  const program = folders.map((folder) => `${folder}/bwrap`).find(isProgram)
  if (program === undefined) return { found: false, why: 'not_installed', said: '' }
  const [help, version] = await Promise.all([ask(program, '--help'), ask(program, '--version')])
  const layers = help.includes('--tmp-overlay') ? 'own' : (await canLayer()) ? 'before' : 'none'
  // A kernel may allow everything but a filter of system calls, or the ban on further namespaces inside.
  const either = [true, false]
  const wishes = either.flatMap((seccomp) =>
    either.flatMap((disableUserns) =>
      either.map((diesEarly) => ({ seccomp, disableUserns, diesEarly, layers }) as const),
    ),
  )
  const hasFilter = seccompFilter(process.arch) !== null
  let said = ''
  for (const can of wishes) {
    if ((can.disableUserns && !help.includes('--disable-userns')) || (can.seccomp && !hasFilter)) continue
    const refusal = await tryJail(program, can)
    if (refusal === null)
      return { found: true, program, version: /\d[\d.]*/.exec(version)?.[0] ?? 'of no version', can }
    said = refusal
  }
  return { found: false, why: reasonOf(said, request), said }
}

async function canLayer(): Promise<boolean> {
  const [command = '', ...args] = layersTrial
  const { ended, exitCode } = await runProcess({ ...bare, command, args, walls: null })
  return ended === 'exited' && exitCode === 0
}

async function ask(program: string, option: string): Promise<string> {
  const { stdout } = await runProcess({ ...bare, command: program, args: [option], walls: null })
  return renderBoundedText(stdout)
}

/** Null when it works, else what bubblewrap says. */
async function tryJail(program: string, can: BwrapPowers): Promise<string | null> {
  const words = bwrapArguments({
    mounts: systemMounts(),
    cwd: '/',
    network: 'none',
    emptyBytes: 2 ** 20,
    can,
  })
  const command = (start: Start): readonly string[] => [program, ...words, start.program, ...start.args]
  const walls: Walls = {
    enclose: async (start) => ({
      ...start,
      ...asStart(can.diesEarly ? dyingWithParent(command(start)) : command(start)),
      ...filterFor(can),
      release: async () => undefined,
    }),
  }
  const result = await runProcess({ ...bare, command: '/bin/sh', args: ['-c', ':'], walls })
  if (result.ended === 'exited' && result.exitCode === 0) return null
  return (result.error ?? renderBoundedText(result.stderr)).trim()
}

const asStart = ([program = '', ...args]: readonly string[]) => ({ program, args })

const bare = { cwd: '/', env: { PATH: '/usr/bin:/bin' }, timeoutMs: probeTimeoutMs } as const

function reasonOf(said: string, { readSetting }: ProbeRequest): Missing {
  const isDenied = /permission denied|not permitted|setting up uid map|no space left|namespace/i.test(said)
  if (!isDenied) return 'broken'
  const isRestricted = readSetting('/proc/sys/kernel/apparmor_restrict_unprivileged_userns').trim() === '1'
  return isRestricted ? 'namespaces_restricted' : 'namespaces_forbidden'
}
