import { Login } from '../../../model/api/system.ts'
import { Fault } from '../../../model/fault.ts'
import type { Auth } from '../../http/auth.ts'
import { addEndpoint, type ServerApp } from '../../http/endpoint.ts'

export function addLoginRoutes(app: ServerApp, auth: Auth): void {
  addEndpoint(
    app,
    {
      method: 'post',
      path: '/api/login',
      summary: 'Exchange the token for a cookie',
      body: Login,
      status: 204,
    },
    async ({ body }) => {
      if (!auth.isToken(body.token)) throw new Fault('unauthorized', 'the token is wrong')
      return new Response(null, { status: 204, headers: { 'set-cookie': auth.loginCookie } })
    },
  )
  addEndpoint(
    app,
    { method: 'post', path: '/api/logout', summary: 'Forget the cookie', status: 204 },
    async () => new Response(null, { status: 204, headers: { 'set-cookie': auth.logoutCookie } }),
  )
}
