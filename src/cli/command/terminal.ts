import type { Terminal } from '../../tui/draw.ts'
import type { CommandContext } from './context.ts'

export interface DisplayOptions {
  /** False with `--no-tui`. */
  readonly tui?: boolean
}

/** The terminal for a whole screen; null where a person has none, or wants none (`--no-tui`, `NO_TUI`). */
export function terminalFor(
  { output, env }: CommandContext,
  { tui = true }: DisplayOptions,
): Terminal | null {
  const isThere = output.isInteractive && process.stdin.isTTY
  if (!isThere || !tui || env['NO_TUI']) return null
  // Drawn on stderr like all progress: stdout is for the result, and may be a file.
  return { stdin: process.stdin, stdout: process.stderr, hasColor: !env['NO_COLOR'] }
}
