import type { LinePlace } from '../../../loop/ports.ts'
import { CommitId } from '../../../model/id.ts'
import type { GitRepository } from '../repository/open-repository.ts'

/** Who wrote each line, asked once per line: the owned directory has no attributes or drivers that could run. */
export function blameLines(
  { owned }: GitRepository,
  commit: CommitId,
  places: readonly LinePlace[],
): Promise<readonly (CommitId | null)[]> {
  return Promise.all(
    places.map(async ({ file, line }) => {
      const args = ['blame', '--porcelain', '-L', `${line},${line}`, commit, '--', file]
      const answer = await owned.run(args, { answers: [1, 128], maxBytes: 1024 * 1024, overflow: 'cut' })
      const id = /^\^?([0-9a-f]{40,64}) /.exec(answer.stdout.toString('latin1'))?.[1]
      return answer.exitCode === 0 && id !== undefined ? CommitId.parse(id) : null
    }),
  )
}
