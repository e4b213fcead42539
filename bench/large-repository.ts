import { execFileSync } from 'node:child_process'
import type { Revision } from '../src/model/attempt/attempt.ts'
import type { FixtureRepository } from '../test/fixtures/repositories.ts'

const FILES = 25_000

/** The path of the n-th file of a large repository. */
export const nameOf = (index: number): string =>
  `packages/p${index % 100}/src/m${index % 1000}/module-${index}.ts`

/** Two commits: 25,000 files, and one of them changed. */
export function addLargeCommits(repository: FixtureRepository): readonly [Revision, Revision] {
  const data = (text: string): string => `data ${text.length}\n${text}`
  const textOf = (index: number): string => `export const value${index} = ${index}\n`.repeat(1 + (index % 60))
  const commit = (message: string, files: readonly string[]): string[] => [
    'commit refs/heads/large',
    `committer Ada <ada@example.com> 0 +0000\n${data(message)}`,
    ...files,
  ]
  const files = Array.from(
    { length: FILES },
    (_, index) => `M 644 inline ${nameOf(index)}\n${data(textOf(index))}`,
  )
  const changed = `M 644 inline ${nameOf(77)}\n${data('export const changed = true\n')}`
  const input = [...commit('large', files), ...commit('changed', [changed]), ''].join('\n')
  execFileSync('git', ['fast-import', '--quiet'], { cwd: repository.root, env: repository.env, input })
  const read = (name: string): Revision =>
    ({
      commit: repository.git('rev-parse', name),
      tree: repository.git('rev-parse', `${name}^{tree}`),
    }) as Revision
  return [read('large~1'), read('large')]
}
