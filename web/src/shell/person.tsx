import { useQuery } from '@tanstack/react-query'
import type { WhoAmI } from '../../../src/model/api/people.ts'
import { api } from '../api/client.ts'
import { personQuery } from '../api/queries.ts'
import { Button } from '../ui/button.tsx'

/** The rights of each role, for a person who wonders why a button was refused. */
const may: Readonly<Record<WhoAmI['role'], string>> = {
  viewer: 'may look',
  operator: 'may fix and answer',
  admin: 'may do everything',
}

/** Logs out: the page then asks for a token, and comes back here with one. The page itself shows when the server is away. */
const leave = (): void =>
  void api.logout().then(
    () => location.reload(),
    () => undefined,
  )

/** The logged-in person, and a button to log out. */
export function Person({ className = '' }: { readonly className?: string }) {
  const { data } = useQuery(personQuery)
  if (!data) return null
  return (
    <div className={`flex items-center gap-2 ${className}`}>
      <span className="min-w-0 flex-1 text-xs" title={`${data.role}: ${may[data.role]}`}>
        <span className="block truncate font-medium">{data.name}</span>
        <span className="block truncate text-muted">{data.role}</span>
      </span>
      <Button look="quiet" className="px-2" onClick={leave}>
        Log out
      </Button>
    </div>
  )
}
