import picomatch from 'picomatch'
import type { Revision } from '../model/attempt.ts'
import type { TreeId } from '../model/id.ts'
import { judgeVerification } from '../model/judge-verification.ts'
import { needsControl } from '../model/judge-command.ts'
import type { CheckCommand, CommandRun, Verification } from '../model/verification.ts'
import type { Checks, Composer } from './ports.ts'
import { findProof } from './prove.ts'

/** Verifies trees against the one they are built on. No tree is verified twice; `count` says how many were. */
export interface Verifier {
  verify(request: VerifyRequest): Promise<Verification>
  /** The commands on one tree as it is, nothing judged. */
  run(
    revision: Revision,
    commands: readonly CheckCommand[],
    signal: AbortSignal,
  ): Promise<readonly CommandRun[]>
  count(): number
}

export interface VerifyRequest {
  /** The tree that would be committed. */
  readonly revision: Revision
  /** What it is compared with, and where existing tests come from. */
  readonly against: Revision
  /** Every path that differs, to choose the commands that care. */
  readonly changed: readonly string[]
  /** Tests and configuration that count as another tree's: the result must be green with those as well. */
  readonly restore?: readonly PathsOf[]
  /** What makes up the fix: asks for tests that fail once it is taken away. */
  readonly fix?: readonly string[]
  readonly signal: AbortSignal
}

/** Paths as a tree has them. */
export interface PathsOf {
  readonly tree: TreeId
  readonly paths: readonly string[]
}

export interface VerifierOptions {
  readonly checks: Checks
  readonly composer: Pick<Composer, 'restore'>
  readonly commands: readonly CheckCommand[]
  /** The session's base, which is not counted. */
  readonly base: Revision
}

export function createVerifier({ checks, composer, commands, base }: VerifierOptions): Verifier {
  const { run, trees } = rememberRuns(checks)

  const judge = async (
    revision: Revision,
    { against, signal }: VerifyRequest,
    chosen: readonly CheckCommand[],
  ) => {
    const baseline = await run({ revision: against, commands: chosen, signal })
    const runs = await run({ revision, commands: chosen, signal })
    const isUnsure = runs.some((each) => {
      const before = baseline.find(({ name }) => name === each.name)
      return before !== undefined && needsControl(each, before)
    })
    const control = isUnsure
      ? await run({ revision: against, commands: chosen, signal, isControl: true })
      : undefined
    const verification = judgeVerification(revision.tree, runs, {
      runs: baseline,
      ...(control && { control }),
    })
    return { verification, runs, baseline }
  }

  return {
    async verify(request) {
      const { revision, restore = [] } = request
      const chosen = commands.filter((command) => appliesTo(command, request.changed))
      if (chosen.length === 0) return judgeVerification(revision.tree, [], { runs: [] })
      const tree = await putBack(revision.tree, restore, composer)
      const own = await judge({ ...revision, tree }, request, chosen)
      const restored = tree === revision.tree ? null : { tree, paths: restore.flatMap(({ paths }) => paths) }
      if (restored && own.verification.status !== 'passed')
        return {
          ...own.verification,
          tree: revision.tree,
          restored,
          reason: withBaseTests(own.verification, restored.paths),
        }
      const whole = restored ? await judge(revision, request, chosen) : own
      const verification = { ...whole.verification, ...(restored && { restored }) }
      if (verification.status !== 'passed' || !request.fix) return verification
      const proof = await findProof(
        {
          ...request,
          fix: request.fix,
          baseline: own.baseline,
          own: { tree, runs: own.runs },
          whole: whole.runs,
        },
        { composer, run: (at) => run({ revision: at, commands: chosen, signal: request.signal }) },
      )
      return proof ? { ...verification, proof } : verification
    },
    run: (revision, chosen, signal) => run({ revision, commands: chosen, signal }),
    count: () => [...trees()].filter((tree) => tree !== base.tree).length,
  }
}

type RunRequest = Parameters<Checks['run']>[0]

/** What ran once in this session is not asked for again. */
function rememberRuns(checks: Checks) {
  const seen = new Map<string, { readonly tree: TreeId; readonly runs: Promise<readonly CommandRun[]> }>()
  const run = (request: RunRequest): Promise<readonly CommandRun[]> => {
    const { revision, commands, isControl = false } = request
    const key = JSON.stringify([revision.tree, isControl, commands.map(({ name }) => name)])
    const known = seen.get(key)
    if (known) return known.runs
    const runs = checks.run(request)
    seen.set(key, { tree: revision.tree, runs })
    // A run that was cut off or rejected says nothing about the tree, so it must not be remembered.
    runs.then(
      (ended) => ended.some((each) => each.ended === 'cancelled') && seen.delete(key),
      () => seen.delete(key),
    )
    return runs
  }
  return { run, trees: () => new Set([...seen.values()].map(({ tree }) => tree)) }
}

async function putBack(
  tree: TreeId,
  restore: readonly PathsOf[],
  composer: Pick<Composer, 'restore'>,
): Promise<TreeId> {
  let current = tree
  for (const { tree: from, paths } of restore)
    if (paths.length > 0) current = await composer.restore(current, from, paths)
  return current
}

const withBaseTests = ({ reason }: Verification, paths: readonly string[]): string =>
  `with the base's own ${paths.join(', ')}: ${reason}`

const appliesTo = (command: CheckCommand, changed: readonly string[]): boolean =>
  command.paths.length === 0 ||
  changed.some((path) => picomatch.isMatch(path, [...command.paths], { dot: true }))
