import { Fault } from '../../model/fault.ts'
import type { RepositoryId } from '../../model/id.ts'
import { maySee } from '../../model/people/person.ts'
import type { Serving } from '../serving/serving.ts'
import type { Caller } from './door.ts'

/** A repository that the caller may see; any other does not exist. */
export async function findSeen(
  { findRepository }: Pick<Serving, 'findRepository'>,
  caller: Caller,
  id: RepositoryId,
): Promise<void> {
  if (!maySee(caller, id)) throw new Fault('not_found', `there is no repository "${id}"`)
  await findRepository(id)
}

/** Reads of all repositories at once, or of each of some. */
export async function ofEach<Item>(
  repositories: readonly RepositoryId[] | null,
  read: (of: RepositoryId | null) => Promise<readonly Item[]>,
): Promise<readonly Item[]> {
  if (repositories === null) return read(null)
  return (await Promise.all(repositories.map(read))).flat()
}
