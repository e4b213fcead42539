import { mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { AgentTask } from '../../../model/agent/agent.ts'
import type { SubAgent } from '../../../loop/ports.ts'
import { removeTree } from '../../process/leftovers/remove-tree.ts'
import { runFilePath } from '../../process/run-mark.ts'
import { agentsFolder } from '../definition/room.ts'
import {
  authTypeOf,
  geminiPolicy,
  geminiSettings,
  subAgentFile,
  type GeminiRun,
  type GeminiSettings,
} from './command.ts'
import { pruneConversations } from './conversation.ts'

/** What the CLI keeps of a login; linked, so that a token it renews is renewed for the person too. */
const loginFiles = [
  'oauth_creds.json',
  'google_accounts.json',
  'gemini-credentials.json',
  'installation_id',
  '.env',
]
/** Where it keeps conversations; shared by all runs, so that a later one can continue them. */
const keptFolders = ['tmp', 'history']

export interface RunFilesRequest extends Omit<GeminiSettings, 'authType'> {
  readonly fixpointHome: string
  /** The root of the checkout. */
  readonly root: string
  /** The folder that holds a `.gemini` with a login of its own; the person's when null. */
  readonly configFolder: string | null
  readonly permissions: 'role' | 'bypass'
  readonly env: Readonly<Record<string, string>>
  readonly task: AgentTask
  readonly subagents: readonly SubAgent[]
}

interface GeminiRunFiles extends Pick<GeminiRun, 'home' | 'policyFile' | 'tmp'> {
  remove(): Promise<void>
}

/** Where the conversations of all runs are. */
export const conversationStore = (place: Parameters<typeof agentsFolder>[0]): string =>
  join(agentsFolder(place), 'gemini')

/** Makes the home of one run. The home of the person is only linked to, for the login. */
export async function makeRunFiles(request: RunFilesRequest): Promise<GeminiRunFiles> {
  const { fixpointHome, root, task, subagents, permissions } = request
  const store = conversationStore({ home: fixpointHome, root })
  const folder = runFilePath(fixpointHome, 'gemini')
  const config = join(folder, '.gemini')
  const files = {
    home: folder,
    tmp: join(folder, 'tmp'),
    policyFile: permissions === 'bypass' ? null : join(folder, 'policy.toml'),
    // What cannot be removed does not change how the run ended.
    remove: () => removeTree(folder).catch(() => undefined),
  }
  await mkdir(join(config, 'agents'), { recursive: true, mode: 0o700 })
  await mkdir(files.tmp, { mode: 0o700 })
  await pruneConversations(store, Date.now())
  for (const name of keptFolders) {
    const kept = join(store, name)
    await mkdir(kept, { recursive: true, mode: 0o700 })
    await symlink(kept, join(config, name))
  }
  for (const path of (await linkedFiles(request)) ?? []) await symlink(path, join(config, basename(path)))
  const authType = await readAuthType(request)
  const settings = geminiSettings({ ...request, authType })
  await writeFile(join(config, 'settings.json'), JSON.stringify(settings, null, 2), { mode: 0o600 })
  if (files.policyFile !== null) await writeFile(files.policyFile, geminiPolicy(task.access, subagents))
  for (const { file, text } of subagents.map(subAgentFile))
    await writeFile(join(config, 'agents', file), text)
  return files
}

type Owner = Pick<RunFilesRequest, 'configFolder' | 'env'>

const ownFolder = ({ configFolder, env }: Owner): string =>
  join(configFolder ?? env['GEMINI_CLI_HOME'] ?? env['HOME'] ?? '', '.gemini')

const readAuthType = async (owner: Owner): Promise<string | null> =>
  authTypeOf(await readJson(join(ownFolder(owner), 'settings.json')), owner.env)

/** What there is of the person's login; null where a key is used instead. */
export async function linkedFiles(owner: Owner): Promise<readonly string[] | null> {
  if ((await readAuthType(owner)) === 'gemini-api-key') return null
  const paths = loginFiles.map((name) => join(ownFolder(owner), name))
  const found = await Promise.all(paths.map((path) => stat(path).catch(() => null)))
  return paths.filter((_, index) => found[index])
}

/** The variables of the CLI's own file, which often holds a key. */
export async function readEnvFile(owner: Owner): Promise<Readonly<Record<string, string>>> {
  const text = await readFile(join(ownFolder(owner), '.env'), 'utf8').catch(() => '')
  const lines = text.matchAll(/^\s*(?:export\s+)?(\w+)\s*=\s*(?:"([^"\n]*)"|'([^'\n]*)'|([^#\n]*))/gm)
  return Object.fromEntries(
    [...lines].map(([, name = '', double, single, plain = '']) => [name, double ?? single ?? plain.trim()]),
  )
}

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'))
  } catch {
    return null // no settings, or none that can be read: the environment decides
  }
}
