import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { repositoriesQuery } from '../api/queries.ts'
import { inputClass } from '../ui/field.tsx'

export function RepositorySwitch({ repositoryId }: { readonly repositoryId: string }) {
  const { data } = useQuery(repositoriesQuery)
  const navigate = useNavigate()
  return (
    <select
      aria-label="Repository"
      className={`${inputClass} truncate`}
      value={repositoryId}
      onChange={({ target }) =>
        void navigate({ to: '/r/$repositoryId/issues', params: { repositoryId: target.value }, search: {} })
      }
    >
      {(data?.repositories ?? []).map(({ id, name, available }) => (
        <option key={id} value={id}>
          {available ? name : `${name} (folder is gone)`}
        </option>
      ))}
      {!data && <option value={repositoryId}>…</option>}
    </select>
  )
}
