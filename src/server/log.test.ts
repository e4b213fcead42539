import { expect, it } from 'vitest'
import { logErrorTo } from './log.ts'

it('an error tells its session or review in a field, and anything else in words', () => {
  const lines: unknown[] = []
  const log = logErrorTo({ error: (...line: unknown[]) => void lines.push(line) })
  const err = new Error('why')
  for (const what of ['ses_1', 'rev_1', 'the queue']) log(err, what)
  expect(lines).toEqual([
    [{ err, session_id: 'ses_1' }, 'working on a session'],
    [{ err, review_id: 'rev_1' }, 'working on a review'],
    [{ err }, 'the queue'],
  ])
})
