import { z } from 'zod'
import { RepositoryId } from '../id.ts'

/** One change that somebody asked for: who, what, when, from where, and what came of it. */
export const AuditEntry = z.strictObject({
  id: z.string().regex(/^aud_[0-9a-z]+$/),
  at: z.string(),
  person: z.string(),
  /** Null for commands, whose user has the database itself. */
  role: z.string().nullable(),
  token_id: z.string().nullable(),
  /** The address that the request came from, or `command line`. */
  address: z.string(),
  /** `POST /api/fix/start`, `fixpoint cancel` */
  action: z.string(),
  repository_ids: z.array(RepositoryId).readonly(),
  /** What was asked for, without secrets and not longer than it can be read. */
  request: z.string().nullable(),
  /** The HTTP status or exit code; null when it never ended, or has not yet. */
  outcome: z.number().int().nullable(),
})
export type AuditEntry = z.infer<typeof AuditEntry>
