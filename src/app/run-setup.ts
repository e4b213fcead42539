import { renderBoundedText } from '../adapters/process/bounded-text.ts'
import { createRunMark } from '../adapters/process/run-mark.ts'
import { runProcess } from '../adapters/process/run-process.ts'
import type { RunSetup } from '../adapters/workspaces/index.ts'

const keptBytes = 64 * 1024

/** How `workspace.setup` is run: like every other command of the configuration. */
export const runSetup =
  (env: Readonly<Record<string, string>>, home: string): RunSetup =>
  async ({ run, cwd, timeoutMs }) => {
    const mark = createRunMark(home)
    const result = await runProcess({
      command: run,
      shell: true,
      cwd,
      env,
      timeoutMs,
      mark,
      maxOutputBytes: keptBytes,
    })
    const output = [result.error ?? '', renderBoundedText(result.stdout), renderBoundedText(result.stderr)]
    return {
      exitCode: result.ended === 'exited' ? result.exitCode : null,
      output: output.filter((part) => part !== '').join('\n'),
    }
  }
