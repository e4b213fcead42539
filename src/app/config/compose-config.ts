import { builtInAgents } from '../../adapters/agents/index.ts'
import { reportFormatNames } from '../../adapters/findings/formats.ts'
import type { AgentKind } from '../../model/config/agent-kind.ts'
import { unusedAgents, type ConfigProblem } from '../../model/config/agents.ts'
import { settingsIn } from '../../model/config/setting.ts'
import { defaultConfig, settings, type WrittenConfig } from '../../model/config/settings.ts'
import type { WrittenRole } from '../../model/config/written.ts'
import { checkConfig, mergeWritten, resolveConfig, type Config } from '../../model/config/config.ts'
import { defaultAgents } from './default-agents.ts'
import { isMapping, listWords, valueAt } from './explain-issue.ts'
import { keysAt } from './known-keys.ts'
import { layersOf, type ConfigInputs, type Layer } from './layers.ts'
import { nearest } from './nearest.ts'
import { configFault, formatKey, showValue, type KeyPath, type Place, type PlacedProblem } from './problem.ts'
import { variableOf } from './overrides.ts'
import { sourcesOf, type ValueSource } from './sources.ts'

export interface ComposedConfig {
  readonly config: Config
  /** By dotted key: who decided the value, and where. */
  readonly sources: ReadonlyMap<string, ValueSource>
  /** What the repository's file says by itself; its commands need the person's trust. */
  readonly repository: WrittenConfig
  /** What was written and does not hold, in plain words. */
  readonly notices: readonly string[]
}

/** All layers as one configuration, or one fault that names every problem in every layer. */
export function composeConfig(inputs: ConfigInputs): ComposedConfig {
  const { layers, notices } = keepTight(layersOf(inputs))
  const written = mergeWritten(...layers.map((layer) => layer.written))
  const { kinds = builtInAgents, usableAgents: usable = [] } = inputs
  const agents = defaultAgents(kinds, { usable, fixer: agentOf(written.agents?.fixer) })
  const merged = mergeWritten(defaultConfig, agents ? { agents } : {}, written)
  const problems = [
    ...(inputs.problems ?? []),
    ...layers.flatMap((layer) => [...layer.problems, ...findUnused(layer, layers)]),
    ...findContradictions(merged, layers, kinds),
    ...findForeign(layers),
  ]
  if (problems.length > 0) throw configFault(inReadingOrder(problems))
  return {
    config: resolveConfig(kinds, merged),
    sources: sourcesOf(layers),
    repository: layers.find((layer) => layer.source === 'repository')?.written ?? {},
    notices,
  }
}

const agentOf = (role: WrittenRole | undefined): string | null =>
  (typeof role === 'string' ? role : role?.use) ?? null

/** Leaves out settings of the repository's file that would loosen a limit: the file may only tighten it, and only the person may loosen it. */
function keepTight(layers: readonly Layer[]): {
  readonly layers: readonly Layer[]
  readonly notices: readonly string[]
} {
  const repository = layers.find((layer) => layer.source === 'repository')
  if (!repository) return { layers, notices: [] }
  const user = layers.find((layer) => layer.source === 'user')?.written
  let kept: WrittenConfig = repository.written
  const notices: string[] = []
  for (const { path, setting } of settingsIn(settings)) {
    const order = setting.loosestFirst ?? []
    const asked = valueAt(kept, path)
    const least = String(valueAt(user, path) ?? setting.otherwise)
    if (typeof asked !== 'string' || order.indexOf(asked) >= order.indexOf(least)) continue
    kept = without(kept, path)
    const { where } = repository.placeOf(path, 'value')
    const how = `set ${variableOf(path)}=${asked} or your own configuration to loosen it`
    notices.push(
      `${where}  ${formatKey(path)}: ${asked} is not taken from a repository, ${least} holds; ${how}`,
    )
  }
  return {
    layers: layers.map((layer) => (layer === repository ? { ...layer, written: kept } : layer)),
    notices,
  }
}

/** What only the person may say, said by the repository's file. */
function findForeign(layers: readonly Layer[]): readonly PlacedProblem[] {
  const repository = layers.find((layer) => layer.source === 'repository')
  return settingsIn(settings)
    .filter(({ path, setting }) => setting.isPersonal && valueAt(repository?.written, path) !== undefined)
    .flatMap(({ path }) =>
      repository
        ? {
            ...repository.placeOf(path, 'key'),
            key: formatKey(path),
            text: `is not taken from a repository; put it into your own configuration, or set ${variableOf(path)}`,
          }
        : [],
    )
}

function without<Value>(value: Value, [key = '', ...rest]: readonly string[]): Value {
  if (!isMapping(value)) return value
  const { [key]: inner, ...others } = value
  return (rest.length === 0 ? others : { ...others, [key]: without(inner, rest) }) as Value
}

/** Named agents that no layer refers to: most often a role that was misspelt. */
function findUnused(layer: Layer, layers: readonly Layer[]): readonly PlacedProblem[] {
  // A part that could not be read may refer to the agent.
  if (layers.some((one) => one.problems.some(mayHideAgents))) return []
  const everywhere = layers.map((one) => one.written.agents ?? {})
  return unusedAgents(layer.written.agents ?? {}, everywhere).map((name) => {
    const role = nearest(name, keysAt(['agents']))
    const hint = role === null ? 'refer to it from a role, or remove it' : `did you mean agents.${role}?`
    const path = ['agents', name]
    return { ...layer.placeOf(path, 'key'), key: formatKey(path), text: `no role uses this agent; ${hint}` }
  })
}

const mayHideAgents = ({ key, where }: PlacedProblem): boolean =>
  key === '' ? !/^FIXPOINT_(?!AGENT)/.test(where) : key.startsWith('agents')

function findContradictions(
  merged: WrittenConfig,
  layers: readonly Layer[],
  kinds: readonly AgentKind[],
): readonly PlacedProblem[] {
  const broken = new Set(
    layers.flatMap((layer) => layer.problems.map((problem) => problem.key.split(/[.[]/)[1] ?? '')),
  )
  const found = [...checkConfig(merged, kinds), ...findUnknownFormats(merged)]
  return found.flatMap(({ path, message, candidates }) => {
    const value = String(valueAt(merged, path))
    // An agent whose own entry is at fault was left out; that it is missing is no second fault.
    if (candidates && broken.has(value)) return []
    const near = nearest(value, candidates ?? [])
    const hint = near === null ? '' : `; did you mean ${near}?`
    return [{ ...placeIn(layers, path), key: formatKey(path), text: `${message}${hint}` }]
  })
}

function findUnknownFormats({ review }: WrittenConfig): readonly ConfigProblem[] {
  return (review?.scanners ?? []).flatMap(({ format }, index) =>
    format === undefined || reportFormatNames.includes(format)
      ? []
      : [
          {
            path: ['review', 'scanners', index, 'format'],
            message: `expected ${listWords(reportFormatNames)}, found ${showValue(format)}`,
            candidates: reportFormatNames,
          },
        ],
  )
}

/** Where the value that counts is written: in the strongest layer that has it, or has what is around it. */
function placeIn(layers: readonly Layer[], path: KeyPath): Place {
  for (let length = path.length; length > 0; length -= 1) {
    const prefix = path.slice(0, length)
    const layer = layers.findLast((one) => valueAt(one.written, prefix) !== undefined)
    if (layer) return layer.placeOf(prefix, 'value')
  }
  return { where: 'default', offset: 0 }
}

/** File by file, and in a file from top to bottom. */
function inReadingOrder(problems: readonly PlacedProblem[]): readonly PlacedProblem[] {
  const files = [...new Set(problems.map(({ where }) => fileOf(where)))]
  return problems.toSorted(
    (a, b) => files.indexOf(fileOf(a.where)) - files.indexOf(fileOf(b.where)) || a.offset - b.offset,
  )
}

const fileOf = (where: string): string => where.replace(/:\d+:\d+$/, '')
