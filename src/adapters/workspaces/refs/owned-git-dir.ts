import { randomUUID } from 'node:crypto'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Fault } from '../../../model/fault.ts'
import { hasCode, readIfThere, replaceFile } from '../objects/files.ts'
import { createGit, type Environment } from '../objects/git.ts'
import type { DiscoveredRepository } from '../objects/repository.ts'

/** Switches every conversion off, so that checkout and capture are exact to the byte, and no attribute hides a diff. */
const exactAttributes =
  '* -text -ident -filter !eol !crlf !working-tree-encoding !diff !merge !export-subst\n'

/** Makes Fixpoint's own git directory for a repository, or brings the existing one up to date. */
export async function makeOwnedGitDir(
  program: string,
  folder: string,
  found: DiscoveredRepository,
  env: Environment,
): Promise<string> {
  const gitDir = join(folder, 'git')
  try {
    await mkdir(folder, { recursive: true })
    if ((await readIfThere(join(gitDir, 'HEAD'))) === null) await build(program, gitDir, found, env)
    await refresh(gitDir, found)
  } catch (cause) {
    if (cause instanceof Fault || !hasCode(cause, 'EACCES', 'EPERM', 'EROFS', 'ENOTDIR')) throw cause
    throw new Fault('home_unusable', `Fixpoint cannot write to ${folder}`, {
      cause,
      hint: 'set FIXPOINT_HOME to a folder that you may write to',
    })
  }
  return gitDir
}

/** Built aside and renamed: of two processes that do it at once, one wins and both find a whole directory. */
async function build(
  program: string,
  gitDir: string,
  found: DiscoveredRepository,
  env: Environment,
): Promise<void> {
  const aside = `${gitDir}.${randomUUID()}`
  await mkdir(aside)
  const git = createGit(program, aside, env)
  await git.run(['init', '--quiet', '--bare', '--template=', `--object-format=${found.objectFormat}`])
  for (const [name, value] of ownedSettings) await git.run(['config', name, value])
  await mkdir(join(aside, 'info'), { recursive: true })
  await refresh(aside, found)
  try {
    await rename(aside, gitDir)
  } catch (error) {
    await rm(aside, { recursive: true, force: true })
    if (!hasCode(error, 'ENOTEMPTY', 'EEXIST')) throw error
  }
}

const ownedSettings = [
  ['gc.auto', '0'],
  ['core.protectHFS', 'true'],
  ['core.protectNTFS', 'true'],
  ['core.logAllRefUpdates', 'false'],
] as const

async function refresh(gitDir: string, found: DiscoveredRepository): Promise<void> {
  const ownExcludes = await readExcludes(join(found.commonDir, 'info', 'exclude'))
  const userExcludes = found.excludesFile === null ? Buffer.alloc(0) : await readExcludes(found.excludesFile)
  const excludes = Buffer.concat([userExcludes, Buffer.from('\n'), ownExcludes])
  await replaceFile(join(gitDir, 'objects', 'info', 'alternates'), alternatesOf(found.objectDirs))
  await replaceFile(join(gitDir, 'info', 'attributes'), exactAttributes)
  await replaceFile(join(gitDir, 'info', 'exclude'), excludes)
  await replaceFile(
    join(gitDir, 'shallow'),
    found.isShallow ? await readIfThere(join(found.commonDir, 'shallow')) : null,
  )
}

/** Like git, goes without a file that it may not read. */
async function readExcludes(path: string): Promise<Buffer> {
  try {
    return (await readIfThere(path)) ?? Buffer.alloc(0)
  } catch (error) {
    if (hasCode(error, 'EACCES', 'EISDIR')) return Buffer.alloc(0)
    throw error
  }
}

/** The content of an `info/alternates` file. */
export const alternatesOf = (objectDirs: readonly string[]): string =>
  objectDirs.map((folder) => `${/["\n#]/.test(folder) ? JSON.stringify(folder) : folder}\n`).join('')
