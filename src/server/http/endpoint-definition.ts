import type { HttpBindings } from '@hono/node-server'
import type { OpenAPIHono } from '@hono/zod-openapi'
import type { Context } from 'hono'
import type { z } from 'zod'
import type { FaultCode } from '../../model/fault.ts'
import type { EndpointAccess } from './endpoint-access.ts'
import type { Caller, Door } from './door.ts'

interface ServerEnv {
  readonly Bindings: HttpBindings
  readonly Variables: {
    readonly caller: Caller
    readonly door: Door
  }
}

export type ServerContext = Context<ServerEnv>
export type ServerApp = OpenAPIHono<ServerEnv>

export type RequestFields = z.ZodObject

interface OtherAnswer {
  readonly status: 200 | 202 | 204 | 503
  readonly when: string
  /** JSON, where nothing else is said. */
  readonly type?: string
  readonly schema?: z.ZodType
}

/** The events that an endpoint streams to whoever does not ask for JSON. */
export const streamOf = (event: z.ZodType): OtherAnswer => ({
  status: 200,
  when: 'a stream of events',
  type: 'text/event-stream',
  schema: event,
})

/** A stream that a client has read to its end brings nothing any more. */
export const nothingMore: OtherAnswer = {
  status: 204,
  when: 'the client has every event, and no other will come',
}

/** One endpoint: what it takes, what it answers, and how the OpenAPI document tells of it. */
export interface EndpointDefinition<
  Params extends RequestFields | undefined,
  Query extends RequestFields | undefined,
  Body extends z.ZodType | undefined,
> {
  readonly access: EndpointAccess
  readonly method: 'get' | 'post' | 'patch' | 'delete'
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
  /** What else it may answer with, beside refusals. */
  readonly others?: readonly OtherAnswer[]
  /** What it may refuse for, beside what every endpoint refuses. */
  readonly faults?: readonly FaultCode[]
}
