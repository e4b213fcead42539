import type { Dirent } from 'node:fs'
import { lstat, readdir, open } from 'node:fs/promises'
import { join } from 'node:path'

/** A look at the files of a checkout, taken once and bounded; links are not followed. */
export interface CheckoutFiles {
  /** Files that are neither hidden nor in folders of dependencies and output, relative, `/` between parts. */
  readonly files: readonly string[]
  /** The files of `.github/workflows`: what a project's own CI runs. */
  readonly workflows: readonly string[]
  /** A small text file, or null when it is not there, not regular, too large or not text. */
  readonly read: (path: string) => Promise<string | null>
  /** Whether a folder exists, hidden and ignored ones included. */
  readonly hasFolder: (path: string) => Promise<boolean>
  readonly hasFile: (path: string) => Promise<boolean>
}

const skipped = new Set([
  'node_modules',
  'vendor',
  'dist',
  'build',
  'out',
  'target',
  'coverage',
  'venv',
  '__pycache__',
])
const workflowFolder = '.github/workflows'
const maxWorkflows = 20
const maxFiles = 5_000
/** Sources of Java stand eight folders deep. */
const maxDepth = 20
const maxBytes = 1_000_000

/** Lists the checkout's files and makes its small files readable. */
export async function readCheckout(root: string): Promise<CheckoutFiles> {
  const kindOf = async (path: string): Promise<'file' | 'folder' | null> => {
    try {
      const found = await lstat(join(root, path))
      return found.isFile() ? 'file' : found.isDirectory() ? 'folder' : null
    } catch (error) {
      if (isFileError(error)) return null
      throw error
    }
  }
  return {
    files: await listFiles(root),
    workflows: (await entriesOf(join(root, workflowFolder)))
      .filter((entry) => entry.isFile() && /\.ya?ml$/.test(entry.name))
      .slice(0, maxWorkflows)
      .map(({ name }) => `${workflowFolder}/${name}`),
    read: async (path) => ((await kindOf(path)) === 'file' ? readSmall(join(root, path)) : null),
    hasFolder: async (path) => (await kindOf(path)) === 'folder',
    hasFile: async (path) => (await kindOf(path)) === 'file',
  }
}

/** Folder by folder, nearest to the root first, so that a cut loses what is deep. */
async function listFiles(root: string): Promise<readonly string[]> {
  const files: string[] = []
  let folders = ['']
  for (let depth = 0; depth < maxDepth && folders.length > 0; depth += 1) {
    const next: string[] = []
    for (const folder of folders) {
      for (const entry of await entriesOf(join(root, folder))) {
        if (entry.name.startsWith('.') || skipped.has(entry.name)) continue
        const path = folder === '' ? entry.name : `${folder}/${entry.name}`
        if (entry.isDirectory()) next.push(path)
        else if (entry.isFile() && files.push(path) >= maxFiles) return files
      }
    }
    folders = next
  }
  return files
}

async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true })
    return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  } catch (error) {
    if (isFileError(error)) return []
    throw error
  }
}

async function readSmall(path: string): Promise<string | null> {
  try {
    const bytes = await readStart(path, maxBytes + 1)
    return bytes.length > maxBytes ? null : new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    if (isFileError(error)) return null
    throw error
  }
}

const isFileError = (error: unknown): boolean => error instanceof Error && 'code' in error

/** A path of a folder in the checkout; the root is the empty text. */
export const inFolder = (folder: string, name: string): string => (folder === '' ? name : `${folder}/${name}`)

/** A file's path seen from a folder; null when it is not in there. */
export const pathFrom = (folder: string, file: string): string | null =>
  folder === '' ? file : file.startsWith(`${folder}/`) ? file.slice(folder.length + 1) : null

/** Whether a .gitignore of the folder, or one above it, names this folder plainly; patterns are not worked out. */
export async function isIgnored(checkout: CheckoutFiles, folder: string, name: string): Promise<boolean> {
  const parts = folder === '' ? [] : folder.split('/')
  for (let depth = parts.length; depth >= 0; depth -= 1) {
    const at = parts.slice(0, depth).join('/')
    const text = await checkout.read(inFolder(at, '.gitignore'))
    const below = inFolder(parts.slice(depth).join('/'), name)
    if (text?.split(/\r?\n/).some((line) => names(line.trim(), name, below))) return true
  }
  return false
}

function names(line: string, name: string, below: string): boolean {
  const plain = line.replace(/\/(\*+)?$/, '').replace(/^(\*\*\/)+/, '')
  return plain === name || plain.replace(/^\//, '') === below
}

/** The first bytes of a file, so that one which grows or never ends is no danger. */
export async function readStart(path: string, mostBytes: number): Promise<Uint8Array> {
  const file = await open(path)
  try {
    const buffer = Buffer.alloc(mostBytes)
    let length = 0
    while (length < mostBytes) {
      const { bytesRead } = await file.read(buffer, length, mostBytes - length)
      if (bytesRead === 0) break
      length += bytesRead
    }
    return buffer.subarray(0, length)
  } finally {
    await file.close()
  }
}
