import { realpath, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { readPlainFile } from '../../adapters/agents/program/plain-file.ts'
import type { Trees } from '../../loop/ports.ts'
import { Fault } from '../../model/fault.ts'
import type { TreeId } from '../../model/id.ts'
import { outside, type ScriptSource } from './script-line.ts'

/** A file that is padded beyond this would be too long for anybody to see what it runs. */
const mostBytes = 4 * 2 ** 20

export const checkoutSource = (root: string): ScriptSource => ({
  read: (path) => readOfCheckout(root, path),
  packages: async () => ['package.json'],
})

export const treeSource = (trees: Pick<Trees, 'readMany' | 'list'>, tree: TreeId): ScriptSource => ({
  read: async (path) => {
    const bytes = (await trees.readMany(tree, [path])).get(path)
    if (!bytes) return null
    requireShort(path, bytes.length)
    return new TextDecoder().decode(bytes)
  },
  packages: async () => [...(await trees.list(tree))].filter((path) => /(^|\/)package\.json$/.test(path)),
})

/** The text of a file, to which a link may lead; null when there is none, and for a pipe or a device, which could last for ever. */
export async function readOfCheckout(root: string, path: string): Promise<string | typeof outside | null> {
  try {
    const file = await realpath(join(root, path))
    if (!file.startsWith(`${await realpath(root)}${sep}`)) return outside
    requireShort(path, (await stat(file)).size)
    return (await readPlainFile(file))?.toString('utf8') ?? null
  } catch (error) {
    if (error instanceof Fault || !(error instanceof Error && 'code' in error)) throw error
    return null
  }
}

function requireShort(path: string, bytes: number): void {
  if (bytes <= mostBytes) return
  throw new Fault('repository_unsupported', `${path} is longer than ${mostBytes} bytes`, {
    hint: 'A command of this repository reads it, and nobody could see what it runs. Make it shorter, or change the command.',
  })
}
