import type { FixOutcome } from '../app/fix-issues.ts'
import type { App } from '../app/open-app.ts'
import type { SessionSignals } from '../loop/run-session.ts'
import type { CommandContext } from './command.ts'
import { describeResult } from './describe.ts'
import { listenForInterrupts } from './interrupts.ts'
import { createProgress } from './progress.ts'

/** Runs a session under the person's eyes: progress, Ctrl-C, the result, the exit code. */
export async function driveSession(
  app: App,
  { output }: CommandContext,
  work: (signals: SessionSignals) => Promise<FixOutcome>,
): Promise<number> {
  const interrupts = listenForInterrupts(output.say)
  const progress = createProgress(output, process.stderr)
  const unsubscribe = app.subscribe(progress.onEvent)
  try {
    const { result, exitCode } = await work(interrupts)
    progress.end()
    output.print(describeResult(result, output))
    output.result(result)
    return interrupts.exitCode() ?? exitCode
  } finally {
    unsubscribe()
    progress.end()
    interrupts.end()
  }
}
