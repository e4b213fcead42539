import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { parseEventLine } from '../program/event-stream.ts'
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
  const text = file === null ? '' : await readTail(file)
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

async function readTail(file: string): Promise<string> {
  const handle = await open(file).catch(() => null)
  if (!handle) return ''
  try {
    const { size } = await handle.stat()
    const length = Math.min(size, tailBytes)
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, size - length)
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await handle.close()
  }
}
