import { describe, expect, it } from 'vitest'
import { joinParts, planBatches, type BatchedIssue } from './batch.ts'
import type { IssueId } from '../id.ts'

const limits = { maxPoints: 15, maxIssues: 5 }
let count = 0
const issue = (given: Partial<BatchedIssue> & { readonly points?: number } = {}): BatchedIssue => {
  const { points = 3, ...rest } = given
  count += 1
  return {
    issue_id: `iss_${count}` as IssueId,
    code: `BE-${String(count).padStart(3, '0')}`,
    title: 't',
    file: `f${count}.ts`,
    workload: points,
    depends_on: [],
    after: [],
    class: 'BE',
    effort: 3,
    files: [],
    ...rest,
  }
}
const sizes = (issues: readonly BatchedIssue[]): readonly (readonly number[])[] =>
  planBatches(issues, limits).map((batch) => batch.issues.map(({ workload }) => workload))

describe('batches', () => {
  it.each([
    ['no issues make none', [], []],
    ['many small ones share one, five at most', [1, 1, 1, 1, 1, 1], [[1, 1, 1, 1, 1], [1]]],
    ['a service to refactor and a small thing may share one', [12, 3], [[12, 3]]],
    ['what does not fit begins the next', [12, 4, 11], [[12], [4, 11]]],
    ['issues without estimates count three points each', [3, 3, 3, 3, 3, 3], [[3, 3, 3, 3, 3], [3]]],
    ['what is too large and cannot be divided stands alone', [2, 25, 2], [[2], [25], [2]]],
  ])('%s', (_name, points, expected) => {
    expect(sizes(points.map((value) => issue({ points: value })))).toEqual(expected)
  })

  it('hold first everything of BE, then of FE, then the rest', () => {
    const given = [issue({ class: 'GEN' }), issue({ class: 'FE' }), issue({ class: 'BE' })]
    expect(planBatches(given, limits).map((batch) => batch.class)).toEqual(['BE', 'FE', 'GEN'])
  })

  it('divide an issue that is too large by the files it will touch', () => {
    const files = ['a', 'b', 'c', 'd', 'e']
    const batches = planBatches([issue({ points: 25, effort: 5, files })], limits)
    expect(batches.map(({ workload, issues }) => [workload, issues[0]?.part])).toEqual([
      [15, { number: 1, of: 2, files: ['a', 'b', 'c'] }],
      [10, { number: 2, of: 2, files: ['d', 'e'] }],
    ])
  })

  it('are fixed together or not at all when they are parts of one issue', () => {
    expect(joinParts(['fixed', 'fixed'])).toBe('fixed')
    expect(joinParts(['fixed', 'refused', 'fixed'])).toBe('refused')
  })
})
