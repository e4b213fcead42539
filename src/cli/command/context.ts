import type { AgentDefinition } from '../../adapters/agents/definition/definition.ts'
import type { App } from '../../app/open-app.ts'
import type { Override } from '../../app/config/overrides.ts'
import type { Output } from './output.ts'

/** What every command gets: where it runs and where it writes. */
export interface CommandContext {
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly output: Output
  /** Agents of one's own, beside the built-in ones. */
  readonly agents?: readonly AgentDefinition[]
  /** The version of Fixpoint itself. */
  readonly version: string
}

/** A command does its work and says its exit code. */
export type RunCommand<Options> = (context: CommandContext, options: Options) => Promise<number>

export interface AppOptions {
  readonly flags?: readonly Override[]
  readonly record?: string | null
}

/** The application for a command: with `await using` it is closed again, however the command ends. */
export async function openCommandApp(
  { cwd, env, agents = [], output }: CommandContext,
  options: AppOptions = {},
): Promise<App & AsyncDisposable> {
  const { openApp } = await import('../../app/open-app.ts')
  const app = await openApp({ cwd, env, agents, say: output.say, ...options })
  return { ...app, [Symbol.asyncDispose]: app.close }
}

/** Opens the application for a command and closes it again, however the command ends. */
export async function withApp<T>(
  context: CommandContext,
  options: AppOptions,
  use: (app: App) => Promise<T>,
): Promise<T> {
  await using app = await openCommandApp(context, options)
  return await use(app)
}
