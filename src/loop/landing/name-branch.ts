import { isSettled, type Attempt } from '../../model/attempt/attempt.ts'
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

/** The number of other attempts that are about to land, or still may. */
export const countOthers = (attempts: readonly Attempt[]): number =>
  Math.max(0, attempts.filter((attempt) => !isSettled(attempt)).length - 1)

const maxSlug = 60

/** `fix/<slug of first title>[-and-N-more]`, for any script or length of title. */
export function branchNameFor(first: string, more: number): string {
  const slug = slugOf(first) || 'findings'
  return `fix/${slug}${more > 0 ? `-and-${more}-more` : ''}`
}

/** Letters and digits of any script, everything else a dash; git-safe by construction. */
function slugOf(title: string): string {
  const plain = title
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
  return [...plain]
    .slice(0, maxSlug)
    .join('')
    .normalize('NFC')
    .replaceAll(/^-+|-+$/g, '')
}

/** The same name with a number, for when the plain one is taken. */
export const numberedBranch = (name: string, number: number): string =>
  number < 2 ? name : `${name}-${number}`
