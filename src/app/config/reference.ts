import { z } from 'zod'
import type { AgentDefinition } from '../../adapters/agents/definition/definition.ts'
import { builtInAgents } from '../../adapters/agents/index.ts'
import { reportFormatNames } from '../../adapters/findings/formats.ts'
import { agentSettings, joinWithAnd } from '../../model/config/agent-kind.ts'
import { defaultConfig, ReportFormatName, settings, WrittenConfig } from '../../model/config/settings.ts'
import { settingsIn } from '../../model/config/setting.ts'
import { valueAt } from './explain-issue.ts'
import { entryOf, knownKeys, mappingOf, unwrap, type KnownKey } from './known-keys.ts'
import { reservedVariables } from './overrides.ts'

/** The JSON Schema of `fixpoint.yaml`, for editors. */
export const configJsonSchema = (): Readonly<Record<string, unknown>> => ({
  title: 'fixpoint.yaml',
  ...z.toJSONSchema(WrittenConfig, {
    io: 'input',
    target: 'draft-7',
    override({ zodSchema, jsonSchema }) {
      if (zodSchema !== ReportFormatName) return
      delete jsonSchema.minLength
      jsonSchema.enum = [...reportFormatNames]
    },
  }),
})

const settingKeys = new Set(settingsIn(settings).map(({ path }) => path.join('.')))

/** Settings of agents have tables of their own. */
const isSetting = (path: readonly string[]): boolean =>
  path[0] !== 'agents' && settingKeys.has(path.join('.'))

/** A word or a mapping of further settings, each of which has a row of its own. */
const isFamily = (schema: z.ZodType): boolean => unwrap(schema).type === 'union' && mappingOf(schema) !== null

/** The tables of every key, as a page of the documentation. */
export function configurationPage(): string {
  const rows = knownKeys.filter(({ path, schema }) => isSetting(path) && !isFamily(schema))
  const roles = knownKeys.filter(({ path }) => path[0] === 'agents' && path.length === 2)
  const part = (title: string, lead: string, rows: readonly KnownKey[]): string =>
    [
      `## ${title}`,
      '',
      lead,
      '',
      '| key | type | default | meaning |',
      '|---|---|---|---|',
      ...rows.map(toRow),
      '',
    ].join('\n')
  return [
    '# Configuration',
    '',
    'Settings come from flags, then `FIXPOINT_*` variables, then `fixpoint.yaml` in the root of the repository, then',
    '`$XDG_CONFIG_HOME/fixpoint/config.yaml`, then the defaults below. `fixpoint config` prints each value and its source.',
    'A variable is the key in capitals with `_` between its parts: `FIXPOINT_FIX_MAX_ROUNDS=2`. Lists are separated by',
    `commas, or written as in a file. ${reservedVariables.map((name) => `\`${name}\``).join(', ')} are no settings.`,
    '',
    'Editors can check the file against [fixpoint.schema.json](fixpoint.schema.json). This page is generated.',
    '',
    part('Settings', 'Durations are written as `90s`, `15m`, `1h30m` or `10d`.', rows),
    part('Roles', 'A role is the name of an agent, or a mapping with the keys of an agent.', roles),
    part(
      'Keys of an agent',
      `Built in are ${joinWithAnd(builtInAgents.map(({ kind }) => `\`${kind}\``))}. Any other name under \`agents\` is an agent\nof your own, with the same keys except \`fallback\`; a role must refer to it. [Kinds of agents](agents.md) says which takes which.`,
      entriesOf('agents.<role>', entryOf(schemaOf('agents'), 'fixer')),
    ),
    part('Keys of a command', 'One entry of `verify.commands`.', entriesOf('', itemOf('verify', 'commands'))),
    part('Keys of a scanner', 'One entry of `review.scanners`.', entriesOf('', itemOf('review', 'scanners'))),
    part(
      'Keys of a price',
      'One entry of `prices`, under the name of a model.',
      entriesOf('', entryOf(schemaOf('prices'), 'model')),
    ),
  ].join('\n')
}

const schemaOf = (section: string): z.ZodType => entryOf(WrittenConfig, section) ?? z.never()
const itemOf = (section: string, key: string): z.ZodType | null =>
  entryOf(entryOf(schemaOf(section), key) ?? z.never(), 0)

function entriesOf(prefix: string, schema: z.ZodType | null): readonly KnownKey[] {
  const mapping = schema && mappingOf(schema)
  return Object.entries(mapping?.shape ?? {}).map(([key, value]) => ({
    path: prefix === '' ? [key] : [prefix, key],
    schema: value as z.ZodType,
    description: (value as z.ZodType).description ?? '',
  }))
}

function toRow({ path, schema, description }: KnownKey): string {
  const otherwise = valueAt(defaultConfig, path)
  const shown = otherwise === undefined ? '' : `\`${asYaml(otherwise)}\``
  return `| \`${path.join('.')}\` | ${typeOf(schema)} | ${shown} | ${description} |`
}

const asYaml = (value: unknown): string =>
  Array.isArray(value)
    ? `[${value.map(asYaml).join(', ')}]`
    : typeof value === 'string'
      ? value
      : JSON.stringify(value)

function typeOf(schema: z.ZodType): string {
  const bare = unwrap(schema)
  if (bare === ReportFormatName) return codeWords(reportFormatNames)
  if (bare.type === 'enum') return codeWords((bare as z.ZodEnum).options)
  if (bare.type === 'array')
    return `list of ${plurals[typeOf((bare as z.ZodArray<z.ZodType>).element)] ?? 'values'}`
  if (bare.type === 'boolean') return '`true`, `false`'
  if (bare.type === 'literal') return codeWords([...(bare as z.ZodLiteral).values].map(String))
  if (bare.type === 'union' && mappingOf(bare) === null)
    return (bare as z.ZodUnion<readonly z.ZodType[]>).options.map(typeOf).join(', ')
  if (bare.type === 'union') return 'agent'
  if (bare.type === 'object' || bare.type === 'record') return 'mapping'
  return bare.type === 'number' ? 'number' : 'text'
}

const codeWords = (words: readonly (string | number)[]): string =>
  words.map((word) => code(String(word))).join(', ')

const plurals: Readonly<Record<string, string>> = { text: 'texts', mapping: 'mappings', agent: 'agents' }

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
const takersOf = (setting: (typeof agentSettings)[number]): string =>
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
