import type { Problem } from '../model/api/problem.ts'

export type Fetch = (url: string, init?: RequestInit) => Promise<Response>

/** What the client needs of the place it runs in: a browser page or a terminal. */
export interface ClientPorts {
  readonly fetch: Fetch
  /** Resolves after a while, or as soon as the signal is aborted. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>
}

export interface ClientOptions extends ClientPorts {
  /** Where the server is, such as `http://127.0.0.1:4646`; empty for the page's own origin. */
  readonly baseUrl: string
  /** Sent as a bearer token; a page that is logged in has its cookie instead. */
  readonly token?: string
}

/** The server refused a request, and said why. */
export class ApiError extends Error {
  readonly status: number
  readonly problem: Problem

  constructor(problem: Problem) {
    super(problem.detail)
    this.name = 'ApiError'
    this.status = problem.status
    this.problem = problem
  }
}

export interface ApiCall {
  readonly method?: 'GET' | 'POST' | 'PATCH'
  /** Values that are undefined are left out; lists are joined by commas. */
  readonly query?: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>
  readonly json?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as it is, such as a file. */
  readonly body?: RequestInit['body']
  readonly signal?: AbortSignal
}

export type Send = (path: string, call?: ApiCall) => Promise<Response>

/** Sends one request; everything but success is an `ApiError`, and a server that cannot be reached is a `TypeError`. */
export function createSend({ fetch, baseUrl, token }: ClientOptions): Send {
  return async (path, { method = 'GET', query = {}, json, headers = {}, body, signal } = {}) => {
    const response = await fetch(`${baseUrl}${path}${queryText(query)}`, {
      method,
      credentials: 'same-origin',
      headers: {
        accept: 'application/json',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(json !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(json !== undefined && { body: JSON.stringify(json) }),
      ...(body !== undefined && { body }),
      ...(signal && { signal }),
    })
    if (response.ok) return response
    throw new ApiError(await readProblem(response, path))
  }
}

function queryText(query: NonNullable<ApiCall['query']>): string {
  const given = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === undefined || (Array.isArray(value) && value.length === 0) ? [] : [[name, String(value)]],
  )
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`
}

/** What the server said, or what can be said for it when something else answered. */
async function readProblem(response: Response, path: string): Promise<Problem> {
  const { status } = response
  if ((response.headers.get('content-type') ?? '').startsWith('application/problem+json'))
    return (await response.json()) as Problem
  return {
    type: 'about:blank',
    title: 'unexpected answer',
    status,
    detail: `${path} was answered with status ${status}`,
    instance: path,
    code: 'internal',
    hint: 'Is this a Fixpoint server?',
    retryable: status >= 500,
  }
}
