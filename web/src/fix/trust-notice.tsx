import { useMutation, useQuery } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { repositoryQuery } from '../api/queries.ts'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/layout.tsx'
import { Problem } from '../ui/states.tsx'

/** The commands that the repository's configuration would run, until a person has trusted exactly these. */
export function TrustNotice({ repositoryId }: { readonly repositoryId: string }) {
  const { data } = useQuery(repositoryQuery(repositoryId))
  const trust = useMutation({
    mutationFn: (hash: string) => api.trustCommands(repositoryId, { commands_hash: hash }),
  })
  if (!data || data.trusted || data.commands_hash === null) return null
  const hash = data.commands_hash
  return (
    <Card title="Commands that are not trusted yet">
      <p className="mb-3 text-muted">
        The configuration of this repository names these commands. Nothing is fixed before you trust them.
      </p>
      <ul className="mb-3 flex flex-col gap-1">
        {data.commands.map(({ key, run }) => (
          <li key={key} className="wrap-anywhere">
            <span className="text-muted">{key}:</span> <code className="font-mono text-xs">{run}</code>
          </li>
        ))}
      </ul>
      <div className="flex items-center gap-3">
        <Button look="primary" disabled={trust.isPending} onClick={() => trust.mutate(hash)}>
          Trust these commands
        </Button>
        <Problem error={trust.error} />
      </div>
    </Card>
  )
}
