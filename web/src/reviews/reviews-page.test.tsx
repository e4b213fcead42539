import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { openPage } from '../../test/open-page.tsx'

it('an opened review names its paths as they are written, and says once why it failed', async () => {
  const error = 'the disk is full'
  const reviewer = { agent: 'ada', state: 'failed', reason: error, findings: 0, cost_usd: 0 }
  const review = {
    id: 'rev_1',
    repository_id: 'rep_1',
    kind: 'review',
    state: 'failed',
    scope: 'lib/my_module',
    commit: 'a'.repeat(40),
    error,
    reviewers: [reviewer],
    coverage: null,
    created_at: '2030-01-01T00:00:00Z',
  }
  openPage('/r/rep_1/reviews?review=rev_1', {
    'GET /api/reviews': { schema: 'fixpoint.reviews.v1', reviews: [review] },
  })
  await screen.findByText(/^lib\/my_module, at a+$/)
  expect(screen.getAllByText(error)).toHaveLength(1)
})
