import { z } from 'zod'
import { listSettings } from '../../../app/config/sources.ts'
import { loadConfig } from '../../../app/config/load-config.ts'
import { examine } from '../../../app/doctor/examine.ts'
import { listAgents } from '../../../app/agents/list-agents.ts'
import { readInsights } from '../../insights/read-insights.ts'
import type { SessionDigests } from '../../serving/session-digests.ts'
import type { Serving } from '../../serving/serving.ts'
import { AgentList, DoctorReport, Insights, SettingList } from '../../../model/api/system.ts'
import { RepositoryId } from '../../../model/id.ts'
import { readSince } from '../../../model/duration.ts'
import { addEndpoint, type ServerApp } from '../../http/endpoint.ts'

const query = z.object({ repository_id: RepositoryId })

export function addSystemRoutes(app: ServerApp, serving: Serving, digests: SessionDigests): void {
  addEndpoint(
    app,
    {
      access: { role: 'viewer', reach: 'named' },
      method: 'get',
      path: '/api/agents',
      summary: 'Who would take which role',
      query,
      answers: AgentList,
    },
    ({ query: { repository_id: id } }) =>
      serving.withRepository(id, async ({ loaded }) => {
        const { agents, roles } = await listAgents(loaded, serving.env)
        const shown = agents.map(({ path: _path, can: _can, ...agent }) => agent)
        return { schema: 'fixpoint.agents.v1', agents: shown, roles }
      }),
  )
  addEndpoint(
    app,
    {
      access: { role: 'viewer', reach: 'named' },
      method: 'get',
      path: '/api/config',
      summary: 'Every setting and where it comes from',
      query,
      answers: SettingList,
    },
    async ({ query: { repository_id: id } }) => {
      const { path } = await serving.findRepository(id)
      const { config, sources, notices } = await loadConfig({ repositoryRoot: path, env: serving.env })
      return { schema: 'fixpoint.config.v1', settings: listSettings(config, sources), notices }
    },
  )
  addDoctor(app, serving)
  addInsights(app, serving, digests)
}

function addDoctor(app: ServerApp, serving: Serving): void {
  addEndpoint(
    app,
    {
      access: { role: 'viewer', reach: 'named' },
      method: 'get',
      path: '/api/doctor',
      summary: 'What is well and what is not',
      query,
      answers: DoctorReport,
    },
    async ({ query: { repository_id: id } }) => {
      const { path } = await serving.findRepository(id)
      const checks = await examine({ cwd: path, env: serving.env, fix: false })
      return { schema: 'fixpoint.doctor.v1', checks }
    },
  )
}

function addInsights(app: ServerApp, serving: Serving, digests: SessionDigests): void {
  addEndpoint(
    app,
    {
      access: { role: 'viewer', reach: 'named' },
      method: 'get',
      path: '/api/insights',
      summary:
        'What sessions came to, of all time or between days such as 2030-12-31 or ages such as 30d; with the attempts behind one bar',
      query: query.extend({
        since: z.string().max(40).optional(),
        /** The last day that counts. */
        until: z.string().max(40).optional(),
        /** A figure and one of its values, such as `outcomes:refused`. */
        behind: z.string().max(200).optional(),
      }),
      answers: Insights,
      faults: ['not_found'],
    },
    async ({ query: { repository_id: id, since, until, behind } }) => {
      const dayOf = (text: string): string => readSince(text, Date.now()).slice(0, 10)
      const first = since === undefined ? '' : dayOf(since)
      const last = until === undefined ? '9999' : dayOf(until)
      const { id: repositoryId } = await serving.findRepository(id)
      return readInsights({ issues: serving.store.issues, digests }, { repositoryId, first, last, behind })
    },
  )
}
