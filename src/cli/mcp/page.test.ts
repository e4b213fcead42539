import { expect, it } from 'vitest'
import { pageFrom } from './page.ts'

const all = ['a', 'b', 'c', 'd', 'e']

it('every item of a list is on exactly one page, and the last page has no cursor', () => {
  const seen: string[] = []
  let cursor: string | null | undefined
  while (cursor !== null) {
    const page = pageFrom(all, { limit: 2, cursor })
    seen.push(...page.items)
    cursor = page.next_cursor
  }
  expect(seen).toEqual(all)
  expect(pageFrom(all, { limit: 5 })).toEqual({ items: all, next_cursor: null })
  expect(pageFrom([], { limit: 5 })).toEqual({ items: [], next_cursor: null })
})

it('a cursor that no page gave leads to an empty page', () => {
  for (const cursor of ['x', '-1', '', '1e3', '99', '9'.repeat(40)])
    expect(pageFrom(all, { limit: 2, cursor })).toEqual({ items: [], next_cursor: null })
})
