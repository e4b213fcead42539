import { z } from 'zod'
import { Problem } from '../../model/api/problem.ts'
import { httpStatusOf, type FaultCode } from '../../model/fault.ts'
import type { EndpointDefinition, ServerApp, RequestFields } from './endpoint-definition.ts'

type AnyEndpoint = EndpointDefinition<
  RequestFields | undefined,
  RequestFields | undefined,
  z.ZodType | undefined
>

/** Tells the OpenAPI document of an endpoint. */
export function documentEndpoint(app: ServerApp, definition: AnyEndpoint): void {
  const { access, method, path, summary, params, query, body, rawBody, status = 200, answers } = definition
  const content = answers && contentOf(answers)
  app.openAPIRegistry.registerPath({
    method,
    path,
    operationId: operationIdOf(method, path),
    summary,
    'x-fixpoint-role': access === 'anyone' ? access : access.role,
    ...(access === 'anyone' && { security: [] }),
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
function faultsOf({ access, params, query, body, rawBody, faults = [] }: AnyEndpoint): readonly FaultCode[] {
  const isOpen = access === 'anyone'
  return [
    ...new Set<FaultCode>([
      'forbidden',
      'internal',
      ...(isOpen ? [] : (['unauthorized', 'rate_limited', 'busy', 'store_failed'] as const)),
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

const contentOf = (answers: NonNullable<AnyEndpoint['answers']>) =>
  'text' in answers ? textContent(answers.text) : { 'application/json': { schema: answers } }

const textContent = (types: readonly string[]) =>
  Object.fromEntries(types.map((type) => [type, { schema: z.string() }]))
