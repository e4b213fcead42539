import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { RepositoryId } from '../../../src/model/id.ts'
import { api } from '../api/client.ts'
import { Button } from '../ui/button.tsx'
import { Problem } from '../ui/states.tsx'

/** Starts a review of the repository by the configured reviewers, and opens the page where it can be watched. */
export function ReviewButton({ repositoryId }: { readonly repositoryId: string }) {
  const navigate = useNavigate()
  const review = useMutation({
    mutationFn: () => api.startReview({ repository_id: repositoryId as RepositoryId }),
    onSuccess: () => navigate({ to: '/r/$repositoryId/reviews', params: { repositoryId } }),
  })
  return (
    <div className="flex items-center gap-3">
      <Problem error={review.error} />
      <Button disabled={review.isPending} onClick={() => review.mutate()}>
        {review.isPending ? 'Starting…' : 'Review'}
      </Button>
    </div>
  )
}
