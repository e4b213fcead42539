import { z } from 'zod'
import type { RepositoryId } from '../id.ts'

/** What a person may do, the least first: look; start, answer and stop; also add repositories, trust and let others in. */
export const PersonRole = z.enum(['viewer', 'operator', 'admin'])
export type PersonRole = z.infer<typeof PersonRole>

/** Somebody who asks a server for something. */
export interface Person {
  readonly name: string
  /** Null for somebody who proves nothing. */
  readonly role: PersonRole | null
  /** The only repositories that exist for this person; null for all of them. */
  readonly repositories: readonly RepositoryId[] | null
  /** The token that says so; null for the server's own. */
  readonly tokenId: string | null
}

export const isAtLeast = ({ role }: Pick<Person, 'role'>, needed: PersonRole): boolean =>
  role !== null && PersonRole.options.indexOf(role) >= PersonRole.options.indexOf(needed)

export const maySee = ({ repositories }: Pick<Person, 'repositories'>, id: string): boolean =>
  repositories === null || repositories.some((own) => own === id)
