import { createHash } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { AgentRequest, HostsGate, Jail, Room, Walls } from '../../../loop/ports.ts'
import { lendLogin } from './lent-login.ts'
import { neededFiles } from './login.ts'
import type { AgentCli } from './setup.ts'

/** What agents' own programs take for configuration when they find it in a repository: code to run, and orders to obey. */
const projectConfiguration: readonly string[] = [
  '.claude .claude.json .mcp.json CLAUDE.md CLAUDE.local.md .gemini GEMINI.md .codex AGENTS.md AGENTS.override.md',
  '.opencode opencode.json opencode.jsonc .cursor .cursorrules .aider.conf.yml .vscode .env.local',
].flatMap((names) => names.split(' '))

/** Where agents keep what a later run goes on with: each checkout has its own, so that no other one's agents read it. */
export const agentsFolder = ({ home, root }: Pick<Jailed, 'home' | 'root'>): string =>
  join(home, 'agents', createHash('sha256').update(root).digest('hex').slice(0, 16))

/** A folder of Fixpoint's own for what an agent keeps from one run to the next. */
export async function keptFolder(
  { jail, ...place }: Pick<Jailed, 'jail' | 'home' | 'root'>,
  name: string,
): Promise<string> {
  const folder = join(agentsFolder(place), name)
  if (jail.state.isThere) await mkdir(folder, { recursive: true, mode: 0o700 })
  return folder
}

export interface Jailed {
  readonly jail: Jail
  /** FIXPOINT_HOME. */
  readonly home: string
  /** The root of the checkout. */
  readonly root: string
  readonly allowedHosts: readonly string[]
}

/** A CLI as one run has it. */
interface LentCli extends Pick<AgentCli, 'hosts' | 'keys'> {
  /** The person's files that log it in; null where a key does: then nothing but the service of that key is reached. */
  readonly logins: readonly string[] | null
}

/** What one run of an agent has besides its workspace and its way to the model. */
interface AgentRoom extends Omit<Room, 'network'> {
  readonly clis: readonly LentCli[]
  readonly onUsage: HostsGate['onUsage']
  readonly onBusy?: HostsGate['onBusy']
  /** It may start what a repository configures, so it never sees such files, not even when a finding is about one. */
  readonly runsConfiguration?: boolean
}

/** Such files hold orders at worst, and nothing that is run. */
const isText = (file: string): boolean => /\.md$/i.test(file)

/** The walls around one run of an agent: its model is all that it reaches, and the repository does not configure it. */
export function agentWalls(
  { jail, home, allowedHosts }: Jailed,
  { task, onUpdate }: Pick<AgentRequest, 'task' | 'onUpdate'>,
  given: AgentRoom,
): Walls | null {
  const { clis, onUsage, onBusy, runsConfiguration: runs = false, ...room } = given
  const cited = task.issues.flatMap(({ file }) => file ?? [])
  const whole: Room = {
    ...room,
    // It must see the files that it was asked to change.
    unseen: { names: projectConfiguration, except: cited.filter((file) => !runs || isText(file)) },
    network: {
      hosts: clis.flatMap(({ hosts = [] }) => hosts),
      loginHosts: clis.flatMap(({ hosts = [], logins }) => (logins === null ? [] : hosts)),
      allowed: allowedHosts,
      keys: clis.flatMap(({ keys = [] }) => keys),
      onRefused: (host) => onUpdate({ type: 'refused_host', host }),
      onUsage,
      ...(onBusy && { onBusy }),
    },
  }
  const logins = clis.flatMap(({ logins: own }) => own ?? [])
  return withLogins({ jail, home }, logins, whole)
}

/** The walls with copies of the person's login files inside, which are taken back once everything in there has ended. */
function withLogins(
  { jail, home }: Pick<Jailed, 'jail' | 'home'>,
  logins: readonly string[],
  room: Room,
): Walls | null {
  if (jail.around(room) === null) return null
  return {
    async enclose(start) {
      const lent = await lendLogin(logins, home)
      try {
        const walls = jail.around({ ...room, writable: [...lent.folders, ...(room.writable ?? [])] })
        if (walls === null) throw new Error('the jail is gone')
        const enclosed = await walls.enclose(start)
        const release = async (): Promise<void> => {
          await enclosed.release()
          await lent.takeBack()
        }
        return { ...enclosed, release }
      } catch (error) {
        await lent.takeBack()
        throw error
      }
    },
  }
}

interface Program extends Jailed {
  readonly run: string
  readonly env: Readonly<Record<string, string>>
  readonly clis: readonly AgentCli[]
}

/** The walls around a program of the person's: it has the service and the login of each CLI that it starts or has a key for. */
export function programWalls(
  options: Program,
  request: Pick<AgentRequest, 'task' | 'onUpdate'>,
  { readable = [], ...heard }: Pick<AgentRoom, 'readable' | 'onUsage' | 'onBusy'>,
): Walls | null {
  const { run, env } = options
  const clis = options.clis.filter(
    ({ program, keys = [] }) =>
      new RegExp(`\\b${program}\\b`).test(run) || keys.some(({ variable }) => (env[variable] ?? '') !== ''),
  )
  const home = env['HOME'] ?? ''
  const lent = clis.map((cli) => ({
    ...cli,
    logins: neededFiles(cli.login, { env, home, folder: null }),
  }))
  return agentWalls(options, request, { clis: lent, readable, ...heard, runsConfiguration: true })
}
