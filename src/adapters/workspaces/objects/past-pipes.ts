import { constants } from 'node:fs'
import { open, readdir, unlink } from 'node:fs/promises'
import { hasCode } from './files.ts'

/** What git opens wherever it stands in a tree, whatever it is: it would wait without end for somebody to write into a pipe. */
const readByGit = new Set(['.gitignore', '.gitattributes', '.gitmodules'])

/** An honest answer is there sooner; only a later one is worth a walk through the tree. */
const PAUSE_MS = 2_000

interface PipeTree {
  readonly tree: string
  /** A pipe of the person's is left where it is. */
  readonly of: 'ours' | 'person'
}

/** The answer of a git command that reads a tree which others have written, also where pipes stand in it. */
export async function pastPipes<Answer>(place: PipeTree, asked: Promise<Answer>): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined
  let isAnswered = false
  const look = (): void => {
    if (isAnswered) return
    timer = setTimeout(() => void endPipes(Buffer.from(place.tree), place.of).finally(look), PAUSE_MS)
  }
  look()
  try {
    return await asked
  } finally {
    isAnswered = true
    clearTimeout(timer)
  }
}

/** Whoever waits for one of these pipes reads its end. */
async function endPipes(folder: Buffer, of: PipeTree['of']): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true, encoding: 'buffer' }).catch(noneOfCode)
  for (const entry of entries) {
    const path = Buffer.concat([folder, Buffer.from('/'), entry.name])
    if (entry.isDirectory()) await endPipes(path, of)
    else if (entry.isFIFO() && readByGit.has(entry.name.toString('latin1').toLowerCase())) {
      const { O_RDWR, O_NONBLOCK, O_NOFOLLOW } = constants
      const pipe = await open(path, O_RDWR | O_NONBLOCK | O_NOFOLLOW).catch(noneOfCode)
      if (of === 'ours') await unlink(path).catch(noneOfCode)
      if (pipe && 'close' in pipe) await pipe.close()
    }
  }
}

/** What cannot be read cannot be waited for either. */
function noneOfCode(error: unknown): [] {
  if (hasCode(error, 'ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ENAMETOOLONG', 'ENXIO')) return []
  throw error
}
