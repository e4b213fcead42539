import { Link } from '@tanstack/react-router'
import type { RepositoryView } from '../../../src/model/api/repositories.ts'

/** The name of a repository, which leads to its issues. */
export function RepositoryLink({ id, name }: Pick<RepositoryView, 'id' | 'name'>) {
  return (
    <Link
      to="/r/$repositoryId/issues"
      params={{ repositoryId: id }}
      search={{}}
      className="font-medium wrap-anywhere hover:text-accent hover:underline"
    >
      {name}
    </Link>
  )
}
