import { realpathSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { resolve, join } from 'node:path'
import type { Signature } from '../../../loop/ports.ts'
import { Fault } from '../../../model/fault.ts'
import { runGit, type GitResult } from '../../process/git-process.ts'
import { readNowIfThere } from '../objects/files.ts'
import { discoveryEnvironment, type Environment } from '../objects/git.ts'
import { bytesOfName } from '../objects/names.ts'
import type { DiscoveredRepository } from '../objects/repository.ts'

const MINIMUM = [2, 38] as const
const ANSWERS = [1, 128, 129]

/** Asks git, with the user's own configuration, where and what the repository around `cwd` is; runs nothing of it. */
export async function discoverRepository(
  program: string,
  cwd: string,
  env: Environment,
): Promise<DiscoveredRepository> {
  const ask = (...args: string[]) =>
    runGit({ program, args, cwd, env: discoveryEnvironment(env), answers: ANSWERS, maxBytes: 1024 * 1024 })
  const setting = async (...args: string[]): Promise<string | null> => {
    const { exitCode, stdout } = await ask('config', ...args)
    return exitCode === 0 ? lineOf(stdout) : null
  }
  const path = async (...args: string[]) =>
    realpath(lineOf((await ask('rev-parse', '--path-format=absolute', ...args)).stdout))

  await requireVersion(ask)
  await requireCheckout(ask, cwd)
  const root = await path('--show-toplevel')
  const objectFormat = lineOf((await ask('rev-parse', '--show-object-format')).stdout)
  const identity = await readIdentity(setting, env)
  return {
    root,
    gitDir: await path('--git-dir'),
    commonDir: await path('--git-common-dir'),
    objectDirs: readObjectDirs(await path('--git-path', 'objects')),
    objectFormat: objectFormat === 'sha256' ? 'sha256' : 'sha1',
    isShallow: lineOf((await ask('rev-parse', '--is-shallow-repository')).stdout) === 'true',
    isPartial:
      (await setting('--get', 'extensions.partialClone')) !== null ||
      (await setting('--get-regexp', '^remote\\..*\\.promisor$')) !== null,
    sharedRepository: await setting('--get', 'core.sharedRepository'),
    excludesFile: await findExcludesFile(setting, root, env),
    remoteUrl: remoteIn((await setting('--get-regexp', '^remote\\..*\\.url$')) ?? ''),
    ...identity,
  }
}

async function requireVersion(ask: (...args: string[]) => Promise<GitResult>): Promise<void> {
  const text = lineOf((await ask('version')).stdout)
  const [, major = 0, minor = 0] = (/(\d+)\.(\d+)/.exec(text) ?? []).map(Number)
  if (major > MINIMUM[0] || (major === MINIMUM[0] && minor >= MINIMUM[1])) return
  const message = `${text || 'this git'} is too old: Fixpoint needs git ${MINIMUM.join('.')} or newer`
  throw new Fault('repository_unsupported', message, {
    hint: 'install a newer git and make it the first on PATH',
  })
}

async function requireCheckout(ask: (...args: string[]) => Promise<GitResult>, cwd: string): Promise<void> {
  const { exitCode, stdout, stderr } = await ask('rev-parse', '--is-bare-repository', '--is-inside-work-tree')
  if (exitCode !== 0) throw discoveryFault(cwd, stderr)
  const [isBare, isInside] = stdout.toString('utf8').split('\n')
  if (isInside === 'true') return
  if (isBare === 'true') {
    const hint = 'clone it (git clone <this folder> <new folder>) and run Fixpoint in the clone'
    throw new Fault('repository_unsupported', `${cwd} is a bare repository, without a checkout`, { hint })
  }
  const hint = 'run Fixpoint in the checkout itself'
  throw new Fault('not_a_repository', `${cwd} lies inside a git directory, not in a checkout`, { hint })
}

function discoveryFault(cwd: string, stderr: string): Fault {
  const said = stderr.trim()
  if (/not a git repository/i.test(said) && !/gitfile|invalid/i.test(said)) {
    return new Fault('not_a_repository', `${cwd} is not in a git repository`, {
      hint: 'run it in a repository, or make one with git init and a first commit',
    })
  }
  if (/dubious ownership/i.test(said)) {
    const command = /git config --global --add safe\.directory .*/.exec(said)?.[0]
    return new Fault('repository_unsupported', `git does not trust the owner of ${cwd}`, {
      hint:
        command === undefined ? 'add it to safe.directory if you trust it' : `if you trust it: ${command}`,
      details: { stderr: said },
    })
  }
  return new Fault('repository_unsupported', `git cannot open the repository at ${cwd}: ${said}`, {
    details: { stderr: said },
  })
}

type ReadSetting = (...args: string[]) => Promise<string | null>

async function readIdentity(
  setting: ReadSetting,
  env: Environment,
): Promise<{ identity: Signature; notes: string[] }> {
  const name = env['GIT_AUTHOR_NAME'] || (await setting('--get', 'user.name'))
  const email = env['GIT_AUTHOR_EMAIL'] || (await setting('--get', 'user.email'))
  if (name && email) return { identity: { name, email }, notes: [] }
  const note = 'git has no user.name and user.email here: commits are made as Fixpoint <fixpoint@localhost>'
  return { identity: { name: 'Fixpoint', email: 'fixpoint@localhost' }, notes: [note] }
}

async function findExcludesFile(
  setting: ReadSetting,
  root: string,
  env: Environment,
): Promise<string | null> {
  const written = await setting('--type=path', '--get', 'core.excludesFile')
  if (written !== null && written !== '') return resolve(root, written)
  const home = env['XDG_CONFIG_HOME'] || (env['HOME'] ? resolve(env['HOME'], '.config') : null)
  return home === null ? null : resolve(home, 'git', 'ignore')
}

/** The address of `origin`, or of the only remote, in lines such as `remote.origin.url git@host:path`. */
function remoteIn(lines: string): string | null {
  const remotes = new Map<string, string>()
  for (const [, name = '', url = ''] of lines.matchAll(/^remote\.(.*)\.url (.+)$/gm))
    if (!remotes.has(name)) remotes.set(name, url)
  return remotes.get('origin') ?? (remotes.size === 1 ? ([...remotes.values()][0] ?? null) : null)
}

const lineOf = (output: Buffer): string => output.toString('utf8').replace(/\n$/, '')

/** The objects folder and, through its `info/alternates`, every folder it borrows from. */
export function readObjectDirs(own: string): readonly string[] {
  const found = [own]
  for (const folder of found) {
    const listed = readNowIfThere(join(folder, 'info', 'alternates'))?.toString('utf8') ?? ''
    const lines = listed.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
    for (const line of lines) {
      const borrowed = existing(resolve(folder, bytesOfName(line).toString('utf8')), folder)
      if (!found.includes(borrowed)) found.push(borrowed)
    }
  }
  return found
}

function existing(folder: string, borrower: string): string {
  try {
    return realpathSync(folder)
  } catch (cause) {
    throw new Fault(
      'repository_unsupported',
      `${borrower} borrows objects from ${folder}, which is not there`,
      {
        cause,
        hint: 'bring that folder back, or make a full clone',
      },
    )
  }
}
