import { z } from 'zod'
import { listSettings } from '../../../app/config/sources.ts'
import { loadConfig } from '../../../app/config/load-config.ts'
import { examine } from '../../../app/doctor/examine.ts'
import { listAgents } from '../../../app/agents/list-agents.ts'
import { insightsOf } from '../../serving/insights.ts'
import type { SessionDigests } from '../../serving/session-digests.ts'
import type { Serving } from '../../serving/serving.ts'
import { AgentList, DoctorReport, Insights, SettingList } from '../../../model/api/system.ts'
import { IssueId, RepositoryId } from '../../../model/id.ts'
import { readSince } from '../../../model/issue/since.ts'
import { addEndpoint, type ServerApp } from '../../http/endpoint.ts'

const query = z.object({ repository_id: RepositoryId })
const sessionsCounted = 5_000

export function addSystemRoutes(app: ServerApp, serving: Serving, digests: SessionDigests): void {
  addEndpoint(
    app,
    { method: 'get', path: '/api/agents', summary: 'Who would take which role', query, answers: AgentList },
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
  addEndpoint(
    app,
    {
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
  addInsights(app, serving, digests)
}

function addInsights(app: ServerApp, serving: Serving, digests: SessionDigests): void {
  addEndpoint(
    app,
    {
      method: 'get',
      path: '/api/insights',
      summary: 'What sessions came to, of all time or since a day such as 2030-12-31 or an age such as 30d',
      query: query.extend({ since: z.string().max(40).optional() }),
      answers: Insights,
      faults: ['not_found'],
    },
    async ({ query: { repository_id: id, since } }) => {
      const first = since === undefined ? '' : readSince(since, Date.now()).slice(0, 10)
      const { id: repositoryId } = await serving.findRepository(id)
      const all = await digests.list({ repositoryId, limit: sessionsCounted })
      const sessions = all.map(({ ends }) => ends).filter(({ day }) => day >= first)
      const ids = new Set(sessions.flatMap(({ ends }) => ends).map(({ issueId }) => IssueId.parse(issueId)))
      return insightsOf({ sessions, issues: await serving.store.issues.get([...ids]) })
    },
  )
}
