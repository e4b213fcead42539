import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { renderBoundedText } from '../../../process/bounded-text.ts'
import { cleanEnvironment } from '../../../process/clean-environment.ts'
import { runProcess } from '../../../process/run-process.ts'

const timeoutMs = 5 * 60_000
const mostBytes = 256 * 1024 * 1024
const program = join(dirname(createRequire(import.meta.url).resolve('oxlint')), 'cli.js')

const Span = z.object({ offset: z.number(), length: z.number() })
const Diagnostic = z.object({
  message: z.string(),
  code: z.string().optional(),
  help: z.string().optional(),
  filename: z.string(),
  labels: z.array(z.object({ span: Span })),
})
const Report = z.object({ diagnostics: z.array(Diagnostic), number_of_files: z.number() })

export type Diagnosed = z.infer<typeof Diagnostic>

/** Runs oxlint in a folder that holds its configuration and the texts. */
export async function runOxlint(
  folder: string,
  args: readonly string[],
  signal: AbortSignal,
): Promise<z.infer<typeof Report>> {
  const printed: Uint8Array[] = []
  const result = await runProcess({
    command: process.execPath,
    args: [program, '--config', 'config.json', '--disable-nested-config', '--no-ignore', ...args],
    cwd: folder,
    env: cleanEnvironment(process.env, []),
    timeoutMs,
    signal,
    killAboveBytes: mostBytes,
    walls: null,
    onStdout: (chunk) => printed.push(chunk),
  })
  // It exits with 1 when it found something.
  if (result.ended !== 'exited' || (result.exitCode ?? 2) > 1) {
    const said = renderBoundedText(result.stderr).trim() || Buffer.concat(printed).toString().trim()
    throw new Error(`oxlint ${result.error ?? result.ended}: ${said.slice(0, 300)}`)
  }
  return Report.parse(JSON.parse(Buffer.concat(printed).toString()))
}
