import { useMutation } from '@tanstack/react-query'
import type { RepositoryId } from '../../../src/model/id.ts'
import { api } from '../api/client.ts'
import { plural } from '../ui/format.ts'
import { Button } from '../ui/button.tsx'
import { Problem } from '../ui/states.tsx'

/** Lets the configured reviewers look at the repository. */
export function ReviewButton({ repositoryId }: { readonly repositoryId: string }) {
  const review = useMutation({
    mutationFn: () => api.startReview({ repository_id: repositoryId as RepositoryId }),
  })
  return (
    <div className="flex items-center gap-3">
      <Problem error={review.error} />
      {review.data && (
        <span role="status" className="text-xs text-muted">
          {plural(review.data.findings, 'finding')}, {review.data.issues_created} new
        </span>
      )}
      <Button disabled={review.isPending} onClick={() => review.mutate()}>
        {review.isPending ? 'Reviewing…' : 'Review'}
      </Button>
    </div>
  )
}
