import { screen, within } from '@testing-library/react'
import { expect, it } from 'vitest'
import { openPage } from '../../test/open-page.tsx'

const worker = (given: Record<string, unknown>) => ({
  id: 'wrk_1',
  host: 'one',
  pid: 7,
  version: '1.0.0',
  concurrency: 4,
  sessions: [],
  started_at: '2030-01-01T00:00:00.000Z',
  draining: false,
  silent_ms: 900,
  ...given,
})
const listed = (workers: readonly unknown[], given: Record<string, unknown> = {}) => ({
  'GET /api/workers': { schema: 'fixpoint.workers.v1', shared: true, waiting: 3, workers, ...given },
})

it('the page says of each worker what it does, what it drives, and when it was heard of', async () => {
  openPage(
    '/workers',
    listed([
      worker({ sessions: ['ses_0000abcd1234'] }),
      worker({ id: 'wrk_2', host: 'two', silent_ms: 42_000, sessions: ['ses_0000abcd5678'] }),
      worker({ id: 'wrk_3', host: 'three', draining: true }),
    ]),
  )
  const rows = await screen.findAllByRole('row')
  const cells = rows.slice(1).map((row) =>
    within(row)
      .getAllByRole('cell')
      .map(({ textContent }) => textContent),
  )
  expect(cells.map((cell) => cell.slice(0, 4))).toEqual([
    ['Working', 'one process 7', '1 of 4abcd1234', '1s ago'],
    ['Silent', 'two process 7', 'drove 1abcd5678', '42s ago'],
    ['Finishing', 'three process 7', '0 of 4', '1s ago'],
  ])
  expect(screen.getByRole('link', { name: 'abcd1234' }).getAttribute('href')).toBe(
    '/sessions/ses_0000abcd1234',
  )
  const facts = [...document.querySelectorAll('dl > div')].map(({ textContent }) => textContent)
  expect(facts).toEqual(['Sessions that wait3', 'Sessions at work1', 'Places4'])
})

it('a worker that drives nothing and works on attempts or reviews is not free', async () => {
  const attempts = ['att_0000abcd1234', 'att_0000abcd5678']
  openPage('/workers', listed([worker({ attempts, reviews: ['rev_0000abcd1234'] }), worker({ id: 'wrk_2' })]))
  const rows = await screen.findAllByRole('row')
  expect(rows.slice(1).map((row) => within(row).getAllByRole('cell')[2]?.textContent)).toEqual([
    '0 of 42 attempts, 1 review',
    '0 of 4',
  ])
  expect(rows.slice(1).map((row) => within(row).getAllByRole('cell')[0]?.textContent)).toEqual([
    'Working',
    'Free',
  ])
})

it.each(['/workers', '/overview'])('%s stands under the name of the product', async (address) => {
  openPage(address, {
    ...listed([]),
    'GET /api/overview': { schema: 'fixpoint.overview.v1', repositories: [] },
  })
  expect((await screen.findByRole('link', { name: 'Fixpoint' })).getAttribute('href')).toBe('/overview')
})

it('the page says who drives sessions where there is no worker', async () => {
  openPage('/workers', listed([], { shared: false, waiting: 0 }))
  expect(await screen.findByText(/This server drives every session itself/)).toBeDefined()
})
