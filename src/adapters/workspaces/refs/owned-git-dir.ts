import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Fault } from '../../../model/fault.ts'
import { hasCode, readIfThere, readNowIfThere } from '../objects/files.ts'
import { createGit, type Environment, type Git } from '../objects/git.ts'
import type { DiscoveredRepository } from '../objects/repository.ts'
import { readObjectDirs } from './object-dirs.ts'
import { guardGitDir, putBack, type GitSettings } from './guard-git-dir.ts'

/** Switches every conversion off, so that checkout and capture are exact to the byte, and no attribute hides a diff. */
const exactAttributes =
  '* -text -ident -filter !eol !crlf !working-tree-encoding !diff !merge !export-subst\n'

/** Files that git would read or run if they were there; Fixpoint makes none of them. */
const FORBIDDEN = ['hooks', 'config.worktree', 'commondir', 'info/grafts', 'info/sparse-checkout']

interface BuiltFrom {
  readonly program: string
  readonly found: DiscoveredRepository
  readonly env: Environment
}

interface OwnedGitDirRequest extends BuiltFrom {
  /** The repository's folder under FIXPOINT_HOME. */
  readonly folder: string
}

interface OwnedGitDir {
  readonly owned: Git
  /** Settings that somebody else had changed since the last time, and that are as they should be now. */
  readonly restored: readonly string[]
}

/** Makes Fixpoint's own git directory for a repository, or brings the existing one up to date, and guards it from then on. */
export async function openOwnedGitDir({ folder, ...from }: OwnedGitDirRequest): Promise<OwnedGitDir> {
  const gitDir = join(folder, 'git')
  const { program, found, env } = from
  try {
    await mkdir(folder, { recursive: true })
    if ((await readIfThere(join(gitDir, 'HEAD'))) === null) await build(gitDir, from)
    const isConfigPlain = isPlainConfig((await readIfThere(join(gitDir, 'config')))?.toString('utf8') ?? '')
    if (!isConfigPlain) await remakeConfig(gitDir, from)
    const config = await readFile(join(gitDir, 'config'))
    const readSettings = (): GitSettings => settingsOf(found, config)
    const putAway = putBack(gitDir, readSettings()).filter((name) => FORBIDDEN.includes(name))
    const owned = createGit({ program, gitDir, env, guard: guardGitDir(gitDir, readSettings) })
    return { owned, restored: [...(isConfigPlain ? [] : ['config']), ...putAway] }
  } catch (cause) {
    if (cause instanceof Fault || !hasCode(cause, 'EACCES', 'EPERM', 'EROFS', 'ENOTDIR')) throw cause
    throw new Fault('home_unusable', `Fixpoint cannot write to ${folder}`, {
      cause,
      hint: 'set FIXPOINT_HOME to a folder that you may write to',
    })
  }
}

/** Built aside and renamed: of two processes that do it at once, one wins and both find a whole directory. */
async function build(gitDir: string, from: BuiltFrom): Promise<void> {
  const aside = await buildAside(gitDir, from)
  try {
    await rename(aside, gitDir)
  } catch (error) {
    await rm(aside, { recursive: true, force: true })
    if (!hasCode(error, 'ENOTEMPTY', 'EEXIST')) throw error
  }
}

async function buildAside(gitDir: string, { program, found, env }: BuiltFrom): Promise<string> {
  const aside = `${gitDir}.${randomUUID()}`
  await mkdir(aside)
  const git = createGit({ program, gitDir: aside, env })
  await git.run(['init', '--quiet', '--bare', '--template=', `--object-format=${found.objectFormat}`])
  for (const [name, value] of ownedSettings) await git.run(['config', name, value])
  await mkdir(join(aside, 'info'), { recursive: true })
  putBack(aside, settingsOf(found, await readFile(join(aside, 'config'))))
  return aside
}

/** Replaces the configuration by a new one, for which git looks at the file system again. */
async function remakeConfig(gitDir: string, from: BuiltFrom): Promise<void> {
  const aside = await buildAside(gitDir, from)
  await rm(join(gitDir, 'config'), { recursive: true, force: true })
  await rename(join(aside, 'config'), join(gitDir, 'config'))
  await rm(aside, { recursive: true, force: true })
}

const ownedSettings = [
  ['gc.auto', '0'],
  ['core.protectHFS', 'true'],
  ['core.protectNTFS', 'true'],
  ['core.logAllRefUpdates', 'false'],
] as const

const PLAIN_SECTION = /^\[(core|gc|extensions)\]$/
const PLAIN_SETTING =
  /^\t(repositoryformatversion|filemode|bare|ignorecase|precomposeunicode|symlinks|protectHFS|protectNTFS|logAllRefUpdates|auto|objectformat|refstorage) = \w+$/

/** Whether a configuration says only what `git init` and Fixpoint itself write. */
const isPlainConfig = (text: string): boolean =>
  text !== '' &&
  text.split('\n').every((line) => line === '' || PLAIN_SECTION.test(line) || PLAIN_SETTING.test(line))

/** Read anew each time: the user may change what git ignores, and another process of Fixpoint takes it over. */
function settingsOf(
  { commonDir, excludesFile, objectDirs }: DiscoveredRepository,
  config: Buffer,
): GitSettings {
  const ownExcludes = readExcludes(join(commonDir, 'info', 'exclude'))
  const userExcludes = excludesFile === null ? Buffer.alloc(0) : readExcludes(excludesFile)
  return new Map<string, Buffer | null>([
    ...FORBIDDEN.map((name) => [name, null] as const),
    ['config', config],
    ['objects/info/alternates', Buffer.from(alternatesOf(readObjectDirs(objectDirs[0] ?? '')))],
    ['info/attributes', Buffer.from(exactAttributes)],
    ['info/exclude', Buffer.concat([userExcludes, Buffer.from('\n'), ownExcludes])],
    ['shallow', readNowIfThere(join(commonDir, 'shallow'))],
  ])
}

/** Like git, goes without a file that it may not read. */
function readExcludes(path: string): Buffer {
  try {
    return readNowIfThere(path) ?? Buffer.alloc(0)
  } catch (error) {
    if (hasCode(error, 'EACCES', 'EISDIR')) return Buffer.alloc(0)
    throw error
  }
}

/** The content of an `info/alternates` file. */
export const alternatesOf = (objectDirs: readonly string[]): string =>
  objectDirs.map((folder) => `${/["\n#]/.test(folder) ? JSON.stringify(folder) : folder}\n`).join('')
