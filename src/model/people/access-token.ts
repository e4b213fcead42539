import { z } from 'zod'
import { RepositoryId } from '../id.ts'
import { PersonRole, type Person } from './person.ts'

/** A person's way in: only a hash of it is kept, so that nobody can read it here. */
export const AccessToken = z.strictObject({
  id: z.string().regex(/^tok_[0-9a-z]+$/),
  /** Whose it is. A proxy that logs people in says the same name. */
  name: z.string(),
  role: PersonRole,
  /** Null for all repositories. */
  repository_ids: z.array(RepositoryId).readonly().nullable(),
  created_at: z.string(),
  created_by: z.string(),
  expires_at: z.string().nullable(),
  revoked_at: z.string().nullable(),
})
export type AccessToken = z.infer<typeof AccessToken>

/** Short, and nothing that would break a line or a header. */
export const TokenName = z.string().regex(/^[\p{L}\p{N}](?:[\p{L}\p{N} ._@+-]{0,98}[\p{L}\p{N}])?$/u, {
  error: 'expected a name such as ada or ada@example.org',
})

export const isLive = (
  { expires_at, revoked_at }: Pick<AccessToken, 'expires_at' | 'revoked_at'>,
  nowMs: number,
): boolean => revoked_at === null && (expires_at === null || Date.parse(expires_at) > nowMs)

export const personOf = ({ id, name, role, repository_ids }: AccessToken): Person => ({
  name,
  role,
  repositories: repository_ids,
  tokenId: id,
})
