import pLimit from 'p-limit'
import type {
  CheckCache,
  CheckRequest,
  Checks,
  Hash,
  Ids,
  Jail,
  Pace,
  Trees,
  Workspaces,
} from '../../loop/ports.ts'
import type { CheckCommand, CommandRun } from '../../model/proof/verification.ts'
import { createRunMark } from '../process/run-mark.ts'
import { runCommand } from './run-command.ts'
import { watchFiles } from './watch-files.ts'

export interface ChecksOptions {
  readonly workspaces: Workspaces
  readonly trees: Pick<Trees, 'list'>
  readonly cache: CheckCache
  readonly pace: Pick<Pace, 'note'>
  readonly hash: Hash
  readonly ids: Ids
  /** The whole environment of every command. */
  readonly env: Readonly<Record<string, string>>
  /** Whose tests they are. */
  readonly repository: string
  /** What else the result depends on, such as `workspace.setup`. */
  readonly setup: string
  /** The state of what is copied into every checkout beside its tree. */
  readonly shared?: () => Promise<readonly string[]>
  /** FIXPOINT_HOME, which the marks of started processes name. */
  readonly home: string
  readonly jail: Jail
  /** How many trees are checked at the same time. */
  readonly places?: number
}

const defaultPlaces = 8

/** Runs commands on a fresh checkout of one tree; a result that is known for (tree, commands so far, environment) is not run again. */
export function createChecks(options: ChecksOptions): Checks {
  const variables = Object.entries(options.env).toSorted(([a], [b]) => (a < b ? -1 : 1))
  const { places = defaultPlaces } = options
  const limit = pLimit(places)
  return {
    hasRoom: () => limit.activeCount + limit.pendingCount < places,
    ...rememberFlips(options),
    async run(request) {
      const { commands, revision, signal, isControl = false, isFirstLook = false } = request
      const shared = await options.shared?.()
      const environment = options.hash(
        JSON.stringify([variables, options.setup, shared, options.jail.state.isThere]),
      )
      // The commands that ran before in the same checkout are part of the question: a test may need the build.
      const asked = commands.map(({ name, run, timeout_ms, network, jail }) => [
        name,
        run,
        timeout_ms,
        network,
        jail,
      ])
      const keys = asked.map((_, index) =>
        options.hash(JSON.stringify([revision.tree, asked.slice(0, index + 1), environment])),
      )
      const known = isControl ? [null] : await Promise.all(keys.map((key) => options.cache.get(key)))
      const complete = known.flatMap((run) => (run && !(isFirstLook && run.exit_code !== 0) ? run : []))
      if (complete.length === known.length) return complete
      if (signal.aborted) return commands.map((command) => unrun(command, 'cancelled', 'it was cancelled'))
      const runs = await limit(() => runOnCheckout(options, request))
      for (const { run, ended, duration_ms: ms } of runs)
        if (ended === 'exited') await options.pace.note(run, ms)
      if (!isControl) await remember(options.cache, keys, runs)
      return runs
    },
  }
}

/** Which tests were seen to flip is kept beside the results, as a run of nothing else. */
function rememberFlips({
  cache,
  hash,
  repository,
}: Pick<ChecksOptions, 'cache' | 'hash' | 'repository'>): Required<Pick<Checks, 'flipsOf' | 'noteFlips'>> {
  const keyOf = (command: string): string => hash(JSON.stringify(['flips', repository, command]))
  const flipsOf = async (command: string): Promise<readonly string[]> =>
    (await cache.get(keyOf(command)))?.flips ?? []
  return {
    flipsOf,
    async noteFlips(name, tests) {
      const flips = [...new Set([...(await flipsOf(name)), ...tests])].toSorted()
      const nothing = {
        run: '',
        ended: 'exited',
        exit_code: null,
        output: '',
        tests: null,
        duration_ms: 0,
      } as const
      await cache.put(keyOf(name), { ...nothing, name, flaky: true, flips: flips.slice(0, mostFlips) })
    },
  }
}

/** A suite with more of them says nothing at all. */
const mostFlips = 1_000

/** A command that could not be judged is not remembered, nor are the commands after it: the next try may end otherwise. */
async function remember(
  cache: CheckCache,
  keys: readonly string[],
  runs: readonly CommandRun[],
): Promise<void> {
  const unsure = runs.findIndex((run) => run.ended !== 'exited' || run.flaky)
  const lasting = unsure === -1 ? runs : runs.slice(0, unsure)
  await Promise.all(lasting.map((run, index) => cache.put(keys[index] ?? '', run)))
}

async function runOnCheckout(options: ChecksOptions, request: CheckRequest): Promise<readonly CommandRun[]> {
  const { commit, tree } = request.revision
  const id = options.ids.next('chk')
  try {
    const workspace = await options.workspaces.open({ id, tree, head: commit })
    if (workspace.preparation?.setup === 'failed') {
      const reason = workspace.preparation.reason ?? 'workspace.setup failed'
      return request.commands.map((command) => unrun(command, 'setup_failed', reason))
    }
    const paths = await options.trees.list(tree)
    const runs: CommandRun[] = []
    for (const command of request.commands) {
      const written = watchFiles(workspace.path, paths)
      const run = await runCommand({
        command,
        cwd: workspace.path,
        env: options.env,
        signal: request.signal,
        mark: createRunMark(options.home),
        jail: options.jail,
        isControl: request.isControl ?? false,
        isRedExpected: request.isRedExpected ?? false,
        ...(request.onOutput && { onOutput: request.onOutput }),
      })
      const rewrote = written()
      runs.push(rewrote.length > 0 ? { ...run, rewrote } : run)
    }
    return runs
  } finally {
    await options.workspaces.close(id)
  }
}

const unrun = (command: CheckCommand, ended: 'cancelled' | 'setup_failed', reason: string): CommandRun => ({
  name: command.name,
  run: command.run,
  ended,
  exit_code: null,
  output: reason,
  tests: null,
  duration_ms: 0,
  flaky: false,
})
