import type { Agent, AgentRequest } from '../../../loop/ports.ts'
import type { AgentRun, FailureKind, AgentUpdate, AgentTask } from '../../../model/agent/agent.ts'
import { applyChange, inOrder } from './changes.ts'
import { replayDefinition } from './definition.ts'
import { findRecording } from './find-recording.ts'
import type { Change, Recording } from './recording.ts'
import { runKeyOf, stemOf } from './run-key.ts'

export interface ReplayOptions {
  readonly name: string
  /** Where `recordRuns` has put the recordings. */
  readonly folder: string
}

type Failed = { readonly kind: FailureKind; readonly message: string }

/** Answers each task as it was answered when it was recorded: the same words and the same changes, at once. */
export function createReplayAgent(options: ReplayOptions): Agent {
  const asked = new Map<string, number>()
  return {
    name: options.name,
    family: replayDefinition.family,
    can: replayDefinition.can,
    async run(request) {
      const startedAt = performance.now()
      const replayed = await replay(options, request, asked)
      if ('ending' in replayed) return replayed
      return {
        agent: options.name,
        model: null,
        ending: { ended: 'failed', ...replayed, reset_at: null },
        text: '',
        tokens: 0,
        cost_usd: 0,
        conversation_id: null,
        duration_ms: Math.round(performance.now() - startedAt),
      }
    },
  }
}

async function replay(
  { name, folder }: ReplayOptions,
  { task, signal, onUpdate }: AgentRequest,
  asked: Map<string, number>,
): Promise<AgentRun | Failed> {
  const cancelled: Failed = { kind: 'cancelled', message: 'it was cancelled' }
  if (signal.aborted) return cancelled
  const key = runKeyOf(task)
  const stem = stemOf(key)
  const index = asked.get(stem) ?? 0
  asked.set(stem, index + 1)
  const found = await findRecording({ folder, key, agent: name, index })
  if ('problem' in found) return { kind: 'malformed', message: found.problem }
  const { recording } = found
  if (recording.access !== task.access)
    return {
      kind: 'malformed',
      message: `${stem} in ${folder} was recorded with ${recording.access} access, not ${task.access}`,
    }
  const { run, updates } = translate(recording, task)
  for (const update of updates) {
    if (signal.aborted) return cancelled
    onUpdate(update)
  }
  for (const change of inOrder(recording.changes)) {
    if (signal.aborted) return cancelled
    const refused = await tryChange(task.workspace, change)
    if (refused)
      return { kind: 'malformed', message: `${stem} in ${folder} cannot be replayed: ${refused.refused}` }
  }
  return signal.aborted ? cancelled : run
}

async function tryChange(root: string, change: Change): ReturnType<typeof applyChange> {
  try {
    return await applyChange(root, change)
  } catch (error) {
    return { refused: `${change.path}: ${error instanceof Error ? error.message : String(error)}` }
  }
}

/** What the agent said, in the codes and the workspace of the task that is answered now. */
function translate(recording: Recording, task: AgentTask): Pick<Recording, 'run' | 'updates'> {
  const say = translator(recording, task)
  return {
    run: { ...recording.run, text: say(recording.run.text) },
    updates: recording.updates.map((update) => translateUpdate(update, say)),
  }
}

function translateUpdate(update: AgentUpdate, say: (text: string) => string): AgentUpdate {
  switch (update.type) {
    case 'text':
      return { ...update, text: say(update.text) }
    case 'tool':
      return { ...update, detail: say(update.detail) }
    case 'usage':
    case 'waiting':
    case 'refused_host':
      return update
  }
}

/** One pass over the text, so that two codes may also change places. */
function translator({ issues, workspace }: Recording, task: AgentTask): (text: string) => string {
  const words = new Map([[workspace, task.workspace]])
  for (const { code, fingerprint } of issues) {
    const now = task.issues.find((issue) => issue.fingerprint === fingerprint)?.code
    if (now !== undefined && now !== code) words.set(code, now)
  }
  const pattern = [...words.keys()].map((word) => `(?<![A-Za-z0-9])${escape(word)}(?![A-Za-z0-9])`).join('|')
  return (text) => text.replaceAll(new RegExp(pattern, 'g'), (word) => words.get(word) ?? word)
}

const escape = (word: string): string => word.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
