/** The ports over people: their tokens, and the record of what they did. */

import type { AccessToken } from '../model/people/access-token.ts'
import type { AuditEntry } from '../model/people/audit-entry.ts'

/** Tokens, without their secrets. They are revoked, never deleted: the record of changes names them. */
export interface AccessTokenStore {
  /** Busy when a token of this name is valid already. */
  create(token: AccessToken, hash: string): Promise<void>
  /** The newest first. */
  list(): Promise<readonly AccessToken[]>
  /** One that is valid, with the hash that is kept of it. */
  find(by: TokenKey): Promise<KeptToken | null>
  /** False when there is none, or it is revoked already. */
  revoke(id: string): Promise<boolean>
}

export type TokenKey = { readonly hash: string } | { readonly id: string } | { readonly name: string }

export interface KeptToken {
  readonly token: AccessToken
  readonly hash: string
}

/** Who changed what. Entries are added and completed with their outcome; nothing removes them. */
export interface AuditStore {
  /** Of a long request, the beginning is kept. It is cut here, behind the door: half a secret is not recognised. */
  begin(entry: AuditEntry): Promise<void>
  end(id: string, outcome: number): Promise<void>
  /** The newest first. */
  list(query: AuditQuery): Promise<readonly AuditEntry[]>
}

export interface AuditQuery {
  readonly person?: string
  /** Only those before this one. */
  readonly before?: string
  readonly limit: number
}
