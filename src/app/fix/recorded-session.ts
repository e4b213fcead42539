import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { Fault } from '../../model/fault.ts'
import { CommitId, IssueId, SessionId } from '../../model/id.ts'
import type { Session } from '../../model/session/session.ts'

/** What a recording needs beside the agents' runs to be a whole session again. */
export const RecordedSession = z.object({
  schema: z.literal('fixpoint.recorded-session.v1'),
  session_id: SessionId,
  base: CommitId,
  issue_ids: z.array(IssueId).readonly(),
  notes: z.string().nullable(),
})
export type RecordedSession = z.infer<typeof RecordedSession>

const file = 'session.json'

export async function writeRecordedSession(folder: string, session: Session): Promise<void> {
  const recorded: RecordedSession = {
    schema: 'fixpoint.recorded-session.v1',
    session_id: session.id,
    base: session.base.commit,
    issue_ids: session.issue_ids,
    notes: session.options.notes,
  }
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, file), `${JSON.stringify(recorded, null, 2)}\n`)
}

export async function readRecordedSession(folder: string): Promise<RecordedSession> {
  const text = await readFile(join(folder, file), 'utf8').catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
    throw new Fault('input_invalid', `${folder} holds no recorded session: there is no ${file} in it`, {
      hint: 'Record one with fixpoint fix … --record FOLDER.',
    })
  })
  const parsed = RecordedSession.safeParse(parseJson(text))
  if (parsed.success) return parsed.data
  throw new Fault(
    'input_invalid',
    `${join(folder, file)} is no recorded session: ${z.prettifyError(parsed.error)}`,
  )
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}
