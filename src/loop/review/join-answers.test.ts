import { expect, it } from 'vitest'
import { joinAnswers } from './join-answers.ts'

it('a reviewer tells why it did not read files once for each reason, and some of their names', () => {
  const because = (why: string, files: readonly string[]) => files.map((file) => ({ file, why }))
  const skipped = [
    ...because('no rules for Go', ['a.go', 'b.go', 'c.go', 'd.go']),
    ...because('not text', ['e.js']),
  ]
  const coverage = { reviewed: [], partly: [], skipped }
  const { result } = joinAnswers('rules', [{ findings: [], coverage, spent: { tokens: 0, usd: 0 } }])
  expect(result).toMatchObject({
    state: 'partial',
    reason: 'not read in full: a.go, b.go, c.go and 1 more (no rules for Go), e.js (not text)',
    coverage: { skipped },
  })
})
