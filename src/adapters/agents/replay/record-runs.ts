import { createHash, randomUUID } from 'node:crypto'
import { link, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Agent, AgentRequest } from '../../../loop/ports.ts'
import type { AgentRun, AgentUpdate } from '../../../model/agent/agent.ts'
import { changesSince, takeSnapshot, type Snapshot } from './changes.ts'
import { listRecordings } from './find-recording.ts'
import type { Recording } from './recording.ts'
import { fileNameOf, runKeyOf, stemOf } from './run-key.ts'

const mostUpdates = 10_000
const mostUpdateChars = 4 * 1024 * 1024

/** The same agent, with each of its runs written to a file that `createReplayAgent` can answer from. */
export function recordRuns(agent: Agent, folder: string): Agent {
  return {
    name: agent.name,
    family: agent.family,
    can: agent.can,
    async run(request) {
      const { task, signal } = request
      if (signal.aborted) return agent.run(request)
      const before = task.access === 'write' ? await takeSnapshot(task.workspace) : null
      const heard = createUpdateLog()
      const onUpdate = (update: AgentUpdate): void => {
        heard.add(update)
        request.onUpdate(update)
      }
      const run = await agent.run({ ...request, onUpdate })
      // A cancelled run is not recorded: its end was chosen by a person, and a replay could not repeat that.
      if (signal.aborted) return run
      const refused = await record(folder, { ...headOf(agent, request), run, ...heard.read() }, before)
      return refused ? notRecorded(run, refused) : run
    },
  }
}

/** Keeps the run, or says why not: an agent may leave a workspace that cannot be read. */
async function record(
  folder: string,
  heard: Omit<Recording, 'changes'>,
  before: Snapshot | null,
): Promise<string | null> {
  try {
    const found = before === null ? { changes: [] } : await changesSince(heard.workspace, before)
    if ('refused' in found) return found.refused
    await store(folder, { ...heard, changes: found.changes })
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

function headOf(agent: Agent, { task, prompt }: AgentRequest) {
  return {
    schema: 'fixpoint.recording.v1',
    ...runKeyOf(task),
    access: task.access,
    agent: agent.name,
    family: agent.family,
    prompt_hash: createHash('sha256').update(prompt).digest('hex'),
    workspace: task.workspace,
  } as const
}

/** A run that could not be kept counts as failed; a failure of the agent's own says more and stays. */
function notRecorded(run: AgentRun, why: string): AgentRun {
  if (run.ending.ended === 'failed') return run
  const message = `the run cannot be recorded: ${why}`
  return { ...run, ending: { ended: 'failed', kind: 'malformed', message, reset_at: null } }
}

function createUpdateLog() {
  const updates: AgentUpdate[] = []
  let chars = 0
  let leftOut = 0
  return {
    add(update: AgentUpdate): void {
      if (updates.length >= mostUpdates || chars > mostUpdateChars) {
        leftOut += 1
        return
      }
      updates.push(update)
      chars += JSON.stringify(update).length
    },
    read: () => ({ updates, updates_left_out: leftOut }),
  }
}

/** Written aside and then linked under the first free number: whole or not at all, and never over another one. */
async function store(folder: string, recording: Recording): Promise<void> {
  await mkdir(folder, { recursive: true })
  const aside = join(folder, `.${randomUUID()}.part`)
  try {
    await writeFile(aside, `${JSON.stringify(recording, null, 2)}\n`)
    const stem = stemOf(recording)
    const taken = (await listRecordings(folder)).filter((file) => file.stem === stem)
    let index = (taken.at(-1)?.index ?? -1) + 1
    while (!(await linked(aside, join(folder, fileNameOf(stem, index))))) index += 1
  } finally {
    await rm(aside, { force: true })
  }
}

async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}
