import { useQuery } from '@tanstack/react-query'
import { Navigate, useParams } from '@tanstack/react-router'
import { sessionQuery } from '../api/queries.ts'
import { Shown } from '../ui/states.tsx'

/** The address of a session for people who do not know its repository. */
export function ToSession() {
  const { sessionId } = useParams({ from: '/sessions/$sessionId' })
  const query = useQuery(sessionQuery(sessionId))
  return (
    <main>
      <Shown query={query}>
        {({ repository_id: repositoryId }) => (
          <Navigate
            replace
            to="/r/$repositoryId/sessions/$sessionId"
            params={{ repositoryId, sessionId }}
            search={{}}
          />
        )}
      </Shown>
    </main>
  )
}
