import { isCode, isNamedAsTest, pathKind } from '../../model/path-kind.ts'
import { touchedPaths } from '../../model/proof/patch.ts'
import type { FileChange, PatchFlaw } from '../ports.ts'
import { findCheckFiles } from '../commands/check-files.ts'
import type { GateDefinition, GateVerdict, JudgedPatch } from './gate-definition.ts'
import { readTexts } from '../read-code.ts'

export const tamperGate: GateDefinition = {
  name: 'tamper',
  description:
    'no test weakened, no check, lock file or agent rule touched, no suppression added, nothing that asks whether it is judged or that nobody can read; else a person decides',
  asks: {
    whom: 'person',
    question: 'May this patch change what judges it, or bring what a diff does not show?',
  },
  needs: 'patch',
  async judge(judged) {
    const flaws = [...(await findFlaws(judged)), ...(await findTakenOver(judged))]
    const isLeft = judged.limits.commands.length > 0
    return refuseFlaws(
      flaws.filter(({ unlessRan }) => !isLeft || unlessRan === undefined),
      'no test, check or rule is weakened',
    )
  },
}

/** New tests that may skip themselves: the commands' run shows whether they did. */
export const findUnrunTests = async (
  judged: JudgedPatch,
): Promise<readonly (PatchFlaw & { readonly unlessRan: string })[]> =>
  (await findFlaws(judged)).flatMap(({ unlessRan, ...flaw }) =>
    unlessRan === undefined ? [] : [{ ...flaw, unlessRan }],
  )

async function findFlaws(judged: JudgedPatch): Promise<readonly PatchFlaw[]> {
  const { base, patch, issue, limits, ports } = judged
  const { trees, inspector } = ports
  return inspector.findTampering(await leaveOutApproved(judged), {
    protectedGlobs: limits.protected,
    checkFiles: await findCheckFiles(limits.commands, base.tree, trees),
    existing: await trees.list(patch.base_tree),
    findingFile: issue?.file ?? null,
    ...(issue && { findingTitle: issue.title }),
  })
}

/** New helpers that old tests load although nobody changed them: they stand before what the tests had until now. */
async function findTakenOver({ patch, approved, ports, signal }: JudgedPatch): Promise<readonly PatchFlaw[]> {
  const helpers = patch.files.filter(
    ({ path, status }) =>
      status === 'added' && pathKind(path) === 'test' && isCode(path) && !isNamedAsTest(path),
  )
  const open = helpers.filter(({ path }) => !approved?.paths.includes(path))
  if (open.length === 0) return []
  const graph = await ports.imports.graphOf(patch.tree, signal)
  const touched = new Set(touchedPaths(patch))
  const isLed = (by: string, path: string): boolean =>
    [...graph.importsOf(by)].some((each) => touched.has(each) && graph.importsOf(each).has(path))
  return open.flatMap(({ path }) => {
    const by = [...graph.importersOf(path)].find((each) => !touched.has(each) && !isLed(each, path))
    return by === undefined
      ? []
      : [{ path, line: null, what: `${by} loads it from now on, in the place of something else` }]
  })
}

const shown = 8

/** The verdict on what was found in a patch, with the places; nothing found is a pass. */
export function refuseFlaws(flaws: readonly PatchFlaw[], good: string): GateVerdict {
  if (flaws.length === 0) return { status: 'passed', reason: good }
  const said = flaws.map(({ path, line, what }) => `${path}${line === null ? '' : `:${line}`} ${what}`)
  const more = said.length > shown ? `; and ${said.length - shown} more` : ''
  return {
    status: 'failed',
    reason: `${said.slice(0, shown).join('; ')}${more}`,
    paths: [...new Set(flaws.map(({ path }) => path))],
  }
}

/**
 * The changes since a person approved some, compared with what was approved. Contents are compared by id as well:
 * different bytes can read as the same text.
 */
async function leaveOutApproved({
  changes,
  patch,
  approved,
  ports: { trees },
}: JudgedPatch): Promise<readonly FileChange[]> {
  if (!approved) return changes
  const texts = await readTexts(trees, approved.tree, approved.paths)
  const [then, now] = [await trees.blobs(approved.tree), await trees.blobs(patch.tree)]
  return changes.flatMap((change) => {
    const { path, after, status } = change
    if (!approved.paths.includes(path)) return [change]
    const before = texts.get(path) ?? null
    if (before === after && then.get(path) === now.get(path)) return []
    return [{ ...change, before, status: before === null ? status : ('modified' as const) }]
  })
}
