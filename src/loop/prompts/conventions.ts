import type { TreeId } from '../../model/id.ts'
import { foldersAbove } from '../../model/repository-path.ts'
import type { Trees } from '../ports.ts'
import type { Convention } from './build.ts'

const names = ['AGENTS.md', 'CLAUDE.md', 'GEMINI.md']

/** The project's own rules for whoever edits a file: nearest folder first, then the configured ones. Read from a commit, never from a workspace. */
export async function readConventions(
  trees: Trees,
  tree: TreeId,
  place: {
    readonly file: string | null
    /** Other files that are worked on as well. */
    readonly files?: readonly string[]
    readonly configured: readonly string[]
  },
): Promise<readonly Convention[]> {
  const paths = [
    ...[place.file ?? '', ...(place.files ?? [])]
      .flatMap((file) => foldersAbove(file))
      .toSorted((a, b) => b.length - a.length)
      .flatMap((folder) => names.map((name) => `${folder}${name}`)),
    ...place.configured,
  ]
  const texts = await trees.readMany(tree, [...new Set(paths)])
  return [...texts].map(([path, bytes]) => ({ path, text: new TextDecoder().decode(bytes) }))
}
