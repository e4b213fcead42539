import type { UseMutationResult } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ApiError } from '../../../src/client/index.ts'
import type { StartOutcome } from '../../../src/model/api/fix.ts'
import { Button } from '../ui/button.tsx'
import { Problem } from '../ui/states.tsx'

export interface StartMode {
  /** Starts a new session although the same one was completed before. */
  readonly force?: true
}

interface Props {
  readonly start: UseMutationResult<StartOutcome, Error, StartMode>
  readonly repositoryId: string
}

/** Why nothing was started: the same session was completed before, runs now, or is refused. */
export function StartProblem({ start, repositoryId }: Props) {
  const earlier = start.data?.earlier ? start.data.session_id : null
  const inTheWay = start.error instanceof ApiError ? start.error.problem.session_id : undefined
  const sessionId = earlier ?? inTheWay
  if (!start.error && earlier === null) return null
  return (
    <div className="flex flex-wrap items-center gap-3 rounded-lg border bg-surface px-4 py-3">
      {earlier === null ? <Problem error={start.error} /> : <p>The same fix was completed before.</p>}
      {sessionId !== undefined && (
        <Link
          to="/r/$repositoryId/sessions/$sessionId"
          params={{ repositoryId, sessionId }}
          className="text-accent underline"
        >
          Show that session
        </Link>
      )}
      {earlier !== null && <Button onClick={() => start.mutate({ force: true })}>Start anew</Button>}
    </div>
  )
}
