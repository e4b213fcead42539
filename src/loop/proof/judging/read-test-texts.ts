import type { TreeId } from '../../../model/id.ts'
import { isCode, pathKind } from '../../../model/path-kind.ts'
import type { Ports } from '../../ports.ts'
import { readTexts } from '../../read-code.ts'
import type { TestText } from './tests-about.ts'

/** More files of tests than this are not read. */
const mostTestFiles = 5_000

/** The files of tests that a tree holds. */
export async function readTestTexts(
  trees: Pick<Ports['trees'], 'list' | 'readMany'>,
  tree: TreeId,
): Promise<readonly TestText[]> {
  const paths = [...(await trees.list(tree))].filter((path) => pathKind(path) === 'test' && isCode(path))
  const texts = await readTexts(trees, tree, paths.slice(0, mostTestFiles))
  return [...texts].map(([path, text]) => ({ path, text }))
}
