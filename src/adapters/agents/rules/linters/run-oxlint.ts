import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { z } from 'zod'
import { renderBoundedText } from '../../../process/bounded-text.ts'
import { cleanEnvironment } from '../../../process/clean-environment.ts'
import { runProcess } from '../../../process/run-process.ts'
import type { ProcessResult } from '../../../process/start-process.ts'

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

type Said = z.infer<typeof Report>

/** Loads oxlint, and runs it once it is told in which folder and how; without a word it ends. */
const loader = `
const [oxlint] = process.argv.slice(1)
import(new URL('bindings.js', oxlint))
let told = ''
process.stdin.setEncoding('utf8').on('data', (text) => (told += text)).on('end', () => {
  if (told === '') return
  const { folder, args } = JSON.parse(told)
  process.chdir(folder)
  process.argv = [process.execPath, oxlint, ...args]
  import(oxlint)
})`

/** An oxlint that is loaded while nobody has anything to ask yet; it answers once. */
export interface StartedOxlint extends AsyncDisposable {
  /** Whether it still waits for its question. */
  isFree(): boolean
  /** Runs it in a folder that holds its configuration and the texts. */
  ask(folder: string, args: readonly string[]): Promise<Said>
}

export function startOxlint(signal: AbortSignal): StartedOxlint {
  const printed: Uint8Array[] = []
  const question = Promise.withResolvers<string>()
  const running = runProcess({
    command: process.execPath,
    args: ['--input-type=commonjs', '--eval', loader, pathToFileURL(program).href],
    cwd: tmpdir(),
    env: cleanEnvironment(process.env, []),
    stdin: question.promise,
    timeoutMs,
    signal,
    killAboveBytes: mostBytes,
    walls: null,
    onStdout: (chunk) => printed.push(chunk),
  })
  let isFree = true
  // What ended while nobody asked, such as one that waited too long, answers nothing more.
  const noteEnd = (): void => void (isFree = false)
  running.then(noteEnd, noteEnd) // a failure is thrown below, where it is waited for
  return {
    isFree: () => isFree,
    async ask(folder, args) {
      isFree = false
      const all = ['--config', 'config.json', '--disable-nested-config', '--no-ignore', ...args]
      question.resolve(JSON.stringify({ folder, args: all }))
      return readReport(await running, printed)
    },
    async [Symbol.asyncDispose]() {
      question.resolve('')
      await running
    },
  }
}

function readReport(result: ProcessResult, printed: readonly Uint8Array[]): Said {
  // It exits with 1 when it found something.
  if (result.ended !== 'exited' || (result.exitCode ?? 2) > 1) {
    const said = renderBoundedText(result.stderr).trim() || Buffer.concat(printed).toString().trim()
    throw new Error(`oxlint ${result.error ?? result.ended}: ${said.slice(0, 300)}`)
  }
  return Report.parse(JSON.parse(Buffer.concat(printed).toString()))
}

/** Who asks a linter: when they stop waiting, and an oxlint that they have started before they had anything to ask. */
export interface LintCall {
  readonly signal: AbortSignal
  readonly oxlint?: StartedOxlint | null
}

/** Runs oxlint in a folder that holds its configuration and the texts. */
export function runOxlint(folder: string, args: readonly string[], call: LintCall): Promise<Said> {
  const started = call.oxlint?.isFree() ? call.oxlint : startOxlint(call.signal)
  return started.ask(folder, args)
}
