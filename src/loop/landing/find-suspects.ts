import type { ImportGraph } from '../../model/proof/import-graph.ts'
import { touchedPaths } from '../../model/proof/patch.ts'
import type { Verification } from '../../model/proof/verification.ts'
import type { Ports } from '../ports.ts'
import { testsNamed, type TestText } from '../proof/judging/tests-about.ts'
import { readTestTexts } from '../proof/judging/read-test-texts.ts'
import type { Accepted } from './compose-train.ts'

export type SuspectPorts = Pick<Ports, 'trees' | 'imports'>

interface RedTrain {
  readonly train: readonly Accepted[]
  readonly signal: AbortSignal
}

/**
 * The few wagons of a red train that are likely to be to blame: the failing output names their files, or else the
 * failing tests load them. When that is half of the train, it says nothing.
 */
export async function findSuspects(
  verification: Verification,
  { train, signal }: RedTrain,
  ports: SuspectPorts,
): Promise<ReadonlySet<Accepted>> {
  const red = verification.commands.filter(({ status }) => status !== 'passed')
  const output = red.map((command) => command.output).join('\n')
  const named = train.filter(({ patch }) => touchedPaths(patch).some((path) => output.includes(path)))
  if (named.length > 0 && isFew(named, train)) return new Set(named)
  const failing = red.flatMap((command) =>
    (command.failing ?? []).flatMap((test) => (test.is_new ? [test.name] : [])),
  )
  if (failing.length === 0) return new Set()
  const tests = await readTestTexts(ports.trees, verification.tree)
  const graph = await ports.imports.graphOf(verification.tree, signal)
  const reached = train.filter(({ patch }) => isLoadedBy(touchedPaths(patch), failing, { tests, graph }))
  return new Set(isFew(reached, train) ? reached : [])
}

const isFew = (some: readonly Accepted[], train: readonly Accepted[]): boolean =>
  some.length * 2 < train.length

/** Whether a failing test stands in a file that is one of these, or loads one. */
function isLoadedBy(
  paths: readonly string[],
  failing: readonly string[],
  { tests, graph }: { readonly tests: readonly TestText[]; readonly graph: ImportGraph },
): boolean {
  const loading = new Set(paths.flatMap((path) => [path, ...graph.importersOf(path)]))
  return failing.some((name) => testsNamed(name, tests)?.some(({ path }) => loading.has(path)) ?? false)
}
