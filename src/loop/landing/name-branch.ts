import { isSettled, type Attempt } from '../../model/attempt/attempt.ts'
import { branchNameFor, numberedBranch } from '../../model/branch-name.ts'
import { Fault } from '../../model/fault.ts'
import type { Branches } from '../ports.ts'

const maxNumber = 1_000

/**
 * A name that no branch has yet: made of the first title and how many more there are, with a number where that name is
 * taken.
 */
export async function findFreeBranch(
  { first, more }: { readonly first: string; readonly more: number },
  branches: Pick<Branches, 'check'>,
): Promise<string> {
  const plain = branchNameFor(first, more)
  for (let number = 1; number < maxNumber; number += 1) {
    const name = numberedBranch(plain, number)
    const state = await branches.check(name)
    if (state.state === 'free') return name
    if (state.state === 'invalid') throw branchRefused(name, state.reason)
  }
  throw branchRefused(plain, 'all numbered names are taken too')
}

export const branchRefused = (name: string, why: string): Fault =>
  new Fault('branch_refused', `cannot use the branch "${name}": ${why}`, {
    hint: 'Choose another with --branch NAME.',
  })

/** How many beside the first one are about to land, or may still. */
export const countOthers = (attempts: readonly Attempt[]): number =>
  Math.max(0, attempts.filter((attempt) => !isSettled(attempt)).length - 1)
