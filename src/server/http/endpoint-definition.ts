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
  /** What it may refuse for, beside what every endpoint refuses. */
  readonly faults?: readonly FaultCode[]
}
