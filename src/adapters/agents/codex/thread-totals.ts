import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ThreadTotals } from './parse.ts'

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
