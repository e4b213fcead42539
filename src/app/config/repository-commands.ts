import { kindOf, type AgentKind } from '../../model/config/agent-kind.ts'
import { mentionsOf } from '../../model/config/agents.ts'
import type { WrittenConfig } from '../../model/config/settings.ts'
import type { WrittenAgent } from '../../model/config/written.ts'

/** A command of the repository's file, and the setting that it stands under. */
export interface NamedCommand {
  readonly key: string
  readonly run: string
}

/** Every command that a configuration file would have us run, and every right that it would give an agent, in a fixed order. */
export function listCommands(written: WrittenConfig, kinds: readonly AgentKind[]): readonly NamedCommand[] {
  const setup = written.workspace?.setup
  const commands = [
    ...(written.verify?.commands ?? []).flatMap(({ run, network, jail }) =>
      rightsOf(run, { network, jail }).map((right) => ({ key: 'verify.commands', run: right })),
    ),
    ...(setup === undefined ? [] : [{ key: 'workspace.setup', run: setup }]),
    ...(written.review?.scanners ?? []).flatMap(({ run, network }) =>
      rightsOf(run, { network }).map((right) => ({ key: 'review.scanners', run: right })),
    ),
    ...(written.sandbox?.allow_hosts ?? []).map((host) => ({
      key: 'sandbox.allow_hosts',
      run: `agents reach ${host}`,
    })),
    ...(written.github?.api_url === undefined
      ? []
      : [{ key: 'github.api_url', run: `the GitHub token is sent to ${written.github.api_url}` }]),
    ...mentionsOf(written.agents ?? {}).flatMap(({ path, agent }) =>
      commandsOf(agent, kinds).map((run) => ({ key: `agents.${String(path[1])}`, run })),
    ),
  ]
  return commands.toSorted((a, b) => compare(a.key, b.key) || compare(a.run, b.run))
}

/** A command, and what it would have beyond a jail without a network. */
const rightsOf = (
  run: string,
  { network, jail }: { readonly network?: boolean | undefined; readonly jail?: boolean | undefined },
): readonly string[] => [
  run,
  ...(network === true ? [`${run}${withNetwork}`] : []),
  ...(jail === false ? [`${run}${outOfJail}`] : []),
]

const withNetwork = ' with the network'
const outOfJail = ' outside of the jail'

/** Whether a command reaches more than a check in the jail does: the network, logins, the machine. */
export const hasMoreRights = ({ key, run }: NamedCommand): boolean =>
  key === 'workspace.setup' ||
  key.startsWith('agents.') ||
  [withNetwork, outOfJail].some((right) => run.endsWith(right))

/** The programs that an agent's settings would start, and the settings that widen what a CLI may do or see. */
const commandsOf = (
  { use, run, args, home, env, permissions }: WrittenAgent,
  kinds: readonly AgentKind[],
): readonly string[] => [
  ...(run === undefined || kindOf(kinds, use)?.run?.is === 'folder' ? [] : [run]),
  ...(args === undefined || args.length === 0 ? [] : [[use, ...args].join(' ')]),
  ...(home === undefined ? [] : [`${use} with the configuration of ${home}`]),
  ...(env === undefined || env.length === 0 ? [] : [`${use} sees ${env.join(', ')}`]),
  ...(permissions === 'bypass' ? [`${use} without any limits to what it may do`] : []),
]

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
