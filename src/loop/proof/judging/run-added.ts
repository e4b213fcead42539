import type { Revision } from '../../../model/attempt/attempt.ts'
import type { TreeId } from '../../../model/id.ts'
import type { CheckCommand, CommandRun } from '../../../model/proof/verification.ts'
import { parseScripts } from '../../commands/check-files.ts'
import type { Ports } from '../../ports.ts'
import { readTexts } from '../../read-code.ts'
import { narrowCommand } from './narrow-command.ts'

export interface AddedTests {
  /** What is added for a run, by path. */
  readonly files: ReadonlyMap<string, string>
  readonly base: Revision
  readonly commands: readonly CheckCommand[]
  readonly signal: AbortSignal
}

export interface AddedRun {
  /** The commands that run nothing but the added files. */
  readonly narrowed: ReadonlySet<string>
  /** The commands that run tests, for the added files alone where their runner takes files. */
  run(tree: TreeId, options?: AddedRunOptions): Promise<readonly CommandRun[]>
}

interface AddedRunOptions {
  readonly isRedExpected?: boolean
  /** Other files of tests in the tree that run before the added ones. */
  readonly beside?: readonly string[]
}

type AddingPorts = Pick<Ports, 'trees' | 'composer' | 'checks'>

/** Runs tests on trees that have them for that run only: nothing else ever sees those trees. */
export async function prepareAdded(added: AddedTests, ports: AddingPorts): Promise<AddedRun> {
  const { files, base, signal } = added
  const manifest = await readTexts(ports.trees, base.tree, ['package.json'])
  const scripts = parseScripts(manifest.get('package.json'))
  const chosen = await testCommands(added, ports)
  const narrow = (beside: readonly string[]): readonly CheckCommand[] =>
    chosen.map((command) => ({
      ...command,
      run: narrowCommand(command.run, [...beside, ...files.keys()], scripts),
    }))
  const narrowed = narrow([]).filter(({ run }, index) => run !== chosen[index]?.run)
  return {
    narrowed: new Set(narrowed.map(({ name }) => name)),
    async run(tree, { isRedExpected = false, beside = [] } = {}) {
      const revision = { commit: base.commit, tree: await ports.composer.add(tree, files) }
      return ports.checks.run({ commands: narrow(beside), revision, signal, isRedExpected })
    },
  }
}

/** The commands that run tests, and the commands before them that build something. */
async function testCommands(
  { base, commands, signal }: AddedTests,
  { checks }: AddingPorts,
): Promise<readonly CheckCommand[]> {
  // They ran before, so this is remembered.
  const runs = await checks.run({ commands, revision: base, signal })
  const isTest = ({ name }: CheckCommand): boolean =>
    runs.some((run) => run.name === name && run.tests !== null)
  const last = commands.findLastIndex(isTest)
  return commands.slice(0, last + 1).filter((command) => isTest(command) || builds.test(command.run))
}

const builds = /\b(?:build|compile|tsc|generate|codegen|bundle|install)\b/

/** Of the titles, those that failing tests bear. */
export const reportedIn = (runs: readonly CommandRun[], titles: readonly string[]): ReadonlySet<string> =>
  new Set(titles.filter((title) => failuresOf(runs, title).length > 0))

/** The names of the failing tests that bear a title. */
export function failuresOf(runs: readonly CommandRun[], title: string): readonly string[] {
  // The same title with a number after it is another one.
  const own = new RegExp(String.raw`(?<!\w)${title.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')}(?!\w| \d)`)
  // A run that ends well although tests failed could not have stopped anything.
  const red = runs.filter(({ exit_code }) => exit_code !== 0)
  return red.flatMap(({ tests }) =>
    (tests?.tests ?? []).flatMap(({ name, status }) => (status === 'failed' && own.test(name) ? [name] : [])),
  )
}
