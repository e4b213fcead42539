import { stringify } from 'yaml'
import type { AgentDefinition } from '../../adapters/agents/definition/definition.ts'
import { findProgram } from '../../adapters/agents/definition/find-program.ts'
import { builtInAgents } from '../../adapters/agents/index.ts'
import { detectProject } from '../../adapters/projects/detect-project.ts'
import type { Detection, Guess } from '../../adapters/projects/evidence/detection.ts'
import type { Variables } from '../../adapters/process/clean-environment.ts'
import { joinWithAnd } from '../../model/config/agent-kind.ts'
import { defaultConfig } from '../../model/config/settings.ts'
import { builtInAgent } from '../../model/config/written.ts'
import { defaultAgents } from '../config/default-agents.ts'
import { valueAt } from '../config/explain-issue.ts'
import { schemaAt } from '../config/known-keys.ts'

/** What `fixpoint init` proposes for a repository, with the reason of each guess. */
export interface ConfigProposal extends Detection {
  /** Agents on the PATH, with the file that was found. */
  readonly agents: readonly Guess<string>[]
}

/** Looks at a checkout and at the programs of the machine; nothing is run. */
export const proposeConfig = async (
  root: string,
  env: Variables,
  kinds: readonly AgentDefinition[] = builtInAgents,
): Promise<ConfigProposal> => ({
  ...(await detectProject(root)),
  agents: findAgents(kinds, env['PATH']),
})

/** The vendors' agents that are installed; they are looked for, not started. */
const findAgents = (
  kinds: readonly AgentDefinition[],
  searchPath: string | undefined,
): readonly Guess<string>[] =>
  kinds.flatMap(({ kind, cli }) => {
    const why = cli ? findProgram(cli.program, searchPath) : null
    return why === null ? [] : [{ value: kind, why }]
  })

/** A `fixpoint.yaml` that says what was guessed and why, and loads as it is. */
export function formatConfigFile(
  proposal: ConfigProposal,
  kinds: readonly AgentDefinition[] = builtInAgents,
): string {
  const sections = [
    header(proposal),
    verifySection(proposal),
    workspaceSection(proposal),
    classesSection(proposal),
    reviewSection(proposal),
    agentsSection(proposal, kinds),
    comment(defaultLines()),
  ]
  return sections.filter((section) => section !== '').join('\n')
}

function header({ languages, packageManager, workspaces, notes }: ConfigProposal): string {
  const lines = [
    'fixpoint.yaml: how Fixpoint checks and fixes this repository.',
    'Every value here was guessed from files; nothing was run. Read it, correct it, commit it.',
    'fixpoint config lists every key with the value in use and where it comes from.',
    ...languages.slice(0, 5).map((guess) => `Language: ${describe(guess)}`),
    ...(packageManager ? [`Package manager: ${describe(packageManager)}`] : []),
    ...(workspaces.length > 0 ? [`Packages: ${workspaces.length}, such as ${describe(workspaces[0])}`] : []),
    ...notes.map((note) => `Note: ${note}`),
  ]
  return comment(lines)
}

function verifySection({ commands }: ConfigProposal): string {
  if (commands.length === 0) {
    const lines = [
      'No test, lint or build command was found. Without any, no fix can be proven (evidence E0), so nothing lands.',
      'Name a command here; or, to let fixes land unverified, set land.min_evidence to E0 (see below).',
      '  commands:',
      '    - { name: test, run: make test, timeout: 5m }',
    ]
    return `${comment(lines)}verify:\n  commands: []\n`
  }
  const lead = [
    'These must be green on the base and stay green with a fix. A command that takes longer is not evaluated.',
    ...(commands.some(({ name }) => /(^|-)test(-\d+)?$/.test(name))
      ? []
      : ['No test command was found: these prove little. Name one here if there is one.']),
  ]
  const entries = commands.map(({ name, run, paths, why }) =>
    [
      `    # ${oneLine(why)}`,
      `    - name: ${scalar(name)}`,
      `      run: ${scalar(run)}`,
      '      timeout: 5m',
      ...(paths.length > 0 ? [`      paths: ${list(paths)}`] : []),
      '',
    ].join('\n'),
  )
  return `${comment(lead)}verify:\n  commands:\n${entries.join('')}`
}

function workspaceSection({ setup, share }: ConfigProposal): string {
  if (!setup && share.length === 0) return ''
  const lines = [
    ...(setup
      ? [`  # Runs once per lock-file content: ${oneLine(setup.why)}.`, `  setup: ${scalar(setup.value)}`]
      : []),
    ...(share.length > 0
      ? ['  # Copied into every workspace, because git ignores it and commands need it:', '  share:']
      : []),
    ...share.map((guess) => `    - ${scalar(guess.value)} # ${oneLine(guess.why)}`),
  ]
  return `${comment(['Fixes are made in private copies of the tree.'])}workspace:\n${lines.join('\n')}\n`
}

function classesSection({ classes }: ConfigProposal): string {
  const lines = (['BE', 'FE'] as const).flatMap((name) =>
    classes[name].length === 0
      ? []
      : [
          `  ${name}:`,
          ...classes[name].map((guess) => `    - ${scalar(guess.value)} # ${oneLine(guess.why)}`),
        ],
  )
  if (lines.length === 0) return ''
  return `${comment(['Which files are back end and which are front end; others are told by their extension.'])}classes:\n${lines.join('\n')}\n`
}

/** Commented out: a review that runs it takes as long as it does, and needs what it needs. */
function reviewSection({ scanners }: ConfigProposal): string {
  const [scanner] = scanners
  if (!scanner) return ''
  const off = Object.fromEntries(scanner.doubles.map((rules) => [rules, 'off']))
  return comment([
    `A review can run ${scanner.name} too (${scanner.why}). Its findings then count like those of a reviewer, and`,
    'a fix of one lands only when it is silent. Built-in rules that it doubles are switched off beside it.',
    'review:',
    '  scanners:',
    `    - ${flow({ name: scanner.name, run: scanner.run })}`,
    ...(scanner.doubles.length > 0 ? [`  rules: ${flow(off)}`] : []),
  ])
}

/** Commented out: who fixes is a person's choice, and a repository's file would come before their own. */
function agentsSection({ agents }: ConfigProposal, kinds: readonly AgentDefinition[]): string {
  const found = agents.map((agent) => `Found: ${describe(agent)}`)
  const usable = agents.map(({ value }) => value)
  const roles = defaultAgents(kinds, { usable, fixer: null }) ?? defaultConfig.agents ?? {}
  const vendors = joinWithAnd(kinds.filter(({ ranks }) => ranks).map(({ kind }) => kind))
  return comment([
    `Who reviews, fixes and challenges. Without this section it is those of ${vendors}`,
    'that are installed and logged in (fixpoint agents shows them); where none is, it is',
    `"${builtInAgent}", which is built in and needs no model. A program of your own can be an agent:`,
    'fixer: { use: command, run: node my-agent.mjs, timeout: 15m }',
    ...(found.length > 0 ? found : [`None of ${vendors} was found on the PATH.`]),
    '',
    'agents:',
    ...Object.entries(roles).map(([role, agent]) => `  ${role}: ${flow(agent)}`),
  ])
}

/** The settings that most people look for first, by section. */
const shownDefaults = {
  fix: ['max_rounds', 'concurrency'],
  challenge: ['enabled', 'threshold'],
  land: ['min_evidence'],
}

/** Their defaults and meanings, as the settings have them. */
const defaultLines = (): readonly string[] => [
  'These are the defaults.',
  ...Object.entries(shownDefaults).flatMap(([section, keys]) => [
    '',
    `${section}:`,
    ...keys.map((key) => {
      const path = [section, key]
      return `  ${key}: ${flow(valueAt(defaultConfig, path))} # ${schemaAt(path)?.description ?? ''}`
    }),
  ]),
]

const describe = (guess: Guess<string> | undefined): string =>
  guess ? oneLine(`${guess.value} (${guess.why})`) : ''

const comment = (lines: readonly string[]): string =>
  lines.map((line) => `# ${oneLine(line)}`.trimEnd()).join('\n') + '\n'

/** Text from the repository may hold anything: here it must not leave its comment. */
const oneLine = (text: string): string => {
  const plain = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu, ' ')
  return plain.length > 150 ? `${plain.slice(0, 149)}…` : plain
}

const scalar = (text: string): string => {
  const written = stringify(text, { lineWidth: 0 }).trimEnd()
  return written.includes('\n') ? JSON.stringify(text) : written
}
const flow = (value: unknown): string => stringify(value, { collectionStyle: 'flow', lineWidth: 0 }).trimEnd()
const list = (items: readonly string[]): string => `[${items.map((item) => JSON.stringify(item)).join(', ')}]`
