import { loadConfig } from '../../../app/config/load-config.ts'
import { findJail } from '../../../app/open-jail.ts'
import { findRoot } from '../../../app/find-repository.ts'
import { listAgents, type ListedAgent } from '../../../app/agents/list-agents.ts'
import type { RoleAgentView } from '../../../model/api/system.ts'
import type { RunCommand } from '../../command/context.ts'
import type { Output } from '../../command/output.ts'
import { oneLine } from '../../../client/printable.ts'

export const runAgents: RunCommand<Record<string, never>> = async ({
  cwd,
  env,
  output,
  agents: own = [],
}) => {
  const loaded = await loadConfig({ repositoryRoot: await findRoot({ cwd, env }), env, agents: own })
  const { agents, roles } = await listAgents(loaded, env)
  const { state } = await findJail({ config: loaded.config, env, home: '', git: null })
  const lines = [...agents.map((agent) => describeAgent(agent, output)), '', ...describeRoles(roles)]
  output.print([...lines, '', state.text].join('\n'))
  output.result({ schema: 'fixpoint.agents.v1', agents, roles, sandbox: state.text })
  return 0
}

function describeAgent(agent: ListedAgent, output: Output): string {
  const { name, path, version, tested_version: tested, login, can, hint } = agent
  const powers = Object.entries(can).flatMap(([power, has]) => (has ? [power] : []))
  const facts = [
    ...(version === null
      ? []
      : [version === tested ? `${version} (tested)` : `${version} (tested with ${tested})`]),
    ...(path === null ? [] : [oneLine(path)]),
    ...(login === null ? [] : [`login: ${oneLine(login)}`]),
    ...(powers.length === 0 ? [] : [`can ${powers.join(', ')}`]),
  ]
  const state = hint === null ? output.paint('green', 'ready  ') : output.paint('yellow', 'missing')
  const first = `${state}  ${name.padEnd(6)}  ${facts.length > 0 ? facts.join('; ') : agent.title}`
  return hint === null ? first : `${first}\n${' '.repeat(17)}${hint}`
}

/** One line per role; a fallback comes after the one it stands in for. */
function describeRoles(rows: readonly RoleAgentView[]): readonly string[] {
  return [...Map.groupBy(rows, ({ role }) => role)].map(([role, agents]) => {
    const names = agents.map(({ name, use, model, is_fallback, available }, index) => {
      const before = index === 0 ? '' : is_fallback ? ', then ' : ', '
      const words = [
        name,
        ...(name === use ? [] : [`(${use})`]),
        ...(model === null ? [] : [`with ${model}`]),
        ...(available ? [] : ['(missing)']),
      ]
      return `${before}${oneLine(words.join(' '))}`
    })
    return `${role.padEnd(10)}  ${names.join('')}`
  })
}
