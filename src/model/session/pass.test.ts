import { describe, expect, it } from 'vitest'
import { judgePasses, type Pass } from './pass.ts'

const codes = (count: number, name: string): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${name}-${index}`)
const pass = (
  number: number,
  fixed: number,
  latent: number,
  induced: number,
  more: Partial<Pass> = {},
): Pass => ({
  review: 'complete',
  pass: number,
  session_id: 'ses_1',
  fixed,
  confirmed: [],
  denied: [],
  latent: codes(latent, 'L'),
  fix_induced: codes(induced, 'I'),
  induced_ratio: fixed === 0 ? null : induced / fixed,
  ...more,
})

describe('another pass', () => {
  it.each([
    ['is made while fewer new problems are found each time', [pass(1, 5, 2, 1), pass(2, 3, 1, 1)], null],
    ['is not needed when nothing new was found', [pass(1, 5, 0, 0)], /^clean/],
    ['is not needed when nothing had to be changed', [pass(1, 0, 0, 0, { review: 'not_needed' })], /^clean/],
    [
      'is not made where there is nothing to look at',
      [pass(1, 0, 0, 0, { review: 'none' })],
      /nothing landed/,
    ],
    [
      'is not made, and nothing is clean, when not all was looked at',
      [pass(1, 5, 0, 0, { review: 'partial' })],
      /only partly reviewed/,
    ],
    [
      'is not made, and nothing is clean, when an old problem is still there',
      [pass(1, 5, 0, 0, { confirmed: ['BE-001'] })],
      /found again: BE-001/,
    ],
    ['is not made when nothing landed', [pass(1, 0, 2, 0)], /^plateau: pass 1 landed nothing/],
    [
      'is not made when fixes make as many problems as they remove',
      [pass(1, 2, 0, 2)],
      /made as many problems \(2\)/,
    ],
    [
      'is not made when no fewer are found than before',
      [pass(1, 5, 2, 0), pass(2, 2, 2, 0)],
      /no fewer than/,
    ],
    [
      'is not made beyond the limit',
      [pass(1, 9, 6, 0), pass(2, 6, 4, 0), pass(3, 4, 1, 0)],
      /3 passes are done/,
    ],
  ])('%s', (_name, passes, reason) => {
    const judged = judgePasses(passes, 3)
    if (reason === null) expect(judged).toEqual({ over: false })
    else
      expect(judged).toMatchObject({
        over: true,
        reason: expect.stringMatching(reason),
        isClean: reason.source === '^clean',
      })
  })
})
