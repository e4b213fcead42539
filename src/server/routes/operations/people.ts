import { z } from 'zod'
import { createAccessToken, revokeAccessToken } from '../../../app/people/access-tokens.ts'
import { AuditList, NewTokenOutcome, NewTokenRequest, TokenList } from '../../../model/api/people.ts'
import { addEndpoint, type ServerApp } from '../../http/endpoint.ts'
import type { Serving } from '../../serving/serving.ts'

const path = '/api/tokens'
const access = { role: 'admin', reach: 'home' } as const

/** Who may come in, and who changed what. */
export function addPeopleRoutes(app: ServerApp, serving: Serving): void {
  const { accessTokens } = serving.store
  addEndpoint(
    app,
    { access, method: 'get', path, summary: 'Whom tokens let in; never the tokens', answers: TokenList },
    async () => ({ schema: 'fixpoint.tokens.v1', tokens: await accessTokens.list() }),
  )
  addEndpoint(
    app,
    {
      access,
      method: 'post',
      path,
      summary: 'Let a person in: the token is told this once',
      body: NewTokenRequest,
      status: 201,
      answers: NewTokenOutcome,
      faults: ['not_found', 'busy'],
    },
    async ({
      body: { name, role, repository_ids: repositoryIds = null, expires = null },
      caller,
      context,
    }) => {
      for (const id of repositoryIds ?? []) await serving.findRepository(id)
      const request = { name, role, repositoryIds, expires, by: caller.name }
      const { text, token } = await createAccessToken(accessTokens, request)
      const outcome: NewTokenOutcome = { schema: 'fixpoint.token.v1', token: text, details: token }
      // As it is: this one secret is meant for whoever asks.
      return context.json(outcome, 201, { 'cache-control': 'no-store' })
    },
  )
  addRevoking(app, serving)
  addAudit(app, serving)
}

/** The id stands in the address or after it. */
function addRevoking(app: ServerApp, { store }: Serving): void {
  const revoke = { access, method: 'delete', summary: 'Take a token back', status: 204 } as const
  const named = z.object({ id: z.string().min(1).max(200) })
  const gone = async (id: string): Promise<Response> => {
    await revokeAccessToken(store.accessTokens, id)
    return new Response(null, { status: 204 })
  }
  const faults = ['not_found', 'transition_refused'] as const
  addEndpoint(app, { ...revoke, path: `${path}/{id}`, params: named, faults }, ({ params }) =>
    gone(params.id),
  )
  addEndpoint(app, { ...revoke, path, query: named, faults }, ({ query }) => gone(query.id))
}

const most = 500

function addAudit(app: ServerApp, { store }: Serving): void {
  addEndpoint(
    app,
    {
      access,
      method: 'get',
      path: '/api/audit',
      summary: 'Every change with who asked for it, when, and from where; the newest first',
      query: z.object({
        person: z.string().max(200).optional(),
        /** `next_cursor` of the page before. */
        cursor: z.string().max(100).optional(),
        limit: z.coerce.number().int().min(1).max(most).default(100),
      }),
      answers: AuditList,
    },
    async ({ query: { person, cursor, limit } }) => {
      const entries = await store.audit.list({
        limit: limit + 1,
        ...(person !== undefined && { person }),
        ...(cursor !== undefined && { before: cursor }),
      })
      const shown = entries.slice(0, limit)
      const next = entries.length > limit ? (shown.at(-1)?.id ?? null) : null
      return { schema: 'fixpoint.audit.v1', entries: shown, next_cursor: next }
    },
  )
}
