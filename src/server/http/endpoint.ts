import type { HttpBindings } from '@hono/node-server'
import type { OpenAPIHono } from '@hono/zod-openapi'
import type { Context } from 'hono'
import type { IncomingMessage } from 'node:http'
import { z } from 'zod'
import { redactor } from '../../app/redact/redact-exits.ts'
import { Problem } from '../../model/api/problem.ts'
import { asFault, Fault, httpStatusOf, type FaultCode } from '../../model/fault.ts'

export type ServerContext = Context<{ Bindings: HttpBindings }>
export type ServerApp = OpenAPIHono<{ Bindings: HttpBindings }>

type Shape = z.ZodObject
type Read<Schema extends z.ZodType | undefined> = Schema extends z.ZodType ? z.output<Schema> : undefined

/** One endpoint: what it takes, what it answers, and how the OpenAPI document tells of it. */
export interface EndpointDefinition<
  Params extends Shape | undefined,
  Query extends Shape | undefined,
  Body extends z.ZodType | undefined,
> {
  readonly method: 'get' | 'post' | 'patch'
  /** As OpenAPI writes it: `/api/sessions/{id}`. */
  readonly path: string
  readonly summary: string
  readonly params?: Params
  readonly query?: Query
  readonly body?: Body
  /** A body of another kind than JSON, which the handler reads by itself. */
  readonly rawBody?: readonly string[]
  readonly status?: 200 | 201 | 202 | 204
  /** What comes back: JSON of a schema, or text of a type. */
  readonly answers?: z.ZodType | { readonly text: readonly string[] }
  /** What it may refuse for, beside what every endpoint refuses. */
  readonly faults?: readonly FaultCode[]
}

export interface EndpointRequest<Params, Query, Body> {
  readonly params: Params
  readonly query: Query
  readonly body: Body
  readonly context: ServerContext
}

/** Adds an endpoint. Its handler gives the value to send as JSON, or a response of its own. */
export function addEndpoint<
  Params extends Shape | undefined = undefined,
  Query extends Shape | undefined = undefined,
  Body extends z.ZodType | undefined = undefined,
>(
  app: ServerApp,
  definition: EndpointDefinition<Params, Query, Body>,
  handle: (request: EndpointRequest<Read<Params>, Read<Query>, Read<Body>>) => Promise<object>,
): void {
  document(app, definition)
  const { method, path, params, query, body, status = 200 } = definition
  app.on(method.toUpperCase(), path.replaceAll(/\{(\w+)\}/g, ':$1'), async (context) => {
    const request = {
      params: params && checkAddress(params, context.req.param()),
      query: query && check(query, context.req.query(), 'the query'),
      body: body && check(body, await readJsonBody(context.env.incoming), 'the body'),
      context,
    } as EndpointRequest<Read<Params>, Read<Query>, Read<Body>>
    const value = await handle(request).catch(rethrowAsError)
    return isResponse(value) ? value : context.json(redactor.value(value), status as 200)
  })
}

/** The HTTP library hands only errors to its handler; it would answer anything else that is thrown with an empty page. */
function rethrowAsError(thrown: unknown): never {
  throw thrown instanceof Error ? thrown : asFault(thrown)
}

/** The HTTP library replaces the global `Response` by a faster one, so there are instances of two classes. */
const isResponse = (value: object): value is Response => 'arrayBuffer' in value && 'headers' in value

/** An address whose id cannot be one names nothing, so it is not found. */
function checkAddress<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw new Fault('not_found', `there is nothing with such an id: ${parsed.error.issues[0]?.message ?? ''}`)
}

function check<Schema extends z.ZodType>(schema: Schema, value: unknown, where: string): z.output<Schema> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const errors = parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }))
  const said = errors.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join('; ')
  throw new Fault('usage', `${where} is not as expected: ${said}`, {
    hint: 'GET /api/openapi.json says what is.',
    details: { errors },
  })
}

function document(
  app: ServerApp,
  definition: EndpointDefinition<Shape | undefined, Shape | undefined, z.ZodType | undefined>,
): void {
  const { method, path, summary, params, query, body, rawBody, status = 200, answers } = definition
  const content = answers && contentOf(answers)
  app.openAPIRegistry.registerPath({
    method,
    path,
    operationId: operationIdOf(method, path),
    summary,
    request: {
      ...(params && { params }),
      ...(query && { query }),
      ...(body && { body: { required: true, content: { 'application/json': { schema: body } } } }),
      ...(rawBody && { body: { required: true, content: textContent(rawBody) } }),
    },
    responses: {
      [status]: { description: summary, ...(content && { content }) },
      ...refusalsOf(faultsOf(definition)),
    },
  })
}

/** `POST /api/sessions/{id}/stop` is `postSessionsByIdStop`. */
function operationIdOf(method: string, path: string): string {
  const words = path.replace(/^\/api\//, '/').split(/[^\w{}]+/)
  const named = words.filter(Boolean).map((word) => {
    const plain = word
      .replaceAll(/[{}]/g, '')
      .replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
    return `${word.startsWith('{') ? 'By' : ''}${plain.slice(0, 1).toUpperCase()}${plain.slice(1)}`
  })
  return `${method}${named.join('')}`
}

/** What an endpoint refuses for: what is wrong with the request itself, and what it names besides. */
function faultsOf({
  path,
  params,
  query,
  body,
  rawBody,
  faults = [],
}: EndpointDefinition<Shape | undefined, Shape | undefined, z.ZodType | undefined>): readonly FaultCode[] {
  const isOpen = !path.startsWith('/api/') || path === '/api/login' || path === '/api/webhooks/github'
  return [
    ...new Set<FaultCode>([
      'forbidden',
      'internal',
      ...(isOpen ? [] : (['unauthorized', 'busy', 'store_failed'] as const)),
      ...(params ? (['not_found'] as const) : []),
      ...(query || body ? (['usage'] as const) : []),
      ...(body || rawBody ? (['too_large', 'unsupported_media_type'] as const) : []),
      ...faults,
    ]),
  ]
}

/** One answer per status, each with the codes that come with it. */
const refusalsOf = (faults: readonly FaultCode[]) =>
  Object.fromEntries(
    [...Map.groupBy(faults, httpStatusOf)].map(([status, codes]) => [
      status,
      {
        description: `Refused: ${codes.map((code) => code.replaceAll('_', ' ')).join(', ')}`,
        content: {
          'application/problem+json': {
            schema: Problem.extend({ status: z.literal(status), code: z.enum(codes) }),
          },
        },
      },
    ]),
  )

const contentOf = (answers: NonNullable<EndpointDefinition<undefined, undefined, undefined>['answers']>) =>
  'text' in answers ? textContent(answers.text) : { 'application/json': { schema: answers } }

const textContent = (types: readonly string[]) =>
  Object.fromEntries(types.map((type) => [type, { schema: z.string() }]))

const jsonBytes = 1_000_000

/** The body as it arrives, and a fault as soon as it is too large. */
export async function* limitedBody(incoming: IncomingMessage, maxBytes: number): AsyncGenerator<Uint8Array> {
  const tooLarge = (): Fault => new Fault('too_large', `the body is larger than ${megabytes(maxBytes)}`)
  if (Number(incoming.headers['content-length'] ?? 0) > maxBytes) throw tooLarge()
  let bytes = 0
  for await (const chunk of incoming as AsyncIterable<Uint8Array>) {
    bytes += chunk.length
    if (bytes > maxBytes) throw tooLarge()
    yield chunk
  }
}

const megabytes = (bytes: number): string => `${Math.round(bytes / 1_000_000)} MB`

/** A JSON body, parsed and not yet judged; undefined when there is none. */
export async function readJsonBody(incoming: IncomingMessage): Promise<unknown> {
  const chunks: Uint8Array[] = []
  for await (const chunk of limitedBody(incoming, jsonBytes)) chunks.push(chunk)
  if (chunks.length === 0) return undefined
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks)))
  } catch (cause) {
    throw new Fault('usage', 'the body is not JSON', { cause, hint: 'Send one JSON object in UTF-8.' })
  }
}
