import { realpath } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Signature } from '../../../loop/ports.ts'
import { Fault } from '../../../model/fault.ts'
import { runGit, type GitResult } from '../../process/git-process.ts'
import { discoveryEnvironment, type Environment } from '../objects/git.ts'
import type { DiscoveredRepository } from '../objects/repository.ts'
import { readObjectDirs, requireObjects } from './object-dirs.ts'

const MINIMUM = [2, 38] as const
const ANSWERS = [1, 128, 129]

/** Asks git, with the user's own configuration, where and what the repository around `cwd` is; runs nothing of it. */
export async function discoverRepository(
  program: string,
  cwd: string,
  env: Environment,
): Promise<DiscoveredRepository> {
  const ask: Ask = (...args) =>
    runGit({ program, args, cwd, env: discoveryEnvironment(env), answers: ANSWERS, maxBytes: 1024 * 1024 })
  const [version, place, listed] = await Promise.all([
    ask('version'),
    ask(...placeQuestion),
    ask('config', '--list', '-z'),
  ])
  requireVersion(lineOf(version.stdout))
  requireCheckout(place, cwd)
  const entries = readSettings(listed.stdout)
  const settings = new Map(entries)
  const [objectFormat, isShallow, ...paths] = await placeAnswers(place, ask)
  const [gitDir = '', commonDir = '', objects = '', root = ''] = await Promise.all(
    paths.map((path) => realpath(path)),
  )
  if (dirname(objects) !== commonDir) requireObjects(objects, commonDir)
  return {
    root,
    gitDir,
    commonDir,
    objectDirs: readObjectDirs(objects),
    objectFormat: objectFormat === 'sha256' ? 'sha256' : 'sha1',
    isShallow: isShallow === 'true',
    isPartial:
      settings.has('extensions.partialclone') ||
      [...settings.keys()].some((key) => /^remote\..*\.promisor$/s.test(key)),
    sharedRepository: settings.get('core.sharedrepository') ?? null,
    excludesFile: await findExcludesFile(settings.get('core.excludesfile'), { root, env, ask }),
    remoteUrl: remoteIn(entries),
    ...readIdentity(settings, env),
  }
}

type Ask = (...args: string[]) => Promise<GitResult>

const states = ['--is-bare-repository', '--is-inside-work-tree']
const facts = [['--show-object-format'], ['--is-shallow-repository']]
const absolute = '--path-format=absolute'
/** The root comes last: a bare repository has none, and says everything else. */
const paths = [['--git-dir'], ['--git-common-dir'], ['--git-path', 'objects'], ['--show-toplevel']]
const placeQuestion = ['rev-parse', ...states, ...facts.flat(), absolute, ...paths.flat()]

/** What git says of facts and paths, a line each; one by one where a path itself has a line end. */
async function placeAnswers({ stdout }: GitResult, ask: Ask): Promise<readonly string[]> {
  const lines = lineOf(stdout).split('\n').slice(states.length)
  if (lines.length === facts.length + paths.length) return lines
  const answers = [...facts, ...paths].map(async (one) =>
    lineOf((await ask('rev-parse', absolute, ...one)).stdout),
  )
  return Promise.all(answers)
}

type Setting = readonly [key: string, value: string]

/** Every setting in git's order, the one that counts last; one that is only named is true. */
const readSettings = (listed: Buffer): readonly Setting[] =>
  listed
    .toString('utf8')
    .split('\0')
    .filter(Boolean)
    .map((entry) => {
      const end = entry.indexOf('\n')
      return end === -1 ? [entry, 'true'] : [entry.slice(0, end), entry.slice(end + 1)]
    })

function requireVersion(text: string): void {
  const [, major = 0, minor = 0] = (/(\d+)\.(\d+)/.exec(text) ?? []).map(Number)
  if (major > MINIMUM[0] || (major === MINIMUM[0] && minor >= MINIMUM[1])) return
  const message = `${text || 'this git'} is too old: Fixpoint needs git ${MINIMUM.join('.')} or newer`
  throw new Fault('repository_unsupported', message, {
    hint: 'install a newer git and make it the first on PATH',
  })
}

function requireCheckout({ stdout, stderr }: GitResult, cwd: string): void {
  const [isBare, isInside] = stdout.toString('utf8').split('\n')
  if (isInside === undefined) throw discoveryFault(cwd, stderr)
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

function readIdentity(
  settings: ReadonlyMap<string, string>,
  env: Environment,
): { identity: Signature; notes: string[] } {
  const name = env['GIT_AUTHOR_NAME'] || settings.get('user.name')
  const email = env['GIT_AUTHOR_EMAIL'] || settings.get('user.email')
  if (name && email) return { identity: { name, email }, notes: [] }
  const note = 'git has no user.name and user.email here: commits are made as Fixpoint <fixpoint@localhost>'
  return { identity: { name: 'Fixpoint', email: 'fixpoint@localhost' }, notes: [note] }
}

async function findExcludesFile(
  written: string | undefined,
  { root, env, ask }: { readonly root: string; readonly env: Environment; readonly ask: Ask },
): Promise<string | null> {
  // Git knows the homes that `~` and `%(prefix)` stand for.
  const path = /^[~%]/.test(written ?? '')
    ? lineOf((await ask('config', '--type=path', '--get', 'core.excludesFile')).stdout)
    : written
  if (path) return resolve(root, path)
  const home = env['XDG_CONFIG_HOME'] || (env['HOME'] ? resolve(env['HOME'], '.config') : null)
  return home === null ? null : resolve(home, 'git', 'ignore')
}

/** The address of `origin`, or of the only remote; of several addresses git fetches from the first. */
function remoteIn(settings: readonly Setting[]): string | null {
  const remotes = new Map<string, string>()
  for (const [key, url] of settings) {
    const name = /^remote\.(.*)\.url$/s.exec(key)?.[1]
    if (name !== undefined && !remotes.has(name)) remotes.set(name, url)
  }
  return remotes.get('origin') ?? (remotes.size === 1 ? ([...remotes.values()][0] ?? null) : null)
}

const lineOf = (output: Buffer): string => output.toString('utf8').replace(/\n$/, '')
