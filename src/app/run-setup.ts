import { renderBoundedText } from '../adapters/process/bounded-text.ts'
import { createRunMark } from '../adapters/process/run-mark.ts'
import { runProcess } from '../adapters/process/run-process.ts'
import type { RunSetup } from '../adapters/workspaces/index.ts'
import type { Jail } from '../loop/ports.ts'

const keptBytes = 64 * 1024

interface SetupOptions {
  readonly env: Readonly<Record<string, string>>
  readonly home: string
  readonly jail: Jail
}

/** How `workspace.setup` is run: like every other command of the configuration. */
export const runSetup =
  ({ env, home, jail }: SetupOptions): RunSetup =>
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
      // It installs: from the network, with the registries that the person set up.
      walls: jail.around({ network: 'open', hasPackageSettings: true }),
    })
    const output = [result.error ?? '', renderBoundedText(result.stdout), renderBoundedText(result.stderr)]
    return {
      exitCode: result.ended === 'exited' ? result.exitCode : null,
      output: output.filter((part) => part !== '').join('\n'),
    }
  }
