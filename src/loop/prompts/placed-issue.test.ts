import { describe, expect, it } from 'vitest'
import { sampleIssue } from '../../../test/fixtures/issue.ts'
import { placeIssue } from './placed-issue.ts'

const base = 'one\ntwo\nbad(1)\nbad(2)\nfive\n'
const issue = sampleIssue({ line: 3, end_line: 4, current_code: 'bad(1)\nbad(2)' })
const at = (after: string, before = base) => {
  const { line, end_line } = placeIssue(issue, before, after)
  return [line, end_line]
}

describe('the lines of an issue', () => {
  it('are followed to where its code stands now', () => {
    expect(at(base)).toEqual([3, 4])
    expect(at(`new\nnew\n${base}`)).toEqual([5, 6])
    expect(at(base.replace('one\n', ''))).toEqual([2, 3])
  })
  it('are those that replaced it, where it was changed', () => {
    expect(at(base.replace('bad(1)', 'good(1)\ngood(1)'))).toEqual([3, 5])
    expect(at(`new\n${base.replace('bad(1)\nbad(2)', 'good()')}`)).toEqual([4, 4])
  })
  it('are the place where it was, where it is gone', () => {
    expect(at(base.replace('bad(1)\nbad(2)\n', ''))).toEqual([3, 3])
    expect(at('one\n')).toEqual([2, 2])
  })
  it('are found by its code first, where the commit is a later one than the finding', () => {
    expect(at(`new\n${base}`, `new\n${base}`)).toEqual([4, 5])
  })
  it('stay within a file that was rewritten', () => {
    expect(at('a\n', Array.from({ length: 5_000 }, (_, index) => `${index}`).join('\n'))[0]).toBeLessThan(3)
  })
})
