import { WhoAmI } from '../../../model/api/people.ts'
import { Login } from '../../../model/api/system.ts'
import { PersonRole } from '../../../model/people/person.ts'
import type { Callers } from '../../http/callers.ts'
import { addEndpoint, type ServerApp } from '../../http/endpoint.ts'

const path = '/api/login'

export function addLoginRoutes(app: ServerApp, callers: Callers): void {
  addEndpoint(
    app,
    {
      access: 'anyone',
      method: 'post',
      path,
      summary: 'Exchange a token for a cookie',
      body: Login,
      status: 204,
      faults: ['unauthorized', 'rate_limited'],
    },
    async ({ body, context }) => {
      const cookie = await callers.logIn(context.env.incoming, body.token)
      return new Response(null, { status: 204, headers: { 'set-cookie': cookie } })
    },
  )
  addEndpoint(
    app,
    {
      access: { role: 'viewer', reach: 'filtered' },
      method: 'get',
      path,
      summary: 'Who a request counts as',
      answers: WhoAmI,
    },
    async ({ caller: { name, role, repositories } }): Promise<WhoAmI> => ({
      schema: 'fixpoint.login.v1',
      name,
      role: PersonRole.parse(role),
      repository_ids: repositories,
    }),
  )
  addEndpoint(
    app,
    { access: 'anyone', method: 'post', path: '/api/logout', summary: 'Forget the cookie', status: 204 },
    async () => new Response(null, { status: 204, headers: { 'set-cookie': callers.logoutCookie } }),
  )
}
