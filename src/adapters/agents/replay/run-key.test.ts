import { describe, expect, it } from 'vitest'
import {
  fileNameOf,
  hasSameCodes,
  hasSameFingerprints,
  parseFileName,
  stemOf,
  type RunKey,
} from './run-key.ts'

const key = (...codes: string[]): RunKey => ({
  role: 'fixer',
  round: 2,
  issues: codes.map((code) => ({ code, fingerprint: `fp-${code}` })),
})

describe('the name of a recording', () => {
  it('says the role, the issues, the round and the number', () => {
    expect(fileNameOf(stemOf(key('BE-001')), 0)).toBe('fixer-BE-001-round-2-0.json')
    expect(stemOf(key('BE-001', 'FE-002'))).toBe('fixer-BE-001+FE-002-round-2')
    expect(stemOf(key())).toBe('fixer-all-round-2')
  })

  it('stays a file name for any codes and any number of them', () => {
    expect(stemOf(key('../x y'))).toBe('fixer-.._x_y-round-2')
    const codes = Array.from({ length: 300 }, (_, index) => `BE-${index}`)
    expect(stemOf(key(...codes)).length).toBeLessThan(200)
    expect(stemOf(key(...codes))).not.toBe(stemOf(key(...codes.slice(0, -1))))
  })

  it('is read back, and other files are none', () => {
    expect(parseFileName('fixer-BE-001-round-2-10.json')).toEqual({ stem: 'fixer-BE-001-round-2', index: 10 })
    expect(parseFileName('notes.json')).toBeNull()
    expect(parseFileName('.aside-1.json.part')).toBeNull()
  })
})

it('the key of a run compares issues in any order, by code and by fingerprint', () => {
  expect(hasSameCodes(key('A-1', 'A-2'), key('A-2', 'A-1'))).toBe(true)
  expect(hasSameCodes(key('A-1'), key('A-1', 'A-2'))).toBe(false)
  const renamed = { ...key('A-1'), issues: [{ code: 'B-7', fingerprint: 'fp-A-1' }] }
  expect([hasSameCodes(key('A-1'), renamed), hasSameFingerprints(key('A-1'), renamed)]).toEqual([false, true])
})
