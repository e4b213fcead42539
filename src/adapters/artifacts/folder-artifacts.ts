import {
  access,
  constants,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises'
import { dirname, join, normalize, relative } from 'node:path'
import { findDeadPaths, signedName } from '../process/run-mark.ts'
import type { Artifacts, ArtifactShelf } from '../../loop/ports.ts'
import { Fault, isDiskFull } from '../../model/fault.ts'

/** Unfinished files lie in one folder, so that the leftovers of a killed process are found without reading all artifacts. */
const unfinished = '.unfinished'

/** Deletes the files that dead processes had begun to write, and returns their names. */
export async function collectUnfinished(home: string): Promise<readonly string[]> {
  const paths = await findDeadPaths(join(home, 'artifacts', unfinished))
  await Promise.all(paths.map((path) => rm(path, { force: true })))
  return paths
}

/** Artifacts as files: `<folder>/<session>/<name>`, each written whole or not at all. */
export function createFolderArtifacts(folder: string): Artifacts & ArtifactShelf {
  const pathOf = (sessionId: string, name: string): string => {
    const path = normalize(join(folder, sessionId, name))
    if (!path.startsWith(join(folder, sessionId, '/')))
      throw new Fault('internal', `an artifact cannot be named "${name}"`)
    return path
  }
  const keep = async (sessionId: string, name: string, content: string | Uint8Array): Promise<void> => {
    const path = pathOf(sessionId, name)
    const part = join(folder, unfinished, `${signedName('artifact')}.part`)
    try {
      await mkdir(dirname(path), { recursive: true })
      await mkdir(dirname(part), { recursive: true })
      await writeFile(part, content)
      await rename(part, path)
    } catch (error) {
      await rm(part, { force: true })
      if (!isDiskFull(error)) throw error
      throw new Fault('disk_full', `${name} could not be kept in ${folder}: the disk is full`, {
        cause: error,
      })
    }
  }
  return {
    write: keep,
    put: keep,
    async list(sessionId) {
      const paths = await filesIn(join(folder, sessionId))
      return paths.map((path) => relative(join(folder, sessionId), path)).toSorted()
    },
    owners: async () => (await foldersIn(folder)).filter((name) => name !== unfinished),
    async bytes() {
      let sum = 0
      // One owner after the other, so that a home with many of them is never in memory at once.
      for (const owner of await foldersIn(folder)) sum += await bytesIn(join(folder, owner))
      return sum
    },
    remove: (owner) => rm(dirname(pathOf(owner, 'all')), { recursive: true, force: true }),
    async stream(sessionId, name) {
      const file = await open(pathOf(sessionId, name)).catch(nullIfMissing)
      return file && (file.readableWebStream({ autoClose: true }) as ReadableStream<Uint8Array>)
    },
    link: async () => null,
    reach: () => requireWritable(folder),
    read: async (sessionId, name) => readFile(pathOf(sessionId, name), 'utf8').catch(nullIfMissing),
  }
}

async function foldersIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(nullIfMissing)
  return (entries ?? []).filter((entry) => entry.isDirectory()).map(({ name }) => name)
}

/** The paths of all files below a folder. */
async function filesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(nullIfMissing)
  return (entries ?? []).filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
}

/** A file that is deleted meanwhile takes nothing. */
async function bytesIn(folder: string): Promise<number> {
  const files = await Promise.all((await filesIn(folder)).map((path) => stat(path).catch(nullIfMissing)))
  return files.reduce((sum, file) => sum + (file?.size ?? 0), 0)
}

async function requireWritable(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  await access(folder, constants.R_OK | constants.W_OK)
}

function nullIfMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null
  throw error
}
