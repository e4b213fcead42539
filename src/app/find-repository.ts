import { findGit } from '../adapters/workspaces/objects/git.ts'
import type { DiscoveredRepository } from '../adapters/workspaces/objects/repository.ts'
import { discoverRepository } from '../adapters/workspaces/refs/discover.ts'
import { Fault } from '../model/fault.ts'
import type { Variables } from '../adapters/process/clean-environment.ts'

interface Place {
  readonly cwd: string
  readonly env: Variables
}

/** The repository around a folder, looked at and not touched: nothing is made in Fixpoint's home. */
export const lookAtRepository = ({ cwd, env }: Place): Promise<DiscoveredRepository> =>
  discoverRepository(findGit(env), cwd, env)

/** The root of the checkout; null outside of every repository. */
export async function findRoot(place: Place): Promise<string | null> {
  try {
    return (await lookAtRepository(place)).root
  } catch (error) {
    if (error instanceof Fault && error.code === 'not_a_repository') return null
    throw error
  }
}
