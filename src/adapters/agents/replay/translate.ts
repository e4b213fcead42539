import type { AgentSignal, AgentTask } from '../../../model/agent/agent.ts'
import type { Recording } from './recording.ts'

/** What the agent said, in the codes and the workspace of the task that is answered now. */
export function translate(recording: Recording, task: AgentTask): Pick<Recording, 'run' | 'signals'> {
  const say = translator(recording, task)
  return {
    run: { ...recording.run, text: say(recording.run.text) },
    signals: recording.signals.map((signal) => translateSignal(signal, say)),
  }
}

function translateSignal(signal: AgentSignal, say: (text: string) => string): AgentSignal {
  switch (signal.type) {
    case 'text':
      return { ...signal, text: say(signal.text) }
    case 'tool':
      return { ...signal, detail: say(signal.detail) }
    case 'usage':
      return signal
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
