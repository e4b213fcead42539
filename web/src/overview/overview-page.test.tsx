import { fireEvent, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { openPage } from '../../test/open-page.tsx'

const repository = (number: number) => ({
  id: `rep_${number}`,
  name: `service-${number}`,
  path: `/srv/team-${number % 3}/service-${number}`,
  available: true,
  waiting: 0,
  running: 0,
  open: number,
  failed: 0,
  fixed: 0,
  trend: [0, number],
  last_review_at: null,
  last_review: null,
})

it('hundreds of repositories are found by name and folder, and the count says how many are shown', async () => {
  const repositories = Array.from({ length: 300 }, (_, number) => repository(number))
  openPage('/overview', {
    'GET /api/overview': { schema: 'fixpoint.overview.v1', repositories },
    'GET /api/workers': { schema: 'fixpoint.workers.v1', shared: false, waiting: 0, workers: [] },
  })
  await screen.findByText('300 repositories')
  fireEvent.change(screen.getByLabelText('Find a repository'), { target: { value: 'team-1/service-1' } })
  await screen.findByText('39 of 300 repositories')
  expect(screen.getAllByRole('row')).toHaveLength(40)
})
