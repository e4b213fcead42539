import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ApiError } from '../../../src/client/index.ts'
import { Button } from './button.tsx'
import { formatSentence } from './format.ts'

/** A message for an empty page or list, with a suggestion. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <div className="mx-auto flex max-w-md flex-col items-center gap-2 px-6 py-16 text-center">
      <p className="text-sm font-semibold">{title}</p>
      {children && <div className="text-muted">{children}</div>}
    </div>
  )
}

export function Loading({ rows = 6 }: { readonly rows?: number }) {
  return (
    <div role="status" aria-label="Loading" className="flex animate-pulse flex-col gap-3 p-4">
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} className={`h-4 rounded bg-sunken ${row % 3 === 2 ? 'w-2/3' : 'w-full'}`} />
      ))}
    </div>
  )
}

interface Said {
  readonly title: string
  readonly detail: string
}

/** An error, in words that a person can act on. */
export function describeError(error: unknown): Said {
  if (error instanceof ApiError && error.status === 401)
    return {
      title: 'Not logged in',
      detail: 'The token is wrong or was taken back. Reload the page to log in with another one.',
    }
  if (error instanceof ApiError && error.status === 404)
    return { title: error.problem.detail, detail: 'It was removed, or the address is wrong.' }
  if (error instanceof ApiError) return { title: error.problem.detail, detail: error.problem.hint }
  if (error instanceof TypeError)
    return {
      title: 'The server cannot be reached',
      detail: 'Is `fixpoint serve` running? The page keeps trying.',
    }
  return { title: 'Something went wrong', detail: error instanceof Error ? error.message : String(error) }
}

/** What is not there does not come back by asking again. */
const isGone = (error: unknown): boolean => error instanceof ApiError && error.status === 404

export function Failure({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) {
  const { title, detail } = describeError(error)
  return (
    <div role="alert" className="mx-auto flex max-w-lg flex-col items-center gap-2 px-6 py-16 text-center">
      <p className="text-sm font-semibold text-bad wrap-anywhere">{formatSentence(title)}</p>
      <p className="text-muted wrap-anywhere">{asSentence(detail)}</p>
      {onRetry && !isGone(error) && <Button onClick={onRetry}>Try again</Button>}
    </div>
  )
}

/** What the server says stands between other sentences. */
const asSentence = (text: string): string =>
  `${formatSentence(text)}${/[.!?:]$/.test(text) || text === '' ? '' : '.'}`

/** One line beside a button whose action failed. */
export function Problem({ error }: { readonly error: unknown }) {
  if (!error) return null
  const { title, detail } = describeError(error)
  return (
    <p role="alert" className="text-bad">
      {asSentence(title)}
      {detail && <span className="text-muted"> {asSentence(detail)}</span>}
    </p>
  )
}

/** Shows the data of a query; before that, that it is loading, or why it failed. */
export function Shown<Value>({
  query,
  children,
  rows,
}: {
  readonly query: UseQueryResult<Value>
  readonly children: (value: Value) => ReactNode
  readonly rows?: number
}) {
  if (query.data !== undefined) return children(query.data)
  if (query.isError) return <Failure error={query.error} onRetry={() => void query.refetch()} />
  return <Loading {...(rows !== undefined && { rows })} />
}
