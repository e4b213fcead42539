import { describe, expect, it } from 'vitest'
import { writtenFinding, type WrittenFinding } from '../../model/issue/finding.ts'
import type { FindingId, ReviewId } from '../../model/id.ts'
import { anchorFinding, splitLines } from './anchor.ts'

const identity = { id: 'fnd_1' as FindingId, reviewId: 'rev_1' as ReviewId, hash: (text: string) => text }
const claim = (given: Partial<WrittenFinding> = {}) =>
  writtenFinding({
    source: { kind: 'tool', name: 'scan' },
    title: 'Bad call on line 3',
    severity: 'minor',
    rule: 'no-eval',
    file: 'src/a.ts',
    line: 3,
    end_line: 3,
    ...given,
  })
const anchor = (text: string | null, given: Partial<WrittenFinding> = {}) =>
  anchorFinding(claim(given), text === null ? null : splitLines(text), identity)

const code = 'import x\n\n  eval(text)\n\nreturn 1\nend'

describe('anchoring a finding', () => {
  it('cites the lines as they stand', () => {
    expect(anchor(code)).toMatchObject({
      id: 'fnd_1',
      review_id: 'rev_1',
      anchor: 'exact',
      current_code: '  eval(text)',
    })
    expect(anchor(code, { end_line: 5 }).current_code).toBe('  eval(text)\n\nreturn 1')
    expect(anchor(code.replaceAll('\n', '\r\n'), { end_line: 5 }).current_code).toBe(
      '  eval(text)\n\nreturn 1',
    )
  })

  it('keeps what it cannot anchor', () => {
    expect(anchor(null)).toMatchObject({
      title: 'Bad call on line 3',
      anchor: 'unanchored',
      current_code: null,
    })
    expect(anchor(code, { line: 7, end_line: 9 })).toMatchObject({ anchor: 'unanchored', line: 7 })
    expect(anchor(null, { file: null, line: null })).toMatchObject({ anchor: 'unanchored' })
  })

  it('anchors a claim about a whole file to the file', () => {
    expect(anchor(code, { line: null, end_line: null })).toMatchObject({
      anchor: 'exact',
      current_code: null,
    })
  })

  it('bounds what it cites', () => {
    const long = anchor(Array.from({ length: 100 }, (_, index) => `line ${index}`).join('\n'), {
      end_line: 90,
    })
    expect(long.current_code?.split('\n')).toHaveLength(40)
    expect(anchor('x'.repeat(100_000), { line: 1, end_line: 1 }).current_code).toHaveLength(4_000)
  })
})

describe('a fingerprint', () => {
  const same = anchor(code).fingerprint

  it.each([
    ['the code moves down', `// new\n// lines\n${code}`, { line: 5, end_line: 5 }],
    ['the code is indented', code.replace('  eval(text)', '\teval(text)  '), {}],
    ['blank lines come and go', code.replace('import x\n\n', 'import x\n\n\n\n'), { line: 5, end_line: 5 }],
    ['the file is renamed', code, { file: 'lib/b.ts' }],
    ['the message is worded anew', code, { title: 'Other words', description: 'x' }],
    ['another tool has the same rule', code, { source: { kind: 'agent', name: 'a' } as const }],
  ])('stays when %s', (_, text, given) => {
    expect(anchor(text, given).fingerprint).toBe(same)
  })

  it.each([
    ['another rule', code, { rule: 'no-new-func' }],
    ['other code', code.replace('text', 'other'), {}],
    ['another neighbour', code.replace('return 1', 'return 2'), {}],
    ['no rule', code, { rule: null }],
  ])('changes with %s', (_, text, given) => {
    expect(anchor(text, given).fingerprint).not.toBe(same)
  })

  it('goes by the title where there is no rule, without the line numbers in it', () => {
    const first = anchor(code, { rule: null, title: 'Bad call on line 3.' })
    expect(
      anchor(`\n${code}`, { rule: null, title: 'bad call on line 4', line: 4, end_line: 4 }).fingerprint,
    ).toBe(first.fingerprint)
    expect(anchor(code, { rule: null, title: 'Unused text' }).fingerprint).not.toBe(first.fingerprint)
  })

  it('goes by rule, file and title where no code is cited', () => {
    const whole = (given: Partial<WrittenFinding>) =>
      anchor(code, { line: null, end_line: null, ...given }).fingerprint
    expect(whole({})).toBe(anchor('other code', { line: null, end_line: null }).fingerprint)
    expect(whole({ file: 'b.ts' })).not.toBe(whole({}))
    expect(whole({ title: 'Other' })).not.toBe(whole({}))
  })

  it('is not slowed down by a file of blank lines', () => {
    const lines = splitLines('\n'.repeat(200_000))
    const all = Array.from({ length: 5_000 }, (_, at) =>
      anchorFinding(claim({ line: at + 1 }), lines, identity),
    )
    expect(all.at(-1)).toMatchObject({ anchor: 'exact', current_code: '' })
  })
})
