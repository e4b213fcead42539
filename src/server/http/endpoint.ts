import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { z } from 'zod'
import { redactor } from '../../app/redact/redact-exits.ts'
import { asFault, Fault, httpStatusOf } from '../../model/fault.ts'
import type { EndpointAccess } from './endpoint-access.ts'
import { documentEndpoint } from './document-endpoint.ts'
import { readJsonBody } from './body.ts'
import { isChange, type Caller, type Knock } from './door.ts'
import type { EndpointDefinition, ServerApp, ServerContext, RequestFields } from './endpoint-definition.ts'

export type { ServerApp, ServerContext }

type Read<Schema extends z.ZodType | undefined> = Schema extends z.ZodType ? z.output<Schema> : undefined

export interface EndpointRequest<Params, Query, Body> {
  readonly params: Params
  readonly query: Query
  readonly body: Body
  readonly caller: Caller
  readonly context: ServerContext
}

/** Adds an endpoint. Its handler gives the value to send as JSON, or a response of its own. */
export function addEndpoint<
  Params extends RequestFields | undefined = undefined,
  Query extends RequestFields | undefined = undefined,
  Body extends z.ZodType | undefined = undefined,
>(
  app: ServerApp,
  definition: EndpointDefinition<Params, Query, Body>,
  handle: (request: EndpointRequest<Read<Params>, Read<Query>, Read<Body>>) => Promise<object>,
): void {
  documentEndpoint(app, definition)
  const { access, method, path, params, query, body, status = 200 } = definition
  app.on(method.toUpperCase(), path.replaceAll(/\{(\w+)\}/g, ':$1'), async (context) => {
    const { method: asked, path: at } = context.req
    const { caller, door } = context.var
    const knock = { method: asked, path: at, params: null, query: null, body: null }
    if (access !== 'anyone') await door.requireRole(caller, access, knock)
    const given = {
      params: params && checkAddress(params, context.req.param()),
      query: query && check(query, context.req.query(), 'the query'),
      body: body && check(body, await readJsonBody(context.env.incoming), 'the body'),
    }
    const request = { ...given, caller, context } as EndpointRequest<Read<Params>, Read<Query>, Read<Body>>
    const value = await passDoor({ access, context, status, knock: { ...knock, ...given } }, () =>
      handle(request).catch(rethrowAsError),
    )
    return isResponse(value) ? value : context.json(redactor.value(value), status as 200)
  })
}

interface Passing {
  readonly access: EndpointAccess
  readonly context: ServerContext
  /** Of an answer that is no response by itself. */
  readonly status: number
  readonly knock: Knock
}

/** Lets a request in as far as its caller may see, and writes a change down before and after it. */
async function passDoor(passing: Passing, handle: () => Promise<object>): Promise<object> {
  const { access, context, status, knock } = passing
  const { caller, door } = context.var
  if (access === 'anyone') return handle()
  await door.requireSight(caller, access, knock)
  const end = isChange(knock) ? await door.record(caller, knock) : async () => undefined
  try {
    const value = await handle()
    await end(isResponse(value) ? value.status : status)
    if (value === RESPONSE_ALREADY_SENT) door.watch(caller, context.env.outgoing)
    return value
  } catch (error) {
    await end(httpStatusOf(asFault(error).code))
    throw error
  }
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
