import { describe, expect, it } from 'vitest'
import type { TreeId } from '../id.ts'
import { gradeEvidence, mayLandUnverified, whyUnprovable } from './evidence.ts'
import type { Verification } from './verification.ts'

const verified = (status: Verification['status']): Verification => ({
  status,
  reason: '',
  tree: '0'.repeat(40) as TreeId,
  commands: [],
  depends_on_patch: true,
})

describe('the grade', () => {
  it('is E1 where the checks are green and no gate gives more', () => {
    expect(gradeEvidence(verified('passed'), [{ status: 'passed' }])).toBe('E1')
  })
  it('is the best that a passed gate gives', () => {
    const gates = [
      { status: 'passed', grade: 'E2' },
      { status: 'not_applicable', grade: 'E3' },
    ] as const
    expect(gradeEvidence(verified('passed'), gates)).toBe('E2')
  })
  it('is E0 without green checks, whatever a gate gives', () => {
    expect(gradeEvidence(verified('not_evaluated'), [{ status: 'passed', grade: 'E3' }])).toBe('E0')
  })
})

describe('what may land unverified', () => {
  it.each([
    ['E0', 0, true, false],
    ['E0', 1, false, false],
    ['E1', 0, false, true],
    ['E1', 1, false, false],
    ['E3', 0, false, true],
  ] as const)(
    'a bar of %s with %i commands lets fixes land unverified: %s',
    (min_evidence, count, isAllowed, isHopeless) => {
      const bar = { min_evidence, commands: Array.from({ length: count }) }
      expect(mayLandUnverified(bar)).toBe(isAllowed)
      expect(whyUnprovable(bar) !== null).toBe(isHopeless)
    },
  )
})
