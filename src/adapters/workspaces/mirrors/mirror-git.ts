import { runGit, type GitResult } from '../../process/git-process.ts'
import { Fault } from '../../../model/fault.ts'
import type { RepositoryUrl } from '../../../model/repository-url.ts'
import { createGit, discoveryEnvironment, findGit, type Environment } from '../objects/git.ts'

/** How git gets to one repository, for as long as it takes. */
export interface WayThere {
  /** The proxy that every connection over HTTP goes through; null for SSH. */
  readonly proxy: string | null
  /** The address that the host of an SSH connection has; null leaves it to ssh. */
  readonly sshAddress: string | null
  /** A token for exactly this repository; null where git's credential helpers are asked. */
  readonly token: string | null
  /** What git and its helpers may see of the environment. */
  readonly env: Readonly<Record<string, string>>
  /** The hosts that git wanted to reach and may not. */
  readonly refused: () => readonly string[]
}

export interface MirrorGit {
  /** Talks to the other side; nothing but its protocol, its host and its credentials is there. */
  there(args: readonly string[], stdin?: string): Promise<GitResult>
  /** The same without a word to anybody. */
  here(args: readonly string[], answers?: readonly number[]): Promise<string>
  /** Whether a commit has more files than that; it is not counted further. */
  hasMoreFiles(commit: string, most: number): Promise<boolean>
}

interface MirrorGitRequest {
  readonly gitDir: string
  readonly root: string
  readonly at: RepositoryUrl
  readonly env: Environment
  readonly way: WayThere
}

const timeoutMs = 30 * 60_000

/** Git on a mirror, whose configuration and hooks count for nothing. */
export async function createMirrorGit({ gitDir, root, at, env, way }: MirrorGitRequest): Promise<MirrorGit> {
  const program = findGit(env)
  const git = createGit({ program, gitDir, env })
  const settings = [
    ...settingsFor(at, way),
    ...(way.token === null ? await helpersFor(at, { program, env }) : []),
  ]
  const named = {
    ...way.env,
    GIT_ALLOW_PROTOCOL: at.protocol,
    GIT_NO_LAZY_FETCH: '0',
    GIT_SSH_COMMAND: sshCommand(at, way, way.env['GIT_SSH_COMMAND']),
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(
      settings.flatMap(([key, value], index) => [
        [`GIT_CONFIG_KEY_${index}`, key],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
  }
  return {
    async there(args, stdin = '') {
      // A clone makes its checkout itself.
      const tree: Record<string, string> = args[0] === 'clone' ? {} : { GIT_WORK_TREE: root }
      const call = git.call(args, { env: { ...named, ...tree }, stdin, timeoutMs, answers: [1, 128] })
      const result = await runGit({ ...call, cwd: root })
      if (result.exitCode !== 0) throw fetchFault(result.stderr, at, way.refused())
      return result
    },
    here: (args, answers = []) => git.text(args, { env: { GIT_WORK_TREE: root }, answers }),
    async hasMoreFiles(commit, most) {
      const list = ['ls-tree', '-r', '-z', '--format=.', commit]
      return (await git.run(list, { maxBytes: 2 * most, overflow: 'cut', timeoutMs })).isCut
    },
  }
}

type Setting = readonly [key: string, value: string]

/** The token is a header that git reads from its environment: never an argument, a file or an address. */
function settingsFor({ url, protocol }: RepositoryUrl, { proxy, token }: WayThere): readonly Setting[] {
  if (protocol === 'ssh') return []
  const basic = token === null ? null : Buffer.from(`x-access-token:${token}`).toString('base64')
  return [
    ['http.proxy', proxy ?? ''],
    ['http.followRedirects', 'initial'],
    ['credential.interactive', 'false'],
    ...(basic === null
      ? []
      : [[`http.${new URL(url).origin}/.extraHeader`, `Authorization: Basic ${basic}`] as const]),
  ]
}

/** What the operator's own configuration says about credentials for this address, and nothing else of it. */
async function helpersFor(
  { url, protocol }: RepositoryUrl,
  { program, env }: { readonly program: string; readonly env: Environment },
): Promise<readonly Setting[]> {
  if (protocol === 'ssh') return []
  const listed = await runGit({
    program,
    args: ['config', '--null', '--get-urlmatch', 'credential', url],
    cwd: '/',
    env: discoveryEnvironment(env),
    answers: [1, 128, 129],
  })
  if (listed.exitCode !== 0) return []
  return listed.stdout
    .toString('utf8')
    .split('\0')
    .filter((entry) => /^credential\.(helper|username|usehttppath)\n/.test(entry))
    .map((entry) => {
      const end = entry.indexOf('\n')
      return [entry.slice(0, end), entry.slice(end + 1)]
    })
}

/** Connects to the very address that was judged, and still knows the host by its name. */
export function sshCommand(
  { host }: Pick<RepositoryUrl, 'host'>,
  { sshAddress }: Pick<WayThere, 'sshAddress'>,
  own = 'ssh',
): string {
  const pinned = sshAddress === null ? '' : ` -o HostName=${sshAddress} -o HostKeyAlias=${host}`
  return `${own} -o BatchMode=yes${pinned}`
}

/** The reason why git could not fetch; its words are English, because it runs in the C locale. */
function fetchFault(stderr: string, { url }: RepositoryUrl, refused: readonly string[]): Fault {
  const said = stderr.trim().split('\n').at(-1)?.slice(0, 300) ?? ''
  const details = { url }
  if (refused.length > 0)
    return new Fault(
      'forge_refused',
      `${url} leads to where nothing may be fetched from: ${refused.join(', ')}`,
      {
        details,
        hint: 'Private addresses and other hosts are reached only where server.allow_hosts names them.',
      },
    )
  if (/error: 403/i.test(stderr))
    return new Fault('forge_refused', `${url} refuses these credentials: ${said}`, { details })
  if (/Authentication failed|could not read (Username|Password)|Permission denied|error: 401/i.test(stderr))
    return new Fault('forge_auth', `${url} lets nobody in without credentials: ${said}`, {
      details,
      hint: 'Install the GitHub App in it (github.app), or set up a credential helper of git for this user.',
    })
  if (/not found|does not (?:exist|appear to be a git repository)/i.test(stderr))
    return new Fault('forge_missing', `there is no repository at ${url}: ${said}`, { details })
  if (/No space left on device|Disk quota exceeded/i.test(stderr))
    return new Fault('disk_full', `the disk is full: ${url} was not fetched`, { details })
  return new Fault('forge_busy', `${url} could not be fetched: ${said}`, { details })
}
