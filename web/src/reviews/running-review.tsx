import { useMutation } from '@tanstack/react-query'
import type { ReviewView } from '../../../src/model/api/repositories.ts'
import { api } from '../api/client.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { formatDuration } from '../ui/format.ts'
import { Card, LiveText } from '../ui/layout.tsx'
import { Problem } from '../ui/states.tsx'
import { useNow } from '../ui/use-now.ts'
import { visible } from '../ui/visible.ts'
import { useReview, type ReviewerAtWork } from './use-review.ts'

/** A running review: the words of each reviewer, and a button to end it. */
export function RunningReview({ review }: { readonly review: ReviewView }) {
  const reviewers = useReview(review.id)
  const now = useNow(1_000)
  const cancel = useMutation({ mutationFn: () => api.cancelReview(review.id) })
  return (
    <Card
      title={`Reviewing ${review.scope ?? ''}`}
      note={formatDuration(now - Date.parse(review.created_at))}
    >
      <div className="flex flex-col gap-4">
        {reviewers.map((reviewer) => (
          <Reviewer key={reviewer.name} reviewer={reviewer} />
        ))}
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <Button disabled={cancel.isPending} onClick={() => cancel.mutate()}>
            {cancel.isPending ? 'Cancelling…' : 'Cancel review'}
          </Button>
          <span className="text-muted">What is found already is kept then.</span>
          <Problem error={cancel.error} />
        </div>
      </div>
    </Card>
  )
}

function Reviewer({ reviewer: { name, text, results, isFailed } }: { readonly reviewer: ReviewerAtWork }) {
  const last = results.at(-1)
  return (
    <section aria-label={name} className="flex min-w-0 flex-col gap-1">
      <h3 className="flex flex-wrap items-baseline gap-3">
        <span className="font-medium">{name}</span>
        {last === undefined ? (
          <Badge tone="accent">At work</Badge>
        ) : (
          <Badge tone={isFailed ? 'bad' : 'ok'}>{visible(last)}</Badge>
        )}
      </h3>
      {text !== '' && <LiveText label={`What ${name} says`} text={text} />}
    </section>
  )
}
