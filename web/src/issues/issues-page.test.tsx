import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, it } from 'vitest'
import { openPage, type OpenedPage } from '../../test/open-page.tsx'

/** The fields of an issue that a row shows. */
const issues = [1, 2, 3].map((number) => ({
  id: `iss_${number}`,
  code: `BE-00${number}`,
  title: `Problem ${number}`,
  severity: 'minor',
  status: 'open',
  file: 'src/a.js',
  line: 2,
  created_at: '2030-01-01T00:00:00Z',
  rule: 'js/equal',
  evidence: null,
}))
const none: readonly { value: string; count: number }[] = []
const facets = {
  status: [{ value: 'open', count: 9 }],
  severity: [{ value: 'minor', count: 9 }],
  class: [{ value: 'BE', count: 9 }],
  rule: Array.from({ length: 10 }, (_, number) => ({ value: `js/rule-${number}`, count: 1 })),
  tool: none,
  source: none,
  folder: [{ value: 'src', count: 9 }],
  age: none,
}

let page: OpenedPage
beforeEach(async () => {
  page = openPage('/r/rep_1/issues', {
    'GET /api/fix/issues/rep_1': { schema: 'fixpoint.issues.v1', issues, next_cursor: null, facets },
    'POST /api/fix/issues/bulk': { changed: [], refused: [] },
  })
  await screen.findByText('Problem 1')
})

const press = (key: string, how: { readonly shiftKey?: boolean } = {}) =>
  fireEvent.keyDown(screen.getByRole('grid'), { key, ...how })
const selected = (): readonly string[] =>
  screen
    .getAllByRole('row')
    .filter((row) => row.getAttribute('aria-selected') === 'true')
    .map((row) => within(row).getByRole('checkbox').getAttribute('aria-label') ?? '')

describe('the filters of the list', () => {
  it('stand in the address, each with how many issues it would show', async () => {
    const minor = await screen.findByRole('button', { name: 'Minor 9' })
    expect(minor.getAttribute('aria-pressed')).toBe('false')
    fireEvent.click(minor)
    await waitFor(() => expect(page.address()).toBe('/r/rep_1/issues?severity=minor'))
    expect(minor.getAttribute('aria-pressed')).toBe('true')
    fireEvent.click(screen.getByRole('button', { name: 'Clear filters' }))
    await waitFor(() => expect(page.address()).toBe('/r/rep_1/issues'))
  })

  it('show that the issues before them are in sight, until those that match have come', async () => {
    const answer: (() => void)[] = []
    const list = { schema: 'fixpoint.issues.v1', next_cursor: null, facets }
    cleanup()
    openPage('/r/rep_1/issues', {
      'GET /api/fix/issues/rep_1': async (query: URLSearchParams) => {
        if (query.get('severity') !== 'minor') return { ...list, issues }
        await new Promise<void>((resolve) => answer.push(resolve))
        return { ...list, issues: issues.slice(0, 1) }
      },
    })
    await screen.findByText('9 issues shown, most urgent first')
    fireEvent.click(await screen.findByRole('button', { name: 'Minor 9' }))
    await waitFor(() =>
      expect(document.querySelector('[aria-busy="true"]')?.textContent).toContain('Problem 3'),
    )
    expect(screen.queryByText(/issues shown/)).toBeNull()
    answer.forEach((send) => send())
    await waitFor(() => expect(screen.queryByText('Problem 3')).toBeNull())
    expect(document.querySelector('[aria-busy="true"]')).toBeNull()
  })

  it('leave out a rare status that no issue has', async () => {
    await screen.findByRole('button', { name: 'Minor 9' })
    expect(screen.queryByRole('button', { name: /^Duplicate \d/ })).toBeNull()
    expect(screen.getByRole('button', { name: 'Resolved 0' })).toBeDefined()
  })

  it('stand behind a button where they have no room, with every value of a property', async () => {
    fireEvent.click(await screen.findByRole('button', { name: 'Filters…' }))
    const dialog = within(screen.getByRole('dialog'))
    expect(dialog.queryByRole('button', { name: 'js/rule-9 1' })).toBeNull()
    fireEvent.click(dialog.getByRole('button', { name: '2 more…' }))
    fireEvent.click(dialog.getByRole('button', { name: 'js/rule-9 1' }))
    await waitFor(() => expect(page.address()).toBe('/r/rep_1/issues?rule=js%2Frule-9'))
    fireEvent.click(dialog.getByRole('button', { name: 'Show the issues' }))
    expect(screen.queryByRole('dialog')).toBeNull()
  })

  it('take what is typed once typing rests, and the slash goes there', async () => {
    fireEvent.keyDown(document.body, { key: '/' })
    const box = screen.getByRole('searchbox')
    expect(document.activeElement).toBe(box)
    fireEvent.change(box, { target: { value: ' null ' } })
    await waitFor(() => expect(page.address()).toBe('/r/rep_1/issues?q=null'))
  })
})

describe('a repository without issues', () => {
  it('says whether anybody has looked, and shows no filters to choose from', async () => {
    const review = { id: 'rev_1', state: 'complete', created_at: '2030-01-01T00:00:00Z', reviewers: [] }
    const empty = Object.fromEntries(Object.keys(facets).map((name) => [name, none]))
    openPage('/r/rep_2/issues', {
      'GET /api/fix/issues/rep_2': {
        schema: 'fixpoint.issues.v1',
        issues: [],
        next_cursor: null,
        facets: empty,
      },
      'GET /api/repositories/rep_2/reviews': { reviews: [review] },
      'GET /api/reviews': { reviews: [review] },
    })
    expect(await screen.findByText('Nothing was found')).toBeDefined()
    expect(screen.getByText(/^The last review was /)).toBeDefined()
    expect(screen.getByText('No issue shown')).toBeDefined()
    expect(within(document.body.lastElementChild as HTMLElement).queryByLabelText('Filters')).toBeNull()
  })
})

describe('the keys of the list', () => {
  it('move, select, and select everything from the row before', () => {
    press('x')
    expect(selected()).toEqual(['Select BE-001'])
    press(' ')
    expect(selected()).toEqual([])
    press('End')
    press('x')
    press('k')
    press('ArrowUp')
    press('ArrowUp')
    expect(screen.getByRole('grid').getAttribute('aria-activedescendant')).toBe('row-0')
    expect(selected()).toEqual(['Select BE-003'])
  })

  it('select all rows between two with the shift key', () => {
    fireEvent.click(screen.getByRole('checkbox', { name: 'Select BE-001' }))
    fireEvent.click(screen.getByRole('checkbox', { name: 'Select BE-003' }), { shiftKey: true })
    expect(selected()).toEqual(['Select BE-001', 'Select BE-002', 'Select BE-003'])
    expect(screen.getByText('3 issues selected')).toBeDefined()
  })

  it('open the row that they stand on', async () => {
    press('j')
    press('Enter')
    await waitFor(() => expect(page.address()).toBe('/r/rep_1/issues/iss_2'))
  })

  it('work while a link or a button has the focus, which keeps the keys that press it', () => {
    const clear = screen.getByRole('button', { name: 'Sort by title' })
    fireEvent.keyDown(clear, { key: 'j' })
    fireEvent.keyDown(clear, { key: 'x' })
    fireEvent.keyDown(clear, { key: ' ' })
    expect(selected()).toEqual(['Select BE-002'])
    fireEvent.keyDown(clear, { key: 'Enter' })
    expect(page.address()).toBe('/r/rep_1/issues')
  })

  it('belong to the field while somebody types', () => {
    fireEvent.keyDown(screen.getByRole('searchbox'), { key: 'x' })
    fireEvent.keyDown(screen.getByRole('combobox', { name: 'Group by' }), { key: 'x' })
    expect(selected()).toEqual([])
  })

  it('leave shortcuts of the browser alone', () => {
    fireEvent.keyDown(screen.getByRole('grid'), { key: 'x', ctrlKey: true })
    expect(selected()).toEqual([])
  })
})

describe('more issues than are loaded', () => {
  const matching = (count: number) => ({ ...facets, status: [{ value: 'open', count }] })

  it.each([
    [1_234, 'Select all 1,234 that match'],
    [100_000, 'Select the first 5,000'],
  ])('are selected as far as the button says: of %i', async (count, word) => {
    openPage('/r/rep_3/issues', {
      // The second page never comes, so that the first one is all that is loaded.
      'GET /api/fix/issues/rep_3': (query: URLSearchParams) =>
        query.has('cursor')
          ? undefined
          : { schema: 'fixpoint.issues.v1', issues, next_cursor: 'more', facets: matching(count) },
    })
    const own = within(document.body.lastElementChild as HTMLElement)
    fireEvent.click(await own.findByRole('checkbox', { name: 'Select all that are loaded' }))
    expect(await own.findByRole('button', { name: word })).toBeDefined()
  })
})

describe('selected issues', () => {
  it('are ignored with a reason, which has to be there', async () => {
    press('x')
    fireEvent.click(screen.getByRole('button', { name: 'Ignore…' }))
    const act = screen.getByRole('button', { name: 'Ignore' })
    expect(act).toHaveProperty('disabled', true)
    fireEvent.change(screen.getByRole('textbox', { name: /Why/ }), { target: { value: ' known ' } })
    fireEvent.click(act)
    await waitFor(() =>
      expect(page.changes).toEqual([
        {
          call: 'POST /api/fix/issues/bulk',
          body: { issue_ids: ['iss_1'], change: { status: 'ignored', reason: 'known' } },
        },
      ]),
    )
    await waitFor(() => expect(selected()).toEqual([]))
  })
})
