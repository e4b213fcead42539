import type { AgentDefinition } from '../../adapters/agents/definition/definition.ts'
import type { WrittenConfig } from '../../model/config/settings.ts'
import type { Variables } from '../../adapters/process/clean-environment.ts'
import { parseOverrides, parseVariables, type Override } from './overrides.ts'
import { parseConfigFile } from './parse-config-file.ts'
import type { KeyPath, Place, PlacedProblem } from './problem.ts'

/** A configuration file's text, and what messages call it. */
export interface ConfigText {
  readonly name: string
  readonly text: string
}

export interface ConfigInputs {
  readonly repository: ConfigText | null
  readonly user: ConfigText | null
  readonly env: Variables
  readonly flags: readonly Override[]
  /** The CLIs that work where nobody chose an agent; none when not given. */
  readonly usableAgents?: readonly string[]
  /** The kinds of agents that there are; the built-in ones when not given. */
  readonly kinds?: readonly AgentDefinition[]
  /** Problems that are known already, such as a file that cannot be read. */
  readonly problems?: readonly PlacedProblem[]
}

/** One place that settings come from. */
export interface Layer {
  readonly source: 'repository' | 'user' | 'env' | 'flag'
  readonly written: WrittenConfig
  readonly problems: readonly PlacedProblem[]
  readonly placeOf: (path: KeyPath, at: 'key' | 'value') => Place
}

/** What each place says, the weakest first. */
export function layersOf({ repository, user, env, flags }: ConfigInputs): readonly Layer[] {
  return [
    ...(user ? [{ source: 'user' as const, ...parseConfigFile(user.name, user.text) }] : []),
    ...(repository
      ? [{ source: 'repository' as const, ...parseConfigFile(repository.name, repository.text) }]
      : []),
    { source: 'env', ...parseVariables(env) },
    { source: 'flag', ...parseOverrides(flags) },
  ]
}
