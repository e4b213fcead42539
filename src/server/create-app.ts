import { OpenAPIHono } from '@hono/zod-openapi'
import { z } from 'zod'
import type { Serving } from './serving/serving.ts'
import type { SessionDigests } from './serving/session-digests.ts'
import { asFault, Fault, httpStatusOf, isRetryable } from '../model/fault.ts'
import type { Callers } from './http/callers.ts'
import type { Door } from './http/door.ts'
import { endpointTags } from './http/document-endpoint.ts'
import { addEndpoint, type ServerApp } from './http/endpoint.ts'
import { guardRequest } from './http/guard.ts'
import { createIssuePages } from './routes/issue-pages.ts'
import type { Metrics } from './routes/operations/metrics.ts'
import { addAnswerRoutes } from './routes/answers.ts'
import { addFixRoutes } from './routes/fix.ts'
import { addHealthRoutes } from './routes/operations/health.ts'
import { addHookRoutes, type HookParts } from './hooks/webhook-route.ts'
import { addIssueRoutes } from './routes/issues.ts'
import { addLoginRoutes } from './routes/operations/login.ts'
import { addPeopleRoutes } from './routes/operations/people.ts'
import { addOverviewRoutes } from './routes/overview.ts'
import { addPreflightRoute } from './routes/preflight.ts'
import { addPullRequestRoutes } from './routes/pull-requests.ts'
import { addRepositoryRoutes } from './routes/repositories.ts'
import { addReviewRoutes } from './routes/reviews.ts'
import { addImportRoute } from './routes/import.ts'
import { addArtifactRoutes } from './routes/artifacts.ts'
import { addSessionRoutes } from './routes/sessions.ts'
import { addSystemRoutes } from './routes/operations/system.ts'
import { addWorkerRoutes } from './routes/operations/workers.ts'
import { createSendStream } from './routes/send-stream.ts'
import type { Pulses } from './events/pulses.ts'
import type { EventStreams } from './events/stream-events.ts'
import { serveWebFile } from './http/web-files.ts'
import { redactor } from '../app/redact/redact-exits.ts'
import type { Problem } from '../model/api/problem.ts'

export interface AppParts {
  readonly serving: Serving
  readonly callers: Callers
  readonly door: Door
  readonly hosts: ReadonlySet<string>
  readonly streams: EventStreams
  readonly pulses: Pulses
  readonly metrics: Metrics
  readonly digests: SessionDigests
  readonly version: string
  readonly webFolder: string
  readonly stopping: AbortSignal
  readonly hooks: HookParts
  readonly onFault: (fault: Fault, what: string) => void
}

/** Every route behind one guard, and every refusal as a problem. */
export function createApp(parts: AppParts): ServerApp {
  const { serving, callers, streams, pulses, metrics, digests, version, stopping } = parts
  const app: ServerApp = new OpenAPIHono()
  app.onError((error, context) => {
    const fault = asFault(error)
    parts.onFault(fault, `${context.req.method} ${context.req.path}`)
    return problemResponse(fault, context.req.path)
  })
  app.use(async (context, next) => {
    const { incoming } = context.env
    const { headers, method = '', url = '' } = incoming
    const query = url.includes('?') ? url.slice(url.indexOf('?') + 1) : ''
    const caller = await guardRequest(
      { method, path: context.req.path, query, headers },
      { hosts: parts.hosts, identify: () => callers.identify(incoming) },
    )
    context.set('caller', caller ?? callers.anybody(incoming))
    context.set('door', parts.door)
    await next()
  })
  const sendStream = createSendStream(serving, streams)
  addHealthRoutes(app, serving, { version, metrics, isStopping: () => stopping.aborted })
  addLoginRoutes(app, callers)
  addPeopleRoutes(app, serving)
  addRepositoryRoutes(app, serving)
  addReviewRoutes(app, serving)
  addImportRoute(app, serving)
  addIssueRoutes(app, serving, createIssuePages(serving))
  addFixRoutes(app, serving, sendStream)
  addPreflightRoute(app, serving)
  addOverviewRoutes(app, serving, pulses)
  addSessionRoutes(app, serving, { digests, sendStream })
  addArtifactRoutes(app, serving)
  addAnswerRoutes(app, serving)
  addSystemRoutes(app, serving, digests)
  addWorkerRoutes(app, serving)
  addHookRoutes(app, parts.hooks)
  addPullRequestRoutes(app, serving, stopping)
  addDocument(app, version)
  app.notFound(async (context) => {
    const { method, path } = context.req
    const page = path.startsWith('/api') ? null : await serveWebFile(parts.webFolder, context.req)
    return page ?? problemResponse(new Fault('not_found', `there is no ${method} ${path}`), path)
  })
  return app
}

function addDocument(app: ServerApp, version: string): void {
  app.openAPIRegistry.registerComponent('securitySchemes', 'bearer', { type: 'http', scheme: 'bearer' })
  const path = '/api/openapi.json'
  let text: string | null = null
  addEndpoint(
    app,
    {
      access: { role: 'viewer', reach: 'filtered' },
      method: 'get',
      path,
      summary: 'This document',
      answers: z.looseObject({}),
    },
    async () => {
      text ??= JSON.stringify(
        app.getOpenAPI31Document({
          openapi: '3.1.0',
          info: {
            title: 'Fixpoint',
            version,
            description: 'Review findings in, proven fixes out.',
            contact: { name: 'Fixpoint' },
            license: { name: 'MIT', url: 'https://spdx.org/licenses/MIT.html' },
          },
          servers: [{ url: '/' }],
          security: [{ bearer: [] }],
          tags: endpointTags,
        }),
      )
      return new Response(text, { headers: { 'content-type': 'application/json' } })
    },
  )
}

/** A fault as the HTTP API answers it. The text of an internal error stays in the log. */
function problemOf(fault: Fault, instance: string): Problem {
  return {
    ...fault.details,
    type: `urn:fixpoint:fault:${fault.code}`,
    title: fault.code.replaceAll('_', ' '),
    status: httpStatusOf(fault.code),
    detail: fault.code === 'internal' ? 'something went wrong in the server' : fault.message,
    instance,
    code: fault.code,
    hint: fault.code === 'internal' ? 'The log of the server says more.' : fault.hint,
    retryable: isRetryable(fault.code),
  }
}

function problemResponse(fault: Fault, instance: string): Response {
  const problem = redactor.value(problemOf(fault, instance))
  const { retry_after_s: retryAfter } = fault.details
  return new Response(JSON.stringify(problem), {
    status: problem.status,
    headers: {
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      ...(typeof retryAfter === 'number' && { 'retry-after': String(retryAfter) }),
      ...(fault.code === 'unauthorized' && { 'www-authenticate': 'Bearer realm="fixpoint"' }),
    },
  })
}
