import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { isIPv6, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { getRequestListener } from '@hono/node-server'
import type { Serving } from './serving/serving.ts'
import { createSessionDigests } from './serving/session-digests.ts'
import { createSpanExporter } from '../adapters/telemetry/otlp-exporter.ts'
import { spanIdOf, traceIdOf, type TraceSpan } from '../adapters/telemetry/session-spans.ts'
import type { FixEvent } from '../model/session/event.ts'
import { Fault, httpStatusOf } from '../model/fault.ts'
import { createAuth } from './http/auth.ts'
import { createCallers, type CallerParts, type Callers } from './http/callers.ts'
import { createDoor } from './http/door.ts'
import { refusedRate, requestRate } from './http/rate-limit.ts'
import { createTrustedProxy, type TrustedProxySettings } from './http/trusted-proxy.ts'
import { createApp } from './create-app.ts'
import type { ServerApp } from './http/endpoint.ts'
import { createHookQueue, type HookQueue } from './hooks/hook-queue.ts'
import { logErrorTo, type Log } from './log.ts'
import { createMetrics, type Metrics } from './routes/operations/metrics.ts'
import { securityHeaders } from './http/guard.ts'
import { createPulses, type Pulses } from './events/pulses.ts'
import { readPulse } from './serving/overview.ts'
import { createEventStreams, type EventStreams, type StreamLimits } from './events/stream-events.ts'

export interface ServerRequest {
  readonly serving: Serving
  readonly token: string
  readonly host: string
  /** 0 for any that is free. */
  readonly port: number
  /** More names that the server is called by, such as behind a proxy. */
  readonly allowedHosts?: readonly string[]
  readonly version: string
  readonly log: Log
  readonly webFolder?: string
  /** What GitHub signs its webhooks with; null or absent when none are taken. */
  readonly webhookSecret?: string | null
  readonly streamLimits?: Partial<StreamLimits>
  /** A proxy that logs people in; nobody is believed when it is left out. */
  readonly trustedProxy?: TrustedProxySettings
  readonly rateLimits?: Partial<Pick<CallerParts, 'requests' | 'refused'>>
}

export interface RunningServer {
  /** `http://127.0.0.1:4646` */
  readonly url: string
  /** Counts what a session of this process does. */
  readonly onEvent: (event: FixEvent) => void
  /** Takes no more requests, puts sessions down within the grace, ends every stream. */
  stop(graceMs: number): Promise<void>
}

export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)

const bracketed = (host: string): string => (isIPv6(host) ? `[${host}]` : host)

/** Listens. Everything that is asked for goes through one guard. */
export async function startServer(request: ServerRequest): Promise<RunningServer> {
  const { serving, log, host } = request
  const stopping = new AbortController()
  const { app, streams, pulses, metrics, hooks } = buildApp(request, stopping.signal)
  const answer = getRequestListener(app.fetch)
  const spans = createSpanExporter(serving.env)
  const server = createServer((incoming, outgoing) => {
    for (const [name, value] of Object.entries(securityHeaders)) outgoing.setHeader(name, value)
    const startMs = Date.now()
    outgoing.once('close', () => {
      metrics.countRequest(incoming.method ?? '', outgoing.statusCode)
      logRequest(log, incoming, outgoing)
      spans?.add(spanOfRequest(incoming, outgoing, { startMs, endMs: Date.now() }))
    })
    void answer(incoming, outgoing)
  })
  await listen(server, request)
  const closed = once(server, 'close')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://${bracketed(host)}:${port}`,
    onEvent: metrics.countEvent,
    async stop(graceMs) {
      const isFirst = !stopping.signal.aborted
      stopping.abort()
      if (isFirst) server.close()
      await serving.stop(graceMs)
      if (!isFirst) return
      await hooks.close()
      streams.close()
      pulses.close()
      server.closeIdleConnections()
      const hurry = setTimeout(() => server.closeAllConnections(), closingMs)
      await closed
      clearTimeout(hurry)
      await spans?.flush()
      await serving.close()
    },
  }
}

interface BuiltApp {
  readonly app: ServerApp
  readonly streams: EventStreams
  readonly pulses: Pulses
  readonly metrics: Metrics
  readonly hooks: HookQueue
}

/** The routes, with what they count and stream. */
function buildApp(request: ServerRequest, stopping: AbortSignal): BuiltApp {
  const { serving, log, host } = request
  const digests = createSessionDigests(serving.store)
  const streams = createEventStreams(
    {
      feeds: serving.feeds,
      sessions: serving.store.sessions,
      onError: (error) => log.error({ err: error }, 'an event stream was cut off'),
    },
    request.streamLimits,
  )
  const pulses = createPulses({
    version: () => serving.store.version(),
    read: () => readPulse(serving),
    onError: (error) => log.error({ err: error }, 'reading what runs and waits'),
  })
  const metrics = createMetrics({
    digests,
    streams: () => streams,
    runningCount: () => serving.running.ids().length,
    queue: serving.queue,
    store: serving.store,
    artifactBytes: serving.artifactBytes,
  })
  const hooks = createHookQueue({
    serving,
    stopping,
    onError: logErrorTo(log),
  })
  const app = createApp({
    hooks: { queue: hooks, secret: request.webhookSecret ?? null },
    serving,
    callers: buildCallers(request),
    door: createDoor({
      store: serving.store,
      onError: logErrorTo(log),
    }),
    hosts: new Set(['localhost', '127.0.0.1', '[::1]', bracketed(host), ...(request.allowedHosts ?? [])]),
    streams,
    pulses,
    metrics,
    digests,
    version: request.version,
    webFolder: request.webFolder ?? builtPages,
    stopping,
    onFault: (fault, what) => logFault(log, fault, what),
  })
  return { app, streams, pulses, metrics, hooks }
}

function buildCallers({ serving, token, trustedProxy, rateLimits }: ServerRequest): Callers {
  const proxy = createTrustedProxy(trustedProxy ?? { header: '', from: [] })
  const auth = createAuth({ token, tokens: serving.store.accessTokens, proxy })
  return createCallers({
    auth,
    proxy,
    now: () => performance.now(),
    requests: requestRate,
    refused: refusedRate,
    ...rateLimits,
  })
}

const closingMs = 1_000
/** Sources and build both lie two folders below the package's root. */
const builtPages = join(import.meta.dirname, '../../dist/web')

/** Whether the dashboard is built. */
export const hasPages = (): boolean => existsSync(join(builtPages, 'index.html'))

/** Waits until the port is ours. */
function listen(server: Server, { host, port }: ServerRequest): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) =>
      reject(
        cause.code === 'EADDRINUSE'
          ? new Fault('busy', `something else listens on port ${port} already`, {
              cause,
              hint: 'Choose another with --port, or --port 0 for any that is free.',
            })
          : new Fault('usage', `cannot listen on ${host}:${port}: ${cause.message}`, { cause }),
      ),
    )
    server.listen(port, host, resolve)
  })
}

function spanOfRequest(
  { method = '', url = '' }: IncomingMessage,
  { statusCode }: ServerResponse,
  times: Pick<TraceSpan, 'startMs' | 'endMs'>,
): TraceSpan {
  const id = randomUUID()
  const path = url.split('?')[0] ?? ''
  return {
    ...times,
    traceId: traceIdOf(id),
    spanId: spanIdOf(id),
    parentSpanId: null,
    name: `${method} ${path}`,
    attributes: { 'http.request.method': method, 'url.path': path, 'http.response.status_code': statusCode },
    error: statusCode >= 500 ? `status ${statusCode}` : null,
  }
}

function logFault(log: Log, fault: Fault, what: string): void {
  const isOurs = httpStatusOf(fault.code) >= 500
  if (isOurs) log.error({ err: fault.cause ?? fault, code: fault.code }, what)
  else log.debug({ code: fault.code, detail: fault.message }, what)
}

function logRequest(
  log: Log,
  { method = '', url = '' }: IncomingMessage,
  { statusCode }: ServerResponse,
): void {
  log.debug({ method, path: url.split('?')[0], status: statusCode }, 'request')
}
