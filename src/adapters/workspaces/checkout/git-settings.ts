import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { hasCode, namesIn, readIfThere } from '../git/files.ts'
import type { GitRepository } from '../repository/open-repository.ts'

/** Files of the git directory that decide which programs git starts and where it finds objects. */
const FILES = ['config', 'config.worktree', 'info/attributes', 'info/grafts', 'objects/info/alternates']

/** A mark of each of those files and of every hook, by their path in the git directory. */
export async function readGitSettings({ gitDir, commonDir }: GitRepository): Promise<Map<string, string>> {
  const marks = new Map<string, string>()
  for (const folder of new Set([commonDir, gitDir])) {
    const hooks = (await listHooks(join(folder, 'hooks'))).map((name) => `hooks/${name}`)
    for (const name of [...FILES, ...hooks]) {
      const content = await readSetting(join(folder, name))
      if (content !== null) marks.set(join(folder, name), markOf(name, content))
    }
  }
  return marks
}

async function listHooks(folder: string): Promise<readonly string[]> {
  try {
    return await namesIn(folder)
  } catch (error) {
    if (hasCode(error, 'ENOTDIR', 'EACCES')) return []
    throw error
  }
}

async function readSetting(path: string): Promise<Buffer | null> {
  try {
    return await readIfThere(path)
  } catch (error) {
    // A folder among the hooks, or a file that may not be read.
    if (hasCode(error, 'EISDIR', 'EACCES')) return Buffer.alloc(0)
    throw error
  }
}

function markOf(name: string, content: Buffer): string {
  const text = name.startsWith('config') ? withoutBranches(content.toString('latin1')) : content
  return createHash('sha256').update(text).digest('hex')
}

/** What `git push -u` and `git switch -c` write for a person: it names branches, and starts nothing. */
function withoutBranches(config: string): string {
  let isBranch = false
  const lines = config.split('\n').filter((line) => {
    if (/^\s*\[/.test(line)) isBranch = /^\s*\[branch\b/i.test(line)
    return !isBranch && line.trim() !== ''
  })
  return lines.join('\n')
}
