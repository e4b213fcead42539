import { z } from 'zod'
import { isTrusted, readTrust, trustItems } from '../../app/trust/trust.ts'
import { resolveBase } from '../../app/resolve-base.ts'
import type { App } from '../../app/open-app.ts'
import { viewOf } from '../serving/overview.ts'
import type { Serving } from '../serving/serving.ts'
import {
  AddRepository,
  RepositoryDetail,
  RepositoryList,
  RepositoryView,
  TrustCommands,
} from '../../model/api/repositories.ts'
import { Fault } from '../../model/fault.ts'
import { RepositoryId } from '../../model/id.ts'
import { maySee } from '../../model/people/person.ts'
import { addEndpoint, type ServerApp } from '../http/endpoint.ts'

const params = z.object({ id: RepositoryId })

const path = '/api/repositories'

const addingFaults = [
  'not_a_repository',
  'repository_unsupported',
  'forge_refused',
  'forge_missing',
  'forge_auth',
  'forge_busy',
] as const

export function addRepositoryRoutes(app: ServerApp, serving: Serving): void {
  addEndpoint(
    app,
    {
      access: { role: 'viewer', reach: 'filtered' },
      method: 'get',
      path,
      summary: 'The repositories of this home',
      answers: RepositoryList,
    },
    async ({ caller }) => ({
      schema: 'fixpoint.repositories.v1',
      repositories: (await serving.store.repositories.list())
        .filter(({ id }) => maySee(caller, id))
        .map(viewOf),
    }),
  )
  addEndpoint(
    app,
    {
      access: { role: 'admin', reach: 'home' },
      method: 'post',
      path,
      summary: 'Make the repository at a path or an address known',
      body: AddRepository,
      status: 201,
      answers: RepositoryView,
      faults: addingFaults,
    },
    async ({ body }) => viewOf((await serving.addRepository(body)).repository),
  )
  addEndpoint(
    app,
    {
      access: { role: 'viewer', reach: 'named' },
      method: 'get',
      path: `${path}/{id}`,
      summary: 'One repository, and what its configuration would run',
      params,
      answers: RepositoryDetail,
    },
    ({ params: { id } }) => serving.withRepository(id, detailOf),
  )
  addTrust(app, serving)
}

function addTrust(app: ServerApp, serving: Serving): void {
  addEndpoint(
    app,
    {
      access: { role: 'admin', reach: 'named' },
      method: 'post',
      path: `${path}/{id}/trust`,
      summary: 'Let exactly these commands of the configuration run',
      params,
      body: TrustCommands,
      answers: RepositoryDetail,
      faults: ['transition_refused', 'config_invalid'],
    },
    ({ params: { id }, body }) =>
      serving.withRepository(id, async (opened) => {
        const state = await readTrust(opened, { for: 'session' })
        if (state.digest === null || state.digest !== body.commands_hash)
          throw new Fault('transition_refused', 'the commands have changed since they were read', {
            hint: 'Read them again, then trust them.',
          })
        await trustItems(opened, state)
        return detailOf(opened)
      }),
  )
}

async function detailOf(app: App): Promise<RepositoryDetail> {
  const state = await readTrust(app, { for: 'session' })
  const { commit } = await resolveBase(app)
  return {
    ...viewOf(app.repository),
    base: { ref: 'HEAD', commit },
    commands: state.items,
    commands_hash: state.digest,
    trusted: isTrusted(state),
    notes: app.git.notes,
  }
}
