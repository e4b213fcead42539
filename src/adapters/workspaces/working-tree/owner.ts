import { z } from 'zod'
import { processTable } from '../../process/process-table.ts'
import { createRunMark, isOwnerGone, parseRunMark, type RunOwner } from '../../process/run-mark.ts'
import { readIfThere } from '../git/files.ts'

const Signed = z.object({ mark: z.string() })

/** Names this process, told apart from every later one with the same pid. */
export const signature = (home: string): z.infer<typeof Signed> => ({ mark: createRunMark(home) })

/** Who signed a JSON file; null when nobody did, or it cannot be read. */
export async function readOwner(path: string): Promise<RunOwner | null> {
  const signed = Signed.safeParse(await readJson(path))
  return signed.success ? (parseRunMark(signed.data.mark)?.owner ?? null) : null
}

/** Whether the process still runs; one that cannot be judged counts as alive. */
export const isOwnerAlive = (owner: RunOwner): boolean => !isOwnerGone(owner, processTable.list().entries)

/** Null for a file that is not there or is not JSON. */
export async function readJson(path: string): Promise<unknown> {
  const content = await readIfThere(path)
  try {
    return content === null ? null : JSON.parse(content.toString('utf8'))
  } catch {
    return null // half-written by a process that died
  }
}
