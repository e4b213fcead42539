import { CommanderError, type Command } from 'commander'
import { createRequire } from 'node:module'
import { withoutCheckoutPrograms } from '../adapters/process/clean-environment.ts'
import { asFault, exitCodeOf, Fault, isRetryable } from '../model/fault.ts'
import type { CommandContext } from './command/context.ts'
import { createOutput, type Output, type OutputMode } from './command/output.ts'
import type { Dispatch } from './options.ts'
import { buildProgram } from './program.ts'

/** Runs one command line and says how it ended. */
export async function main(argv: readonly string[]): Promise<number> {
  const mode: OutputMode = argv.includes('--jsonl') ? 'jsonl' : argv.includes('--json') ? 'json' : 'text'
  const output = createOutput(mode, process)
  for (const stream of [process.stdout, process.stderr]) stream.on('error', ignoreBrokenPipe)
  let exitCode = 0
  let called: Command | null = null
  const cwd = process.cwd()
  let context: CommandContext = { cwd, env: withoutCheckoutPrograms(process.env, cwd), output, version }
  const unanswered = process.exitCode
  process.exitCode = undefined // else `fixpoint help` would end with it
  const dispatch: Dispatch = async (load, options) => {
    process.exitCode = unanswered
    const run = await load()
    const go = (): Promise<number> => run(context, options)
    exitCode = called ? await runRecorded(context, called, go) : await go()
  }
  const program = buildProgram(version, dispatch, output.say)
  program.hook('preAction', (_program, command) => {
    called = command
    const { database } = command.opts<{ readonly database?: string }>()
    if (database !== undefined) context = { ...context, env: { ...context.env, FIXPOINT_DATABASE: database } }
  })
  try {
    await program.parseAsync([...argv], { from: 'user' })
    return exitCode
  } catch (error) {
    return reportError(error, output)
  }
}

/** A reader that has seen enough (`| head`) is no reason to stop working. */
function ignoreBrokenPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
}

function reportError(error: unknown, output: Output): number {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return 0
    return printError(new Fault('usage', error.message.replace(/^error: /, '')), output)
  }
  const fault = asFault(error)
  output.say(`error: ${fault.message}\n${fault.hint}`)
  if (fault.code === 'internal' && fault.cause instanceof Error) output.say(fault.cause.stack ?? '')
  return printError(fault, output)
}

function printError({ code, message, hint, details }: Fault, output: Output): number {
  const has = Object.keys(details).length > 0
  const retryable = isRetryable(code)
  output.result({ schema: 'fixpoint.error.v1', code, message, hint, retryable, ...(has && { details }) })
  return exitCodeOf(code)
}

/** The package's own version; sources and build both lie two folders below its package.json. */
const version = (createRequire(import.meta.url)('../../package.json') as { readonly version: string }).version

/** Commands that change what others see, or cost something; who ran them is written down where several people work. */
const changing: ReadonlySet<string> = new Set([
  'review',
  'import',
  'issues ignore',
  'issues reopen',
  'issues resolve',
  'issues duplicate',
  'issues publish',
  'clarify',
  'fix',
  'resume',
  'cancel',
  'answer',
  'approve',
  'reject',
  'trust',
  'pr answer',
  'pr create',
  'pr review',
  'pr sync',
  'repos add',
  'repos remove',
  'tokens create',
  'tokens revoke',
])

/** Runs a command; one that changes something in a shared database is recorded with who ran it. */
async function runRecorded(
  { env }: CommandContext,
  command: Command,
  run: () => Promise<number>,
): Promise<number> {
  const name = pathOf(command)
  const isShared = Boolean(env['FIXPOINT_DATABASE']) || name.startsWith('tokens ')
  if (!isShared || !changing.has(name)) return run()
  const { recordCommand } = await import('../app/people/record-command.ts')
  const { database: _database, ...options } = command.opts<Record<string, unknown>>()
  const request = JSON.stringify({ arguments: command.args, ...options })
  return recordCommand({ env, action: `fixpoint ${name}`, request }, run)
}

const pathOf = (command: Command): string =>
  command.parent?.parent ? `${command.parent.name()} ${command.name()}` : command.name()
