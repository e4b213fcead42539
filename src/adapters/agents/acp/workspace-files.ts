import { constants } from 'node:fs'
import { mkdir, open, realpath, stat, type FileHandle, lstat } from 'node:fs/promises'
import { dirname, basename, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { RequestError } from '@agentclientprotocol/sdk'
import type { Access } from '../../../model/agent/agent.ts'

interface ReadRequest {
  readonly path: string
  readonly line?: number | null | undefined
  readonly limit?: number | null | undefined
}

const largestFile = 16 * 1024 * 1024
const { O_RDONLY, O_WRONLY, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants

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
      await mkdir(dirname(target), { recursive: true })
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

/** Opens a regular file and makes sure that what was opened is what was meant, whatever was swapped meanwhile. */
async function openInside(workspace: string, target: string, flags: number): Promise<FileHandle | null> {
  const file = await open(target, flags | O_NOFOLLOW | O_NONBLOCK).catch(() => null)
  if (file === null) return null
  const opened = await file.stat()
  const there = await realpath(target).catch(() => null)
  const found = there === null ? null : await stat(there).catch(() => null)
  const isMeant = found?.dev === opened.dev && found.ino === opened.ino
  const root = await realpath(workspace)
  if (opened.isFile() && opened.size <= largestFile && isMeant && there !== null && isInside(root, there))
    return file
  await file.close()
  return null
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
