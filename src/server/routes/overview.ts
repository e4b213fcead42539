import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { Overview, Pulse } from '../../model/api/overview.ts'
import type { Pulses } from '../events/pulses.ts'
import { addEndpoint, type ServerApp } from '../http/endpoint.ts'
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
      method: 'get',
      path: '/api/overview',
      summary: 'Every repository with what is open, runs and waits, and its last review',
      answers: Overview,
    },
    // A process may end without a word, so an answer is kept for a few seconds only.
    () => kept(Math.floor(Date.now() / keptMs), () => readOverview(serving, Date.now())),
  )
  addEndpoint(
    app,
    {
      method: 'get',
      path: '/api/overview/events',
      summary:
        'A stream of what runs and waits in all repositories, sent whenever it changes; now with Accept: application/json',
      answers: Pulse,
    },
    async ({ context }) => {
      if (wantsJson(context)) return readPulse(serving)
      pulses.open(context.env.outgoing)
      return RESPONSE_ALREADY_SENT
    },
  )
}

const keptMs = 5_000
