import { z } from 'zod'
import { ArtifactList } from '../../model/api/sessions.ts'
import { Fault } from '../../model/fault.ts'
import { addEndpoint, type ServerApp } from '../http/endpoint.ts'
import type { Serving } from '../serving/serving.ts'
import { ofSession } from './sessions.ts'

export function addArtifactRoutes(app: ServerApp, serving: Serving): void {
  addEndpoint(
    app,
    {
      access: { role: 'viewer', reach: 'named' },
      method: 'get',
      path: '/api/sessions/{id}/artifacts',
      summary: 'The names of what is kept of a session: prompts, answers, plans',
      params: ofSession,
      answers: ArtifactList,
    },
    async ({ params: { id } }) => {
      await serving.findSession(id)
      const names = await serving.artifacts.list(id)
      const links = await Promise.all(names.map((name) => serving.artifacts.link(id, name)))
      const isLinked = links.every((link) => link !== null)
      return {
        schema: 'fixpoint.artifacts.v1',
        session_id: id,
        names,
        links: names.length > 0 && isLinked ? links : null,
      }
    },
  )
  addEndpoint(
    app,
    {
      access: { role: 'viewer', reach: 'named' },
      method: 'get',
      path: '/api/sessions/{id}/artifact',
      summary: 'One of them, as text',
      params: ofSession,
      query: z.object({ name: z.string().min(1) }),
      answers: { text: ['text/plain'] },
    },
    async ({ params: { id }, query: { name } }) => {
      await serving.findSession(id)
      const isKept = (await serving.artifacts.list(id)).includes(name)
      const text = isKept ? await serving.artifacts.stream(id, name) : null
      if (text === null) throw new Fault('not_found', `nothing is kept of this session as "${name}"`)
      // It was redacted as it was written, and may be too large to be read as a whole.
      return new Response(text, { headers: { 'content-type': 'text/plain; charset=utf-8' } })
    },
  )
}
