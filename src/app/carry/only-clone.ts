import type { Store } from '../../adapters/store/index.ts'
import type { Repository } from '../../model/repository.ts'

interface CloneOf {
  readonly store: Pick<Store, 'isOwnerAlive'>
  readonly repository: Pick<Repository, 'url'>
  /** The path of the clone that is worked in. */
  readonly clone: string
}

/**
 * The clone whose branches are all that there are. Null for a mirror where machines share the database: each has one of
 * its own at the same path, and a branch that another one made need not be here.
 */
export const onlyCloneOf = ({ store, repository, clone }: CloneOf): string | null =>
  store.isOwnerAlive !== null && repository.url !== null ? null : clone
