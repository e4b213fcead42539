import { basename, resolve } from 'node:path'
import { Fault } from '../../model/fault.ts'
import type { Repository } from '../../model/repository.ts'

interface Naming {
  readonly cwd: string
  /** What stands before the name in a message. */
  readonly flag?: string
}

/** A repository by its id, its address, its folder, or the name of its folder. */
export function findNamed(
  known: readonly Repository[],
  given: string,
  { cwd, flag = '' }: Naming,
): Repository {
  const at = resolve(cwd, given)
  const found = known.filter(
    ({ id, path }) =>
      id === given || path === given || path === at || basename(path).replace(/\.git$/, '') === given,
  )
  const [first, ...others] = found
  if (first && others.length === 0) return first
  throw new Fault(
    'usage',
    `${flag}${given}: ${first ? 'several repositories have this name' : 'there is no such repository'}`,
    {
      hint:
        known.length === 0
          ? 'There is none yet: fixpoint repos add makes one known.'
          : `Give an id, an address or a folder: ${known.map(({ id, path }) => `${id} ${path}`).join(', ')}`,
    },
  )
}
