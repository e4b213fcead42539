import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { parseEventLine } from '../program/event-stream.ts'
import { readPart } from '../program/plain-file.ts'
import { ThreadTotals } from './parse.ts'

/** What the CLI notes down after each call of its model, in the file that it keeps of a thread. */
const Note = z.union([
  z.object({
    type: z.literal('token_usage_record'),
    payload: z.object({ thread_token_usage: ThreadTotals }),
  }),
  z.object({
    type: z.literal('event_msg'),
    payload: z.object({
      type: z.literal('token_count'),
      info: z.object({ total_token_usage: ThreadTotals }),
    }),
  }),
])

/** Of a long file only the end is read: each note is about the whole thread. */
const tailBytes = 512 * 1024

/**
 * The totals of a thread as the CLI itself has recorded them, also in the middle of a turn. Null where there is no such
 * file, as for a conversation that is not kept.
 */
export async function readRecordedTotals(
  folders: readonly string[],
  threadId: string,
): Promise<ThreadTotals | null> {
  let file: string | null = null
  for (const folder of folders) file ??= await findRecord(folder, `-${threadId}.jsonl`)
  const text = file === null ? '' : await readPart(file, 'end', tailBytes)
  const notes = text.split('\n').flatMap((line) => parseEventLine(Note, line) ?? [])
  const totals = notes.map((note) =>
    note.type === 'event_msg' ? note.payload.info.total_token_usage : note.payload.thread_token_usage,
  )
  return totals.reduce<ThreadTotals | null>((most, one) => (isMore(one, most) ? one : most), null)
}

const isMore = (one: ThreadTotals, other: ThreadTotals | null): boolean =>
  other === null || one.input_tokens + one.output_tokens > other.input_tokens + other.output_tokens

/** By year, month and day, the newest first. */
async function findRecord(folder: string, ending: string, depth = 3): Promise<string | null> {
  const names: readonly string[] = await readdir(folder).catch(() => [])
  const newestFirst = names.toSorted((a, b) => (a < b ? 1 : -1))
  if (depth === 0) {
    const name = newestFirst.find((one) => one.endsWith(ending))
    return name === undefined ? null : join(folder, name)
  }
  for (const name of newestFirst) {
    const found = await findRecord(join(folder, name), ending, depth - 1)
    if (found !== null) return found
  }
  return null
}

/** The totals of a thread are kept for the next run that continues it. */
export const keepTotals = async (
  home: string,
  threadId: string | null,
  totals: ThreadTotals,
): Promise<void> => {
  if (threadId !== null && totals.input_tokens > 0) await writeTotals(home, threadId, totals)
}

const none: ThreadTotals = { input_tokens: 0, cached_input_tokens: 0, output_tokens: 0 }

/** Ids come from another program: only what looks like one becomes a part of a path. */
export const isPlainId = (threadId: string): boolean => /^[\w-]+$/.test(threadId)
const fileOf = (home: string, threadId: string): string | null =>
  isPlainId(threadId) ? join(home, 'agents', 'codex', `${threadId}.json`) : null

/** What a thread had used up when its last run ended; nothing when that is not known. */
export async function readTotals(home: string, threadId: string): Promise<ThreadTotals> {
  const file = fileOf(home, threadId)
  if (file === null) return none
  try {
    return ThreadTotals.safeParse(JSON.parse(await readFile(file, 'utf8'))).data ?? none
  } catch (error) {
    if (error instanceof SyntaxError || (error instanceof Error && 'code' in error)) return none
    throw error
  }
}

/** Only one run at a time continues a thread, so nobody reads a file that is half written. */
async function writeTotals(home: string, threadId: string, totals: ThreadTotals): Promise<void> {
  const file = fileOf(home, threadId)
  if (file === null) return
  const write = () => writeFile(file, `${JSON.stringify(totals)}\n`)
  await write().catch(async (error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    await write()
  })
}

/** What one run used: the thread's totals less those before it. */
export const spentSince = (totals: ThreadTotals, before: ThreadTotals): ThreadTotals => ({
  input_tokens: Math.max(0, totals.input_tokens - before.input_tokens),
  cached_input_tokens: Math.max(0, totals.cached_input_tokens - before.cached_input_tokens),
  output_tokens: Math.max(0, totals.output_tokens - before.output_tokens),
})
