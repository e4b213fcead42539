import { readdir, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isRecord } from '../../../model/json-text.ts'
import { removeTree } from '../../process/leftovers/remove-tree.ts'
import { readPart } from '../program/plain-file.ts'
import type { GeminiConversation } from './command.ts'

interface ConversationRequest {
  /** The folder that all runs keep their conversations in. */
  readonly store: string
  readonly id: string
  readonly fork: boolean
  readonly workspace: string
}

/** How to continue a conversation, or null when it is not known. The CLI itself only finds those of the same folder. */
export async function findConversation(request: ConversationRequest): Promise<GeminiConversation | null> {
  const { store, id, fork, workspace } = request
  for (const project of await foldersIn(join(store, 'tmp'))) {
    const file = await conversationFile(join(project, 'chats'), id)
    if (file === null) continue
    const isHere = (await textOf(join(project, '.project_root'))) === (await realpath(workspace))
    return fork || !isHere ? { copyOf: file } : { resume: id }
  }
  return null
}

/** The file of a conversation, wherever it was held; null when it is not known. */
export async function findConversationFile(store: string, id: string): Promise<string | null> {
  for (const project of await foldersIn(join(store, 'tmp'))) {
    const file = await conversationFile(join(project, 'chats'), id)
    if (file !== null) return file
  }
  return null
}

/**
 * Whenever it continues a conversation, the CLI also begins a second file of the same id; the whole conversation is the
 * longest.
 */
async function conversationFile(chats: string, id: string): Promise<string | null> {
  const found: { file: string; size: number }[] = []
  for (const name of await namesIn(chats)) {
    const file = join(chats, name)
    if (name.endsWith(`-${id.slice(0, 8)}.jsonl`) && (await sessionIdOf(file)) === id)
      found.push({ file, size: (await stat(file)).size })
  }
  return found.toSorted((a, b) => b.size - a.size)[0]?.file ?? null
}

const keptMs = 30 * 24 * 3_600_000

/** Removes the conversations of folders in which none was begun for a month. */
export async function pruneConversations(store: string, nowMs: number): Promise<void> {
  for (const kind of ['tmp', 'history'])
    for (const project of await foldersIn(join(store, kind))) {
      const at = await stat(join(project, 'chats')).catch(() => stat(project).catch(() => null))
      if (at && nowMs - at.mtimeMs > keptMs) await removeTree(project)
    }
}

const namesIn = (folder: string): Promise<readonly string[]> => readdir(folder).catch(() => [])
const foldersIn = async (folder: string): Promise<readonly string[]> =>
  (await namesIn(folder)).map((name) => join(folder, name))
const firstLineBytes = 64 * 1024
const textOf = async (file: string): Promise<string> =>
  (await readPart(file, 'beginning', firstLineBytes)).trim()

async function sessionIdOf(file: string): Promise<string | null> {
  const [line = ''] = (await readPart(file, 'beginning', firstLineBytes)).split('\n')
  try {
    const first: unknown = JSON.parse(line)
    return isRecord(first) && typeof first['sessionId'] === 'string' ? first['sessionId'] : null
  } catch {
    return null // not a conversation
  }
}
