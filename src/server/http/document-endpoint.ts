import { z } from 'zod'
import { Problem } from '../../model/api/problem.ts'
import { httpStatusOf, type FaultCode } from '../../model/fault.ts'
import type { EndpointAccess } from './endpoint-access.ts'
import type { EndpointDefinition, RequestFields, ServerApp } from './endpoint-definition.ts'

type AnyEndpoint = EndpointDefinition<
  RequestFields | undefined,
  RequestFields | undefined,
  z.ZodType | undefined
>

/** Tells the OpenAPI document of an endpoint. */
export function documentEndpoint(app: ServerApp, definition: AnyEndpoint): void {
  const { access, method, path, summary, params, query, body, rawBody } = definition
  app.openAPIRegistry.registerPath({
    method,
    path,
    operationId: operationIdOf(method, path),
    summary,
    description: describeAccess(access),
    tags: [...tagsOf(path)],
    'x-fixpoint-role': access === 'anyone' ? access : access.role,
    ...(access === 'anyone' && { security: [] }),
    request: {
      ...(params && { params }),
      ...(query && { query }),
      ...(body && { body: { required: true, content: { 'application/json': { schema: body } } } }),
      ...(rawBody && { body: { required: true, content: textContent(rawBody) } }),
    },
    responses: {
      ...successesOf(definition),
      ...refusalsOf(faultsOf(definition)),
    },
  })
}

/** Who may ask, and which repositories the answer can be about. */
function describeAccess(access: EndpointAccess): string {
  if (access === 'anyone') return 'Anybody who reaches the server may ask.'
  return `For people with the role ${access.role} or a higher one. ${reaches[access.reach]}`
}

const reaches = {
  named: 'Who may not see the repository that it names gets the same answer as if there were none.',
  filtered: 'Repositories that the caller may not see are left out.',
  home: 'It is about the whole server: people who may see only some repositories are refused.',
} as const

/** What belongs together, with the first words of its paths. */
const groups: readonly {
  readonly name: string
  readonly description: string
  readonly paths: readonly string[]
}[] = [
  {
    name: 'Repositories',
    description: 'What Fixpoint knows, and how it goes there.',
    paths: ['repositories', 'overview', 'insights'],
  },
  {
    name: 'Reviews',
    description: 'Who looks for problems, and the reports of other tools.',
    paths: ['reviews', 'findings'],
  },
  { name: 'Fixing', description: 'Issues, and the way from them to a session.', paths: ['fix'] },
  {
    name: 'Sessions',
    description: 'What a session does, what it asks, and what it came to.',
    paths: ['sessions', 'approvals'],
  },
  {
    name: 'Pull requests',
    description: 'What is published on GitHub, and what GitHub tells.',
    paths: ['prs', 'webhooks'],
  },
  {
    name: 'People',
    description: 'Who may do what, and who did it.',
    paths: ['login', 'logout', 'tokens', 'audit'],
  },
  {
    name: 'Server',
    description: 'The server itself: its settings, its agents and its health.',
    paths: ['agents', 'config', 'doctor', 'workers', 'healthz', 'readyz', 'metrics', 'openapi.json'],
  },
]

export const endpointTags = groups.map(({ name, description }) => ({ name, description }))

/** `/api/sessions/{id}/stop` belongs to the sessions. */
function tagsOf(path: string): readonly string[] {
  const [noun = ''] = path.replace(/^\/(?:api\/)?/, '').split('/')
  return groups.filter(({ paths }) => paths.includes(noun)).map(({ name }) => name)
}

/** The answers that are no refusals. */
function successesOf({ summary, status = 200, answers, others = [] }: AnyEndpoint) {
  const content = answers && contentOf(answers)
  const all: Record<number, object> = { [status]: { description: summary, ...(content && { content }) } }
  for (const [other, same] of Map.groupBy(others, (one) => one.status)) {
    const more = same.flatMap(({ type = 'application/json', schema }) => (schema ? [[type, { schema }]] : []))
    const whole = { ...(other === status && content), ...(Object.fromEntries(more) as object) }
    all[other] = {
      description: other === status ? summary : same.map(({ when }) => when).join(', or '),
      ...(Object.keys(whole).length > 0 && { content: whole }),
    }
  }
  return all
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
