import { describe, expect, it } from 'vitest'
import type { SharedIgnore } from '../../model/issue/move-by-hand.ts'
import { addIgnores, parseIgnoredFile } from './ignored-file.ts'

const entry: SharedIgnore = {
  fingerprint: 'f1',
  reason: 'only used in tests',
  who: 'Ada <ada@example.com>',
  until: '2030-12-31',
}

describe('the list of what a project ignores', () => {
  it('begins with one entry, says what it is, and is read again as it was written', () => {
    const text = addIgnores('', [entry])
    expect(text).toMatch(/^# What this project leaves as it is/)
    expect(parseIgnoredFile(text)).toEqual([entry])
  })

  it('keeps what people wrote around it, and has each fingerprint once', () => {
    const first = addIgnores('', [entry, { ...entry, fingerprint: 'f2' }]).replace(
      '  - fingerprint: f2',
      '  # asked for by Bob\n  - fingerprint: f2',
    )
    const second = addIgnores(first, [{ ...entry, reason: 'checked again', until: null }])
    expect(second).toContain('# asked for by Bob')
    expect(parseIgnoredFile(second)).toMatchObject([
      { fingerprint: 'f1', reason: 'checked again', until: null },
      { fingerprint: 'f2' },
    ])
  })

  it.each([
    ['no YAML', 'ignored: [', /cannot be read/],
    ['an entry without a reason', 'ignored: [{ fingerprint: a, who: b }]', /ignored\.0\.reason/],
    [
      'a day that is none',
      'ignored: [{ fingerprint: a, who: b, reason: c, until: soon }]',
      /ignored\.0\.until/,
    ],
    ['another shape', '- a', /cannot be read/],
    ['aliases', 'a: &a [1]\nignored: [*a, *a]', /alias|Unrecognized|cannot be read/i],
  ])('is refused with %s, and nothing is added to it', (_what, text, why) => {
    expect(() => parseIgnoredFile(text)).toThrow(why)
    expect(() => addIgnores(text, [entry])).toThrow(why)
  })
})
