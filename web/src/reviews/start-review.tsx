import { useMutation, useQuery } from '@tanstack/react-query'
import { useState, type SyntheticEvent } from 'react'
import type { RepositoryId } from '../../../src/model/id.ts'
import { api } from '../api/client.ts'
import { agentsQuery } from '../api/queries.ts'
import { TrustNotice } from '../fix/trust-notice.tsx'
import { Button } from '../ui/button.tsx'
import { SelectField, TextField } from '../ui/field.tsx'
import { Card } from '../ui/layout.tsx'
import { Problem } from '../ui/states.tsx'
import { ReviewerChoice, reviewersOf } from './reviewer-choice.tsx'

const scopes = [
  { value: 'all', label: 'The whole repository' },
  { value: 'base', label: 'What changed since a branch' },
  { value: 'uncommitted', label: 'What is not committed yet' },
] as const
type Scope = (typeof scopes)[number]['value']

/** Starts a review of the chosen part by the chosen reviewers; the running review is shown elsewhere. */
export function StartReview({ repositoryId }: { readonly repositoryId: string }) {
  const [scope, setScope] = useState<Scope>('all')
  const [base, setBase] = useState('main')
  const [paths, setPaths] = useState('')
  const [chosen, setChosen] = useState<ReadonlySet<string> | null>(null)
  const { data } = useQuery(agentsQuery(repositoryId))
  const choices = data ? reviewersOf(data) : []
  const reviewers = chosen ?? new Set(choices.filter((one) => one.isConfigured).map(({ name }) => name))
  const review = useMutation({
    mutationFn: () =>
      api.startReview({
        repository_id: repositoryId as RepositoryId,
        ...(scope === 'base' && { base: base.trim() }),
        ...(scope === 'uncommitted' && { pending: 'uncommitted' as const }),
        ...(chosen && { reviewers: [...chosen] }),
        ...(paths.trim() !== '' && { paths: paths.split(',').map((path) => path.trim()) }),
      }),
  })
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    review.mutate()
  }
  return (
    <>
      <TrustNotice repositoryId={repositoryId} />
      <Card title="Start a review">
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
          <div className="w-full">
            <ReviewerChoice choices={choices} chosen={reviewers} onChange={setChosen} />
          </div>
          <Button type="submit" look="primary" disabled={review.isPending || reviewers.size === 0}>
            {review.isPending ? 'Starting…' : 'Start review'}
          </Button>
          <Problem error={review.error} />
        </form>
      </Card>
    </>
  )
}
