import type { AgentDefinition } from '../adapters/agents/definition/definition.ts'
import type { Store } from '../adapters/store/index.ts'
import { sendTraces, type TracedEvents } from '../adapters/telemetry/index.ts'
import {
  openRepository,
  readHistoryKey,
  rememberClone,
  type GitRepository,
} from '../adapters/workspaces/index.ts'
import type { Jail, Ports } from '../loop/ports.ts'
import { RepositoryId, SessionId } from '../model/id.ts'
import type { Repository } from '../model/repository.ts'
import { loadConfig, type LoadedConfig } from './config/load-config.ts'
import type { Variables } from '../adapters/process/clean-environment.ts'
import type { Override } from './config/overrides.ts'
import { openHome } from './home.ts'
import { ids } from './machine.ts'
import type { JailRequest } from './open-jail.ts'
import { openStore } from './open-store.ts'
import { createPublisher, type Subscription } from './publisher.ts'

export interface AppRequest {
  readonly cwd: string
  readonly env: Variables
  readonly flags?: readonly Override[]
  readonly record?: string | null
  /** Agents of one's own, beside the built-in ones. */
  readonly agents?: readonly AgentDefinition[]
  /** Tells a person what happens while agents are asked outside of a session. */
  readonly say?: (line: string) => void
  /** The text of `fixpoint.yaml` that counts, where it is not the checkout's; null when there is none. */
  readonly repositoryText?: string | null
  /** A store that is open already, for a process that opens many repositories; it stays open. */
  readonly store?: Store
  /** Where the repository around `cwd` is a mirror of. */
  readonly url?: string
  /** The repository around `cwd`, when somebody has opened it a moment ago. */
  readonly git?: GitRepository
}

/** Fixpoint, put together for one repository. */
export interface App extends Subscription {
  readonly home: string
  /** The variables that Fixpoint was started with. */
  readonly env: Variables
  readonly git: GitRepository
  readonly repository: Repository
  /** Which clone of the repository it is. */
  readonly clone: string
  readonly loaded: LoadedConfig
  /** The settings that were asked for instead of the configured ones. */
  readonly flags: readonly Override[]
  readonly store: Store
  /** Where every agent run is kept, when it is. */
  readonly record: string | null
  /** Tells a person what happens while agents are asked outside of a session. */
  readonly say: (line: string) => void
  /** What stands around agents and commands; looked for on first use. */
  readonly jail: () => Promise<Jail>
  /** Built on first use: agents and parsers are not loaded to list issues. */
  readonly ports: () => Promise<Ports>
  close(): Promise<void>
}

/** Finds the repository, reads its configuration, opens the store and builds every adapter. */
export async function openApp(request: AppRequest): Promise<App> {
  const home = openHome(request.env)
  const git = request.git ?? (await openRepository({ cwd: request.cwd, home, env: request.env }))
  const loaded = await loadConfig({
    repositoryRoot: git.root,
    env: request.env,
    flags: request.flags ?? [],
    agents: request.agents ?? [],
    ...(request.repositoryText !== undefined && { repositoryText: request.repositoryText }),
  })
  const jail = jailOnFirstUse({ config: loaded.config, env: request.env, home, git })
  if (loaded.config.sandbox.mode === 'required') await jail()
  const store = request.store ?? (await openStore(home, request.env))
  const repository = await findRepository(git, store, request.url)
  const clone = await rememberClone(git, repository.id)
  const { publisher, subscribe } = createPublisher()
  const flushTraces = await sendTraces(request.env, { subscribe, readEvents: readerOf(store) })
  let built: Promise<Ports> | null = null
  const ports = () => (built ??= import('./build-ports.ts').then(({ buildPorts }) => buildPorts(parts)))
  const parts = {
    env: request.env,
    record: request.record ?? null,
    home,
    git,
    loaded,
    store,
    publisher,
    jail,
  }
  return {
    home,
    env: request.env,
    git,
    repository,
    clone,
    loaded,
    flags: request.flags ?? [],
    store,
    record: parts.record,
    say: request.say ?? (() => undefined),
    jail,
    ports,
    subscribe,
    close: async () => {
      await flushTraces()
      if (!request.store) await store.close()
    },
  }
}

/** How many events of a session are read at once, to make spans of them. */
const eventsAtOnce = 1_000

const readerOf =
  ({ sessions }: Store): TracedEvents['readEvents'] =>
  (id, afterSeq) =>
    sessions.events(SessionId.parse(id), afterSeq, eventsAtOnce)

function jailOnFirstUse(request: JailRequest): () => Promise<Jail> {
  let opened: Promise<Jail> | null = null
  return () => (opened ??= import('./open-jail.ts').then(({ openJail }) => openJail(request)))
}

/** The repository that a clone belongs to, by what the clone remembers or else by its history. */
async function findRepository(
  git: GitRepository,
  { repositories }: Store,
  url: string | undefined,
): Promise<Repository> {
  const { repositoryId: id, root } = git
  const known = id && (await repositories.get(id))
  const history = await readHistoryKey(git, known?.key ?? null)
  const newId = RepositoryId.parse(ids.next('rep'))
  const place = url === undefined ? { path: root } : { path: url, url }
  return repositories.ensure({ ...history, ...place, id, newId })
}
