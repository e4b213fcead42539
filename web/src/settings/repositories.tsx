import { useMutation, useQuery } from '@tanstack/react-query'
import { useState, type SyntheticEvent } from 'react'
import { looksLikeUrl } from '../../../src/model/repository-url.ts'
import { api } from '../api/client.ts'
import { repositoriesQuery } from '../api/queries.ts'
import { RepositoryLink } from '../shell/repository-link.tsx'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { inputClass } from '../ui/field.tsx'
import { Card } from '../ui/layout.tsx'
import { Problem, Shown } from '../ui/states.tsx'

/** The repositories that the server knows, and how to add one. */
export function Repositories({ repositoryId }: { readonly repositoryId: string }) {
  const query = useQuery(repositoriesQuery)
  return (
    <Card title="Repositories" padded={false}>
      <Shown query={query}>
        {({ repositories }) => (
          <ul className="divide-y">
            {repositories.map(({ id, name, path, available }) => (
              <li key={id} className="flex flex-wrap items-center gap-x-4 px-4 py-2">
                <RepositoryLink id={id} name={name} />
                <span className="min-w-0 flex-1 truncate font-mono text-xs text-muted">{path}</span>
                {id === repositoryId && <Badge tone="accent">Shown now</Badge>}
                {!available && <Badge tone="bad">Folder is gone</Badge>}
              </li>
            ))}
          </ul>
        )}
      </Shown>
      <AddRepository />
    </Card>
  )
}

function AddRepository() {
  const [path, setPath] = useState('')
  const place = path.trim()
  const add = useMutation({
    mutationFn: () => api.addRepository(looksLikeUrl(place) ? { url: place } : { path: place }),
    onSuccess: () => setPath(''),
  })
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    add.mutate()
  }
  return (
    <form className="flex flex-wrap items-center gap-2 border-t px-4 py-3" onSubmit={submit}>
      <input
        aria-label="Folder of a repository"
        placeholder="Folder on the server's machine, or https://host/owner/name"
        className={`${inputClass} max-w-md flex-1`}
        value={path}
        onChange={({ target }) => setPath(target.value)}
      />
      <Button type="submit" disabled={place === '' || add.isPending}>
        Add
      </Button>
      <Problem error={add.error} />
    </form>
  )
}
