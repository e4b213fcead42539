import { verify } from '@octokit/webhooks-methods'
import { z } from 'zod'
import { Fault } from '../../model/fault.ts'
import type { HookQueue } from './hook-queue.ts'
import { limitedBody } from '../http/body.ts'
import { addEndpoint, type ServerApp } from '../http/endpoint.ts'

export const githubHookPath = '/api/webhooks/github'

const mostBytes = 2_000_000
const Headers = z.object({
  'x-github-delivery': z.string().regex(/^[\w-]{1,100}$/),
  'x-github-event': z.string().regex(/^[a-z_]{1,50}$/),
  'x-hub-signature-256': z.string().regex(/^sha256=[0-9a-f]{64}$/),
})

export interface HookParts {
  readonly queue: HookQueue
  /** What GitHub signs with; null when no webhooks are taken. */
  readonly secret: string | null
}

/** Needs no token: what is not signed with the secret is refused before it is read. Answers at once; the work comes later. */
export function addHookRoutes(app: ServerApp, { queue, secret }: HookParts): void {
  addEndpoint(
    app,
    {
      access: 'anyone',
      method: 'post',
      path: githubHookPath,
      summary: 'What GitHub tells: signed, each delivery once; unknown events are ignored',
      rawBody: ['application/json'],
      status: 202,
      answers: z.object({ outcome: z.enum(['queued', 'known', 'ignored']) }),
      faults: ['not_available', 'unauthorized'],
    },
    async ({ context }) => {
      if (secret === null)
        throw new Fault('not_available', 'this server takes no webhooks', {
          hint: 'Set github.app.webhook_secret in your own configuration, and start it again.',
        })
      const { incoming } = context.env
      const headers = Headers.safeParse(incoming.headers).data
      const chunks: Uint8Array[] = []
      for await (const chunk of limitedBody(incoming, mostBytes)) chunks.push(chunk)
      const body = new TextDecoder().decode(Buffer.concat(chunks))
      if (!headers || !(await verify(secret, body, headers['x-hub-signature-256'])))
        throw new Fault('unauthorized', 'the signature is missing or wrong', {
          hint: 'The secret of the webhook has to be that of github.app.webhook_secret.',
        })
      const told = { id: headers['x-github-delivery'], event: headers['x-github-event'], body }
      return { outcome: await queue.receive(told) }
    },
  )
}
