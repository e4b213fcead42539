import { useMutation, useQuery } from '@tanstack/react-query'
import { useState, type SyntheticEvent } from 'react'
import type { RepositoryId } from '../../../src/model/id.ts'
import { api } from '../api/client.ts'
import { agentsQuery } from '../api/queries.ts'
import { TrustNotice } from '../fix/trust-notice.tsx'
import { Button } from '../ui/button.tsx'
import { SelectField, TextField } from '../ui/field.tsx'
import { plural } from '../ui/format.ts'
import { Card } from '../ui/layout.tsx'
import { Problem } from '../ui/states.tsx'

const scopes = [
  { value: 'all', label: 'The whole repository' },
  { value: 'base', label: 'What changed since a branch' },
  { value: 'uncommitted', label: 'What is not committed yet' },
] as const
type Scope = (typeof scopes)[number]['value']

/** Lets the reviewers look at what was chosen, and says what they found. */
export function StartReview({ repositoryId }: { readonly repositoryId: string }) {
  const [scope, setScope] = useState<Scope>('all')
  const [base, setBase] = useState('main')
  const [paths, setPaths] = useState('')
  const { data } = useQuery(agentsQuery(repositoryId))
  const review = useMutation({
    mutationFn: () =>
      api.startReview({
        repository_id: repositoryId as RepositoryId,
        ...(scope === 'base' && { base: base.trim() }),
        ...(scope === 'uncommitted' && { pending: 'uncommitted' as const }),
        ...(paths.trim() !== '' && { paths: paths.split(',').map((path) => path.trim()) }),
      }),
  })
  const reviewers = (data?.roles ?? []).filter(({ role }) => role === 'reviewer')
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    review.mutate()
  }
  return (
    <>
      <TrustNotice repositoryId={repositoryId} />
      <Card
        title="Start a review"
        note={reviewers.length > 0 && `by ${reviewers.map(({ name }) => name).join(', ')}`}
      >
        <form className="flex flex-wrap items-end gap-3" onSubmit={submit}>
          <SelectField
            label="What to look at"
            value={scope}
            onChange={({ target }) => setScope(target.value as Scope)}
          >
            {scopes.map(({ value, label }) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </SelectField>
          {scope === 'base' && (
            <TextField label="Branch" value={base} onChange={({ target }) => setBase(target.value)} />
          )}
          <TextField
            label="Only these paths"
            placeholder="src, web/app"
            value={paths}
            onChange={({ target }) => setPaths(target.value)}
          />
          <Button type="submit" look="primary" disabled={review.isPending}>
            {review.isPending ? 'Reviewing…' : 'Start review'}
          </Button>
          {review.data && (
            <p role="status" className="text-muted">
              {plural(review.data.findings, 'finding')}, {review.data.issues_created} new
            </p>
          )}
          <Problem error={review.error} />
        </form>
      </Card>
    </>
  )
}
