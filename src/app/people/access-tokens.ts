import { hash, randomBytes } from 'node:crypto'
import type { AccessTokenStore } from '../../loop/ports.ts'
import { parseDuration } from '../../model/duration.ts'
import { Fault } from '../../model/fault.ts'
import type { RepositoryId } from '../../model/id.ts'
import { isLive, TokenName, type AccessToken } from '../../model/people/access-token.ts'
import type { PersonRole } from '../../model/people/person.ts'
import { clock, ids } from '../machine.ts'

export interface NewAccessToken {
  readonly name: string
  readonly role: PersonRole
  readonly repositoryIds: readonly RepositoryId[] | null
  /** As a person writes it: `90d`; null for ever. */
  readonly expires: string | null
  /** Who lets this person in. */
  readonly by: string
}

/** 256 random bits need no slow hash. */
export const hashToken = (text: string): string => hash('sha256', `fixpoint token ${text}`)

/** Makes a token and keeps its hash; the text is given back once and is nowhere else. */
export async function createAccessToken(
  tokens: AccessTokenStore,
  { name, role, repositoryIds, expires, by }: NewAccessToken,
): Promise<{ readonly text: string; readonly token: AccessToken }> {
  const named = TokenName.safeParse(name)
  if (!named.success) throw new Fault('usage', `"${name}": ${named.error.issues[0]?.message ?? ''}`)
  const text = `fxp_${randomBytes(32).toString('base64url')}`
  const token: AccessToken = {
    id: ids.next('tok'),
    name,
    role,
    repository_ids: repositoryIds,
    created_at: new Date(clock.now()).toISOString(),
    created_by: by,
    expires_at: expires === null ? null : endOf(expires),
    revoked_at: null,
  }
  await tokens.create(token, hashToken(text))
  return { text, token }
}

function endOf(expires: string): string {
  const ms = parseDuration(expires)
  if (ms !== null && clock.now() + ms < 8.64e15) return new Date(clock.now() + ms).toISOString()
  throw new Fault('usage', `"${expires}" is not how long a token can hold`, {
    hint: 'Give a duration such as 90d or 12h, or leave it out.',
  })
}

/** Takes a token back by its id, or by the name of its person; its user is refused from now on. */
export async function revokeAccessToken(tokens: AccessTokenStore, idOrName: string): Promise<AccessToken> {
  const all = await tokens.list()
  const found =
    all.find(({ id }) => id === idOrName) ??
    all.find((token) => token.name === idOrName && isLive(token, clock.now()))
  if (!found)
    throw new Fault('not_found', `there is no valid token "${idOrName}"`, {
      hint: 'fixpoint tokens list shows them.',
    })
  if (await tokens.revoke(found.id)) return found
  throw new Fault('transition_refused', `the token of ${found.name} is revoked already`, {
    hint: 'fixpoint tokens list shows them.',
  })
}
