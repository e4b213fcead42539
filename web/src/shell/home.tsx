import { useQuery } from '@tanstack/react-query'
import { Navigate } from '@tanstack/react-router'
import { repositoriesQuery } from '../api/queries.ts'
import { Empty, Shown } from '../ui/states.tsx'
import { recentRepository } from './recent.ts'

/** The start page: the repository that the person looked at last, or the first one. */
export function Home() {
  const query = useQuery(repositoriesQuery)
  return (
    <main>
      <Shown query={query}>
        {({ repositories }) => {
          const recent = recentRepository()
          const chosen = repositories.find(({ id }) => id === recent) ?? repositories[0]
          if (chosen)
            return (
              <Navigate
                replace
                to="/r/$repositoryId/issues"
                params={{ repositoryId: chosen.id }}
                search={{}}
              />
            )
          return (
            <Empty title="No repository yet">
              <p>
                Start the server inside a repository, or review one with <code>fixpoint review</code>: it is
                listed here then.
              </p>
            </Empty>
          )
        }}
      </Shown>
    </main>
  )
}
