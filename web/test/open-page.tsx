import { QueryClientProvider } from '@tanstack/react-query'
import { createMemoryHistory, createRouter, RouterProvider } from '@tanstack/react-router'
import { render } from '@testing-library/react'
import { queries } from '../src/api/client.ts'
import { router as shipped } from '../src/router.tsx'

/**
 * The answers of the server, by method and path such as `GET /api/approvals`; text is sent as an event stream, and a
 * function gives the answer to a query, at once or later.
 */
export type Answers = Readonly<Record<string, unknown>>

export interface Sent {
  readonly call: string
  readonly body: unknown
}

export interface OpenedPage {
  /** The changes that the page asked the server for, oldest first. */
  readonly changes: readonly Sent[]
  /** Path and search of the address. */
  readonly address: () => string
}

/** The answers that every page reads. */
const frame: Answers = {
  'GET /api/repositories': { schema: 'fixpoint.repositories.v1', repositories: [] },
  'GET /api/approvals': { schema: 'fixpoint.approvals.v1', approvals: [], questions: [] },
  'GET /api/sessions': { schema: 'fixpoint.sessions.v1', sessions: [] },
}

type Answering = (query: URLSearchParams) => unknown
const isAnswering = (answer: unknown): answer is Answering => typeof answer === 'function'

/** Opens the dashboard at an address, in front of a server that gives these answers and refuses everything else. */
export function openPage(path: string, answers: Answers): OpenedPage {
  const changes: Sent[] = []
  const known: Answers = { ...frame, ...answers }
  globalThis.fetch = async (input, init) => {
    const request = new Request(input instanceof Request ? input : new URL(input, location.origin), init)
    const call = `${request.method} ${new URL(request.url).pathname}`
    if (request.method !== 'GET') changes.push({ call, body: await request.json() })
    const given = known[call]
    const answer = isAnswering(given) ? await given(new URL(request.url).searchParams) : given
    if (typeof answer === 'string')
      return new Response(answer, { headers: { 'content-type': 'text/event-stream' } })
    return answer === undefined ? new Response('', { status: 404 }) : Response.json(answer)
  }
  queries.clear()
  const history = createMemoryHistory({ initialEntries: [path] })
  const router = createRouter({ ...shipped.options, history })
  render(
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  )
  return { changes, address: () => router.state.location.href }
}
