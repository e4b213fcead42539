import { expect, it } from 'vitest'
import { artifactsQuery } from './queries.ts'

it('links into a bucket are asked for again before they run out, and where there are none nothing is', () => {
  const { refetchInterval } = artifactsQuery('ses_1')
  if (typeof refetchInterval !== 'function') throw new Error('it is asked for once')
  const after = (links: readonly string[] | null) =>
    refetchInterval({ state: { data: { links } } } as unknown as Parameters<typeof refetchInterval>[0])
  expect(after(['http://127.0.0.1/prompt.md'])).toBeLessThan(300_000)
  expect(after(null)).toBe(false)
})
