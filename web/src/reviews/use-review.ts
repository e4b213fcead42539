import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { ReviewEvent } from '../../../src/model/review/review-event.ts'
import { withoutReport, type ReportDepth } from '../../../src/client/index.ts'
import { api } from '../api/client.ts'

/** One reviewer at work, with its progress. */
export interface ReviewerAtWork {
  readonly name: string
  /** The newest part of the reviewer's words. */
  readonly text: string
  readonly reportDepth: ReportDepth
  /** The results for its parts of the code, oldest first. */
  readonly results: readonly string[]
  readonly isFailed: boolean
}

const textLength = 16_000

function withEvent(reviewers: readonly ReviewerAtWork[], event: ReviewEvent): readonly ReviewerAtWork[] {
  const { type, agent, message, details } = event
  if (type === 'review_started')
    return ((details['reviewers'] as readonly string[] | undefined) ?? []).map((name) => ({
      name,
      text: '',
      reportDepth: 0,
      results: [],
      isFailed: false,
    }))
  return reviewers.map((reviewer) => {
    if (reviewer.name !== agent) return reviewer
    if (type === 'review_streaming') {
      const { text, depth } = withoutReport(message, reviewer.reportDepth)
      const said = text.trim() === '' ? reviewer.text : `${reviewer.text}${text}\n`.slice(-textLength)
      return { ...reviewer, text: said, reportDepth: depth }
    }
    return { ...reviewer, results: [...reviewer.results, message], isFailed: details['reason'] !== null }
  })
}

/** Follows a running review; the lists are read again when it is over. */
export function useReview(reviewId: string): readonly ReviewerAtWork[] {
  const [reviewers, setReviewers] = useState<readonly ReviewerAtWork[]>([])
  const queries = useQueryClient()
  useEffect(() => {
    const leaving = new AbortController()
    setReviewers([])
    api
      .followReview({
        reviewId,
        signal: leaving.signal,
        onEvent: (event) => setReviewers((now) => withEvent(now, event)),
      })
      .catch(() => undefined) // A review that its server forgot is also gone from the list.
      .finally(() => {
        if (leaving.signal.aborted) return
        for (const key of ['reviews', 'issues', 'facets', 'overview'])
          void queries.invalidateQueries({ queryKey: [key] })
      })
    return () => leaving.abort()
  }, [reviewId, queries])
  return reviewers
}
