import { expect, it } from 'vitest'
import { likeliestFirst } from './hook-queue.ts'

it('a delivery looks at the repositories first whose address has the name that it tells of', () => {
  const urls = [null, 'https://github.com/acme/other', 'git@github.com:Acme/Shop.git', null]
  const repositories = urls.map((url, index) => ({ id: index, url }))
  expect(likeliestFirst(repositories, 'acme/shop').map(({ id }) => id)).toEqual([2, 0, 1, 3])
})
