import { z } from 'zod'
import { ArtifactList } from '../../model/api/sessions.ts'
import { Fault } from '../../model/fault.ts'
import { addEndpoint, type ServerApp } from '../http/endpoint.ts'
import type { Serving } from '../serving/serving.ts'
import { ofSession, textResponse } from './sessions.ts'

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
      const { session } = await serving.findSession(id)
      const names = await serving.withRepository(session.repository_id, async (opened) =>
        (await opened.ports()).artifacts.list(id),
      )
      return { schema: 'fixpoint.artifacts.v1', session_id: id, names }
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
      const { session } = await serving.findSession(id)
      const text = await serving.withRepository(session.repository_id, async (opened) => {
        const { artifacts } = await opened.ports()
        return (await artifacts.list(id)).includes(name) ? artifacts.read(id, name) : null
      })
      if (text === null) throw new Fault('not_found', `nothing is kept of this session as "${name}"`)
      return textResponse(text, 'text/plain')
    },
  )
}
