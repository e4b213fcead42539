import { constants } from 'node:fs'
import { mkdir, open, realpath, type FileHandle, lstat } from 'node:fs/promises'
import { dirname, basename, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { RequestError } from '@agentclientprotocol/sdk'
import type { Access } from '../../../model/agent/agent.ts'

interface ReadRequest {
  readonly path: string
  readonly line?: number | null | undefined
  readonly limit?: number | null | undefined
}

const largestFile = 16 * 1024 * 1024
const { O_RDONLY, O_WRONLY, O_CREAT, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants

/** The files that an agent may read and write through us: those of its workspace. */
export function workspaceFiles(workspace: string, access: Access) {
  return {
    async read({ path, line, limit }: ReadRequest): Promise<string> {
      const target = await resolveInside(workspace, path)
      if (target === null) throw refusal(path, 'it is outside of the workspace')
      const file = await openInside(workspace, target, O_RDONLY)
      if (file === null) throw RequestError.resourceNotFound(path)
      try {
        return linesOf(await file.readFile('utf8'), line ?? 1, limit ?? null)
      } finally {
        await file.close()
      }
    },

    async write(path: string, content: string): Promise<void> {
      if (access !== 'write') throw refusal(path, 'this role only reads')
      const target = await resolveInside(workspace, path)
      if (target === null) throw refusal(path, 'it is outside of the workspace')
      const file = await openInside(workspace, target, O_WRONLY | O_CREAT)
      if (file === null) throw refusal(path, 'it is not a file')
      try {
        await file.truncate()
        await file.writeFile(content)
      } finally {
        await file.close()
      }
    },
  }
}

const refusal = (path: string, why: string): RequestError =>
  RequestError.invalidParams({ path }, `${path} cannot be used: ${why}`)

/** Opens a regular file of the workspace; null when it is none, or when a folder on the way was swapped meanwhile. */
async function openInside(workspace: string, target: string, flags: number): Promise<FileHandle | null> {
  const root = await realpath(workspace)
  const names = relative(root, target).split(sep)
  const folder = await openFolder(root, names.slice(0, -1), { makes: (flags & O_CREAT) !== 0 })
  if (folder === null) return null
  try {
    const path = below(folder, names.at(-1) ?? '')
    const file = await open(path, flags | O_NOFOLLOW | O_NONBLOCK).catch(() => null)
    const found = await file?.stat()
    if (file !== null && found?.isFile() && found.size <= largestFile) return file
    await file?.close()
    return null
  } finally {
    await folder.handle.close()
  }
}

interface OpenFolder {
  readonly handle: FileHandle
  readonly path: string
}

/** A name in the very folder that is open, wherever its path leads by now; where the system has no such way, its path. */
const below = ({ handle, path }: OpenFolder, name: string): string =>
  process.platform === 'linux' ? `/proc/self/fd/${handle.fd}/${name}` : join(path, name)

/** Goes down from the workspace folder by folder, through no link, so that nobody can lead the way elsewhere. */
async function openFolder(
  root: string,
  names: readonly string[],
  { makes }: { readonly makes: boolean },
): Promise<OpenFolder | null> {
  let current: OpenFolder = { handle: await open(root, O_RDONLY | O_DIRECTORY), path: root }
  for (const name of names) {
    const next = below(current, name)
    if (makes) await mkdir(next).catch(() => undefined) // it is there already, or opening it says what is wrong
    const handle = await open(next, O_RDONLY | O_DIRECTORY | O_NOFOLLOW).catch(() => null)
    await current.handle.close()
    if (handle === null) return null
    current = { handle, path: join(current.path, name) }
  }
  return current
}

function linesOf(text: string, first: number, limit: number | null): string {
  if (first <= 1 && limit === null) return text
  const lines = text.split(/(?<=\n)/)
  return lines.slice(first - 1, limit === null ? undefined : first - 1 + limit).join('')
}

/** Where a path of an agent leads to in the end, or null when that is not a place in the workspace that it may use. */
export async function resolveInside(workspace: string, path: string): Promise<string | null> {
  if (path.includes('\0')) return null
  const root = await realpath(workspace)
  const target = await followLinks(resolve(root, path))
  return target !== null && isInside(root, target) ? target : null
}

/** In the workspace, and not in what git keeps there. */
function isInside(root: string, target: string): boolean {
  const inside = relative(root, target)
  if (inside === '' || isAbsolute(inside)) return false
  const parts = inside.split(sep)
  return parts[0] !== '..' && !parts.some((part) => part.toLowerCase() === '.git')
}

/** The real path, also of something that is yet to be made; null when a link leads nowhere or in circles. */
async function followLinks(path: string): Promise<string | null> {
  try {
    return await realpath(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return null
  }
  // It is a link that leads nowhere: what it names could be made outside of the workspace.
  if (await lstat(path).catch(() => null)) return null
  const parent = dirname(path) === path ? null : await followLinks(dirname(path))
  return parent === null ? null : join(parent, basename(path))
}
