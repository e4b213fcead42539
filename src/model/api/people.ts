import { z } from 'zod'
import { RepositoryId } from '../id.ts'
import { AccessToken, TokenName } from '../people/access-token.ts'
import { AuditEntry } from '../people/audit-entry.ts'
import { PersonRole } from '../people/person.ts'

/** Who a request counts as. */
export const WhoAmI = z.object({
  schema: z.literal('fixpoint.login.v1'),
  name: z.string(),
  role: PersonRole,
  /** Null for all. */
  repository_ids: z.array(RepositoryId).readonly().nullable(),
})
export type WhoAmI = z.infer<typeof WhoAmI>

export const NewTokenRequest = z.strictObject({
  name: TokenName,
  role: PersonRole,
  /** Only these repositories; all when it is left out. */
  repository_ids: z.array(RepositoryId).min(1).readonly().optional(),
  /** How long it holds, such as `90d`; for ever when it is left out. */
  expires: z.string().optional(),
})
export type NewTokenRequest = z.infer<typeof NewTokenRequest>

export const TokenList = z.object({
  schema: z.literal('fixpoint.tokens.v1'),
  tokens: z.array(AccessToken).readonly(),
})
export type TokenList = z.infer<typeof TokenList>

/** The only time that the token itself is told. */
export const NewTokenOutcome = z.object({
  schema: z.literal('fixpoint.token.v1'),
  token: z.string(),
  details: AccessToken,
})
export type NewTokenOutcome = z.infer<typeof NewTokenOutcome>

export const AuditList = z.object({
  schema: z.literal('fixpoint.audit.v1'),
  /** The newest first. */
  entries: z.array(AuditEntry).readonly(),
  next_cursor: z.string().nullable(),
})
export type AuditList = z.infer<typeof AuditList>
