import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { Overview, Pulse } from '../../model/api/overview.ts'
import { maySee } from '../../model/people/person.ts'
import { seenOf, type Pulses, type SeesRepository } from '../events/pulses.ts'
import { addEndpoint, type ServerApp } from '../http/endpoint.ts'
import { streamOf } from '../http/endpoint-definition.ts'
import { readOverview, readPulse } from '../serving/overview.ts'
import type { Serving } from '../serving/serving.ts'
import { createKeptAnswers } from './issue-pages.ts'
import { wantsJson } from './send-stream.ts'

/** All repositories at a glance, and what changes in them. */
export function addOverviewRoutes(app: ServerApp, serving: Serving, pulses: Pulses): void {
  const kept = createKeptAnswers<Overview>(serving.store)
  addEndpoint(
    app,
    {
      access: { role: 'viewer', reach: 'filtered' },
      method: 'get',
      path: '/api/overview',
      summary: 'Every repository with what is open, runs and waits, and its last review',
      answers: Overview,
    },
    // A process may end without a word, so an answer is kept for a few seconds only.
    async ({ caller }) => {
      const all = await kept(Math.floor(Date.now() / keptMs), () => readOverview(serving, Date.now()))
      return { ...all, repositories: all.repositories.filter(({ id }) => maySee(caller, id)) }
    },
  )
  addEndpoint(
    app,
    {
      access: { role: 'viewer', reach: 'filtered' },
      method: 'get',
      path: '/api/overview/events',
      summary:
        'A stream of what runs and waits in all repositories, sent whenever it changes; now with Accept: application/json',
      answers: Pulse,
      others: [streamOf(Pulse)],
    },
    async ({ context, caller }) => {
      const isSeen: SeesRepository = (id) => maySee(caller, id)
      if (wantsJson(context)) return seenOf(await readPulse(serving), isSeen)
      pulses.open(context.env.outgoing, isSeen)
      return RESPONSE_ALREADY_SENT
    },
  )
}

const keptMs = 5_000
