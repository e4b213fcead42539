import { isCode, pathKind } from '../../model/path-kind.ts'
import { touchedPaths, type Patch } from '../../model/proof/patch.ts'
import type { Verification } from '../../model/proof/verification.ts'
import type { Ports } from '../ports.ts'
import { readTexts } from '../read-code.ts'
import { testsNamed, type TestText } from './judging/tests-about.ts'

export interface ProvenPatch {
  readonly patch: Patch
  readonly signal: AbortSignal
}

/**
 * A verification whose proof has only tests that have to do with the patch. A test that loads nothing of what was
 * changed, and starts nothing, turned green for another reason.
 */
export async function keepOwnProof(
  verification: Verification,
  { patch, signal }: ProvenPatch,
  { trees, imports }: Pick<Ports, 'trees' | 'imports'>,
): Promise<Verification> {
  const { proof, ...unproven } = verification
  if (!proof) return verification
  const paths = [...(await trees.list(patch.tree))].filter(
    (path) => pathKind(path) === 'test' && isCode(path),
  )
  const texts = await readTexts(trees, patch.tree, paths.slice(0, mostTestFiles))
  const files = [...texts].map(([path, text]) => ({ path, text }))
  const graph = await imports.graphOf(patch.tree, signal)
  const before = await imports.graphOf(patch.base_tree, signal)
  const changed = touchedPaths(patch)
  const loadsChange = ({ path, text }: TestText): boolean =>
    !graph.isRead(path) ||
    reachesOut.test(text) ||
    changed.some(
      (file) =>
        file === path ||
        !(graph.isRead(file) || before.isRead(file)) ||
        graph.importersOf(file).has(path) ||
        before.importersOf(file).has(path),
    )
  const tests = proof.tests.filter((name) => testsNamed(name, files)?.some(loadsChange) ?? true)
  return tests.length > 0 ? { ...verification, proof: { ...proof, tests } } : unproven
}

/** More files of tests than this are not read. */
const mostTestFiles = 5_000

/** Something that starts a program, talks to one or reads files needs no import. */
const reachesOut =
  /\b(?:spawn\w*|exec\w*|fork|subprocess|popen|system|fetch|request|https?|readFile\w*|open|import_module|__import__)\s*\(|\bimport\(/i
