import type { CheckCache, CheckRequest, Checks, Hash, Ids, Workspaces } from '../../loop/ports.ts'
import type { CheckCommand, CommandRun } from '../../model/verification.ts'
import { createRunMark } from '../process/run-mark.ts'
import { runCommand } from './run-command.ts'

export interface ChecksOptions {
  readonly workspaces: Workspaces
  readonly cache: CheckCache
  readonly hash: Hash
  readonly ids: Ids
  /** The whole environment of every command. */
  readonly env: Readonly<Record<string, string>>
  /** What else the result depends on, such as `workspace.setup`. */
  readonly setup: string
  /** FIXPOINT_HOME, which the marks of started processes name. */
  readonly home: string
}

/** Commands on a fresh checkout of one tree; what is known about (tree, command, environment) is not run again. */
export function createChecks(options: ChecksOptions): Checks {
  const environment = options.hash(JSON.stringify([Object.entries(options.env).toSorted(), options.setup]))
  const keyOf = (command: CheckCommand, tree: string): string =>
    options.hash(JSON.stringify([tree, command.name, command.run, command.timeout_ms, environment]))
  return {
    async run(request) {
      const keys = request.commands.map((command) => keyOf(command, request.revision.tree))
      const known = await Promise.all(keys.map((key) => options.cache.get(key)))
      const complete = known.filter((run) => run !== null)
      if (complete.length === known.length) return complete
      const runs = await runOnCheckout(options, request)
      await Promise.all(runs.map((run, index) => remember(options.cache, keys[index], run)))
      return runs
    },
  }
}

/** A command that could not be judged may be luckier next time, so only an end by itself is remembered. */
async function remember(cache: CheckCache, key: string | undefined, run: CommandRun): Promise<void> {
  if (key && run.ended === 'exited' && !run.flaky) await cache.put(key, run)
}

async function runOnCheckout(options: ChecksOptions, request: CheckRequest): Promise<readonly CommandRun[]> {
  const { commit, tree } = request.revision
  const id = options.ids.next('chk')
  const workspace = await options.workspaces.open({ id, tree, head: commit })
  try {
    if (workspace.preparation?.setup === 'failed') {
      const reason = workspace.preparation.reason ?? 'workspace.setup failed'
      return request.commands.map((command) => unprepared(command, reason))
    }
    const runs: CommandRun[] = []
    for (const command of request.commands)
      runs.push(
        await runCommand({
          command,
          cwd: workspace.path,
          env: options.env,
          signal: request.signal,
          mark: createRunMark(options.home),
        }),
      )
    return runs
  } finally {
    await options.workspaces.close(id)
  }
}

const unprepared = (command: CheckCommand, reason: string): CommandRun => ({
  name: command.name,
  run: command.run,
  ended: 'setup_failed',
  exit_code: null,
  output: reason,
  tests: null,
  duration_ms: 0,
  flaky: false,
})
