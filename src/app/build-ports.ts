import { dirname, join } from 'node:path'
import { createRulesOrigins } from '../adapters/agents/rules/index.ts'
import { parseRules } from '../adapters/agents/rules/parse-rules.ts'
import { openArtifacts } from '../adapters/artifacts/index.ts'
import { createChecks } from '../adapters/checks/index.ts'
import { rememberPace } from '../adapters/checks/remember-pace.ts'
import { BASE_ENVIRONMENT, cleanEnvironment, type Variables } from '../adapters/process/clean-environment.ts'
import { createImports } from '../adapters/imports/index.ts'
import { findReportFormat } from '../adapters/findings/formats.ts'
import { parseMapping } from '../adapters/findings/mapped/mapping.ts'
import { readReport } from '../adapters/findings/read-report.ts'
import { createScannerOrigins, createScanners, type Scanner } from '../adapters/scanners/index.ts'
import type { Store } from '../adapters/store/index.ts'
import {
  createBranches,
  createCheckout,
  createTrees,
  createWorkspaces,
  type GitRepository,
  sharedState,
} from '../adapters/workspaces/index.ts'
import type { Jail, Ports, Publisher, PatchInspector, Prompts, Trees } from '../loop/ports.ts'
import type { ScannerConfig } from '../model/config/settings.ts'
import { buildAgents, readRuleSetup } from './agents/build-agents.ts'
import { shareProviders } from './agents/provider-places.ts'
import { userConfigPath, type LoadedConfig } from './config/load-config.ts'
import { clock, hash, ids } from './machine.ts'
import { carryNotes } from './carry/carry-notes.ts'
import { carryObjects, openCarrier } from './carry/carry-objects.ts'
import { redactPorts } from './redact/redact-exits.ts'
import { runSetup } from './run-setup.ts'
import { readdir, readFile } from 'node:fs/promises'
import { readPrompts } from '../loop/prompts/read-prompts.ts'
import { promptNames, type PromptTexts } from '../loop/prompt-texts.ts'
import type { TreeId } from '../model/id.ts'

const setupTimeoutMs = 15 * 60_000

export interface PortParts {
  readonly env: Variables
  /** Keeps every agent run in this folder, when given. */
  readonly record: string | null
  readonly home: string
  readonly git: GitRepository
  readonly loaded: LoadedConfig
  readonly store: Store
  readonly publisher: Publisher
  readonly jail: () => Promise<Jail>
}

/** Every adapter that fixing and reviewing need. */
export async function buildPorts(parts: PortParts): Promise<Ports> {
  const { env, record, home, git, loaded, store, publisher } = parts
  const { config } = loaded
  const jail = await parts.jail()
  const trees = createTrees(git)
  const rules = await readRuleSetup(config, git.root)
  const pace = rememberPace({ cache: store.checkCache, hash, repository: git.key })
  const { workspaces, checks, scanners } = createRunners({ ...parts, pace }, trees, jail)
  // Of a database that several machines use, whoever reads a row may be on another one.
  const carrier = openCarrier({ home, env, git, artifactsUrl: config.artifacts.url })
  const isShared = store.isOwnerAlive !== null
  const artifacts = openArtifacts({ url: config.artifacts.url, home, env })
  return redactPorts({
    trees,
    composer: trees,
    branches: isShared ? carryNotes(createBranches(git), artifacts) : createBranches(git),
    checkout: createCheckout(git),
    workspaces,
    agents: shareProviders(
      buildAgents({ config, kinds: loaded.kinds, rules, root: git.root, home, env, record, jail }),
      { providers: store.providers, most: config.limits.per_provider, home, clock },
    ),
    checks,
    pace,
    imports: createImports(trees),
    scanners,
    origins: [createRulesOrigins(trees, parseRules(rules)), ...createScannerOrigins(scanners, trees)],
    inspector: patchInspector,
    issues: store.issues,
    sessions: isShared ? carryObjects(store.sessions, carrier) : store.sessions,
    prompts: await createPrompts(trees, ownPrompts(env)),
    artifacts,
    clock,
    ids,
    hash,
    publisher,
    author: git.identity,
    jail: jail.state,
  })
}

/** The adapters that run the configured commands: setup, checks and scanners, all in the same environment. */
function createRunners(
  { env, home, git, loaded, store, pace }: PortParts & Pick<Ports, 'pace'>,
  trees: Ports['trees'],
  jail: Jail,
): Pick<Ports, 'workspaces' | 'checks' | 'scanners'> {
  const { workspace, review } = loaded.config
  const { setup, share } = workspace
  const environment = { ...cleanEnvironment(env, BASE_ENVIRONMENT), CI: 'true' }
  const workspaces = createWorkspaces(git, {
    share,
    setup: setup === null ? null : { run: setup, timeoutMs: setupTimeoutMs },
    runSetup: runSetup({ env: environment, home, jail }),
  })
  return {
    workspaces,
    checks: createChecks({
      workspaces,
      trees,
      cache: store.checkCache,
      pace,
      hash,
      ids,
      env: environment,
      repository: git.key,
      setup: setup ?? '',
      shared: () => sharedState(git.root, share),
      home,
      jail,
      places: loaded.config.verify.concurrency,
    }),
    scanners: createScanners(buildScanners(review.scanners), {
      workspaces,
      ids,
      env: environment,
      home,
      jail,
    }),
  }
}

/** A person's own prompt files stand beside their configuration. */
function ownPrompts(env: Variables): string | null {
  const config = userConfigPath(env)
  return config === null ? null : join(dirname(config), 'agents')
}

/** The scanners as the configuration has them, with how each of their reports is read. */
const buildScanners = (configured: readonly ScannerConfig[]): readonly Scanner[] =>
  configured.map(({ name, run, format, map, network, timeout_ms: timeoutMs }) => {
    const mapping = map === null ? undefined : parseMapping(map, `review.scanners "${name}": map`)
    return {
      name,
      run,
      timeoutMs,
      network: network ? 'open' : 'loopback',
      isByLine: (format !== null && findReportFormat(format).isByLine === true) || mapping?.list === null,
      read: (report, root) =>
        readReport(report, { root, sourceName: name, format: format ?? undefined, mapping }),
    }
  })

/** The detectors, loaded when the first patch is inspected. */
export const patchInspector: PatchInspector = {
  async findTampering(changes, options) {
    const { findTampering } = await import('../adapters/tamper/find-tampering.ts')
    return findTampering(changes, options)
  },
  async findSecrets(changes) {
    const { findAddedSecrets } = await import('../adapters/secrets/find-added-secrets.ts')
    const scan = await findAddedSecrets(changes)
    if ('unscanned' in scan) return { unscanned: scan.unscanned }
    return scan.found.map(({ path, line, kind }) => ({ path, line, what: `a secret is added (${kind})` }))
  },
  async compareCode(changes) {
    const { compareCode } = await import('../adapters/tamper/substance/compare-code.ts')
    return changes.map(compareCode)
  },
  async isRemark(path, text, lines) {
    const { isRemark } = await import('../adapters/tamper/substance/compare-code.ts')
    return isRemark(path, text, lines)
  },
}

/** The prompt files of a base commit, read once each; the person's own are read when Fixpoint starts. */
async function createPrompts(trees: Trees, ownFolder: string | null): Promise<Prompts> {
  const own = ownFolder === null ? new Map<string, string>() : await readOwnPrompts(ownFolder)
  const known = new Map<TreeId, Promise<PromptTexts>>()
  return {
    read(base) {
      const texts = known.get(base) ?? readPrompts(trees, base, own)
      known.set(base, texts)
      return texts
    },
  }
}

async function readOwnPrompts(folder: string): Promise<ReadonlyMap<string, string>> {
  const found = await readdir(folder).catch((error: unknown): string[] => {
    if (error instanceof Error && 'code' in error && ['ENOENT', 'ENOTDIR'].includes(String(error.code)))
      return []
    throw error
  })
  const names = promptNames.filter((name) => found.includes(`${name}.md`))
  const texts = await Promise.all(names.map((name) => readFile(join(folder, `${name}.md`), 'utf8')))
  return new Map(names.map((name, index) => [name, texts[index] ?? '']))
}
