import { preflight } from '../serving/preflight.ts'
import type { Serving } from '../serving/serving.ts'
import { overridesOf } from '../serving/asked-settings.ts'
import { PreflightOutcome, PreflightRequest } from '../../model/api/fix.ts'
import { addEndpoint, type ServerApp } from '../http/endpoint.ts'
import { chosenIssues, fixFaults } from './fix.ts'

/** What a session would begin with, before it does. */
export function addPreflightRoute(app: ServerApp, serving: Serving): void {
  addEndpoint(
    app,
    {
      access: { role: 'operator', reach: 'named' },
      method: 'post',
      path: '/api/fix/preflight',
      summary:
        'Who would fix and judge, by which checks and limits, at which cost; with run the checks are run first',
      body: PreflightRequest,
      answers: PreflightOutcome,
      faults: fixFaults,
    },
    async ({ body, context }) => {
      const opened = await serving.openRepository(body.repository_id, overridesOf(body))
      try {
        const issues = await chosenIssues(opened, body.issue_ids)
        return await preflight(opened, {
          issues,
          base: body.base ?? null,
          run: body.run === true,
          signal: context.req.raw.signal,
        })
      } finally {
        await opened.close()
      }
    },
  )
}
