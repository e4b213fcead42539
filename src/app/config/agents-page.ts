import type { AgentDefinition } from '../../adapters/agents/definition/definition.ts'
import { builtInAgents } from '../../adapters/agents/index.ts'
import { agentSettings, joinWithAnd } from '../../model/config/agent-kind.ts'

/** The tables of every kind of agent, as a page of the documentation. */
export const agentsPage = (): string =>
  [
    '# Kinds of agents',
    '',
    'What each built-in agent is, what it takes and what it logs in with. [Agents](../guide/agents.md) says how to choose.',
    'This page is generated.',
    '',
    ...table(['`use`', 'what it is', 'needs'], builtInAgents.map(aboutRow)),
    '',
    '## Settings',
    '',
    'Every agent takes `use`, `timeout` and, in a role, `fallback`. The others depend on the kind:',
    '',
    ...table(
      ['setting', 'taken by'],
      agentSettings.map((setting) => [code(setting), takersOf(setting)]),
    ),
    '',
    '## Logins',
    '',
    ...table(
      ['agent', 'tested version', 'variables, of which one is enough', 'file of a login'],
      loginRows(),
    ),
    '',
    '## Who works when nobody is chosen',
    '',
    'Of those that are installed and logged in one fixes, another challenges and two review, in this order:',
    '',
    ...table(
      ['role', 'order'],
      (['fixer', 'challenger', 'reviewers'] as const).map((role) => [code(role), orderOf(role)]),
    ),
    '',
  ].join('\n')

const code = (word: string): string => `\`${word}\``

/** The kinds that take a setting, in words. */
export const takersOf = (setting: (typeof agentSettings)[number]): string =>
  joinWithAnd(builtInAgents.filter(({ takes }) => takes.includes(setting)).map(({ kind }) => code(kind)))

const aboutRow = ({ kind, about, cli, needs = 'nothing' }: AgentDefinition): readonly string[] => [
  code(kind),
  about,
  cli ? code(cli.install) : needs,
]

const loginRows = (): readonly (readonly string[])[] =>
  builtInAgents.flatMap(({ kind, cli }) =>
    cli ? [[code(kind), cli.testedVersion, cli.login.variables.map(code).join(', '), cli.login.place]] : [],
  )

const orderOf = (role: keyof NonNullable<AgentDefinition['ranks']>): string =>
  builtInAgents
    .flatMap(({ kind, ranks }) => (ranks ? [{ kind, rank: ranks[role] }] : []))
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ kind }) => code(kind))
    .join(', ')

const table = (head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`)
