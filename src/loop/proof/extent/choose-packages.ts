import type { TreeId } from '../../../model/id.ts'
import {
  findReachedPackages,
  type PackageRunner,
  type PackageTree,
} from '../../../model/proof/import-graph.ts'
import type { Patch } from '../../../model/proof/patch.ts'
import type { Ports } from '../../ports.ts'
import { isQuietlyGreen, type NarrowRequest, type Part } from './narrow-commands.ts'
import { narrowToPackages } from './narrow-packages.ts'

/** The runner that is given packages when only files of its language were changed. */
export function packageRunnerFor(changed: readonly string[]): PackageRunner | null {
  const isAll = (ending: string): boolean =>
    changed.length > 0 && changed.every((path) => path.endsWith(ending))
  if (isAll('.go')) return 'go'
  return isAll('.rs') ? 'cargo' : null
}

export interface PackageRequest extends NarrowRequest {
  readonly patch: Patch
  readonly changed: readonly string[]
  readonly runner: PackageRunner
  readonly signal: AbortSignal
}

/** The packages whose tests load what was changed, and the commands that run only those. */
export async function choosePackages(
  request: PackageRequest,
  { imports }: Pick<Ports, 'imports'>,
): Promise<Part | { readonly untold: string }> {
  const { patch, changed, runner, signal } = request
  const packagesOf = (tree: TreeId) => imports.packagesOf(tree, runner, signal)
  const [before, after] = [await packagesOf(patch.base_tree), await packagesOf(patch.tree)]
  if (!before || !after) return { untold: `nobody can tell which packages ${runner} knows` }
  const reached = findReachedPackages(changed, runner, [before, after])
  if ('untold' in reached) return reached
  const { folders } = reached
  const reason = whyNotPart(folders, before)
  if (reason !== null) return { untold: reason }
  const narrowed = narrowedNames(request, before)
  if ('untold' in narrowed) return narrowed
  return {
    files: folders.map((folder) => folder || './'),
    count: folders.length === 1 ? '1 package' : `${folders.length} packages`,
    narrowed: narrowed.names,
    commandsOn: async (tree) => {
      const there = await packagesOf(tree)
      return request.commands.map((command) => ({
        ...command,
        run:
          (there && narrowed.names.has(command.name) && lineFor(command.run, folders, { runner, there })) ||
          command.run,
      }))
    },
  }
}

function whyNotPart(folders: readonly string[], { packages }: PackageTree): string | null {
  const all = packages.filter(({ hasTests }) => hasTests)
  const old = all.filter(({ folder }) => folders.includes(folder))
  if (old.length === 0) return 'no test of the base loads what was changed'
  return old.length * 2 > all.length ? `the change reaches ${old.length} of ${all.length} packages` : null
}

/** The command's line for those of the packages that are there. */
function lineFor(
  run: string,
  folders: readonly string[],
  { runner, there }: { readonly runner: PackageRunner; readonly there: PackageTree },
): string | null {
  const names = there.packages
    .filter(({ folder }) => folders.includes(folder))
    .map(({ argument }) => argument)
  return names.length === 0 ? null : narrowToPackages(run, { ...there, runner, names })
}

function narrowedNames(
  { commands, baseline, runner }: PackageRequest,
  there: PackageTree,
): { readonly names: ReadonlySet<string> } | { readonly untold: string } {
  const folders = there.packages.map(({ folder }) => folder)
  const able = commands.filter(({ run }) => lineFor(run, folders, { runner, there }) !== null)
  if (able.length === 0)
    return { untold: `no command is known to run the tests of all packages of ${runner}` }
  const red = able.find(({ name }) => !isQuietlyGreen(baseline.find((run) => run.name === name)))
  return red ? { untold: `${red.name} is red on the base` } : { names: new Set(able.map(({ name }) => name)) }
}
