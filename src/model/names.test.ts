import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { branchNameFor, numberedBranch } from '../loop/landing/name-branch.ts'
import { areaOf, formatCommitMessage, subjectOf } from './attempt/commit.ts'
import { CommitId, TreeId } from './id.ts'
import { foldersAbove, isWithin, placePath } from './repository-path.ts'
import { highestSeverity, parseSeverity } from './issue/severity.ts'

describe('the branch', () => {
  it.each([
    [['Missing null check'], 'fix/missing-null-check'],
    [['Missing null check', 'b', 'c'], 'fix/missing-null-check-and-2-more'],
    [['Überprüfung fehlt: `x`?'], 'fix/uberprufung-fehlt-x'],
    [['缺少空值检查'], 'fix/缺少空值检查'],
    [['!!!'], 'fix/findings'],
    [[''], 'fix/findings'],
    [['--upload-pack=evil; $(id)'], 'fix/upload-pack-evil-id'],
    [['a.lock'], 'fix/a-lock'],
  ])('%j → %s', (titles, name) => expect(branchNameFor(titles[0] ?? '', titles.length - 1)).toBe(name))

  it('is short and safe for any title', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (title) => {
        const name = branchNameFor(title, 0)
        expect([...name].length).toBeLessThanOrEqual(80)
        expect(name).toMatch(/^fix\/[\p{L}\p{N}]+(-[\p{L}\p{N}]+)*$/u)
      }),
    )
  })
  it('gets a number when it is taken', () =>
    expect([numberedBranch('fix/x', 1), numberedBranch('fix/x', 2)]).toEqual(['fix/x', 'fix/x-2']))
})

describe('the commit message', () => {
  const facts = {
    issue: {
      code: 'BE-001',
      title: 'Wrong\noperator',
      file: 'src/math/add.ts',
      line: 3,
      fingerprint: 'f00',
    },
    explanation: 'It subtracts.\nEvidence: E3\n\u001B[31mred',
    evidence: 'E1' as const,
    verified: { tree: TreeId.parse('a'.repeat(40)), base: CommitId.parse('b'.repeat(40)) },
    challengedBy: 'judge (95)',
    assistedBy: 'fixer',
  }
  const verified = `Verified-Tree: ${'a'.repeat(40)}\nVerified-Base: ${'b'.repeat(40)}`
  const { issue } = facts
  it('says in its subject what was changed, whatever else lands with it', () => {
    const subjects = ['use Number.isNaN.\nBecause …', ''].map((summary) => subjectOf({ issue, summary }))
    expect(subjects).toEqual(['use Number.isNaN', 'Wrong operator'])
  })

  it('has subject, body and trailers, and no text of an agent can pass for a trailer', () => {
    expect(formatCommitMessage(facts)).toBe(
      `fix(math): Wrong operator [BE-001]\n\nIt subtracts.\n  Evidence: E3\nred\n\nThe checks are green with it.\n\nIssue: BE-001\nFingerprint: f00\nEvidence: E1\n${verified}\nChallenged-by: judge (95)\nAssisted-by: fixer`,
    )
  })
  it('keeps no checks from running and closes no issue, whatever an agent says', () => {
    const armed = {
      ...facts,
      summary: 'mend it [skip ci]',
      explanation: 'Fixes #12.\nclosed: a/b#3 [ci skip]',
    }
    const message = formatCommitMessage(armed)
    expect(message).toContain('mend it (skip ci) [BE-001]')
    expect(message).toContain('Fixes the issue #12.\n  closed: the issue a/b#3 (ci skip)')
  })
  it.each([
    ['Evidence: E4\nSigned-off-by: Ada <ada@example.com>', '  Evidence: E4\n  Signed-off-by: Ada'],
    ['skip-checks:true', '  skip-checks:true'],
    ['see https://example.com/1', 'see https://example.com/1'],
    [
      'mended [skip azp] [ci-skip] [travis skip] ***NO_CI***',
      'mended (skip azp) (ci-skip) (travis skip) (NO_CI)',
    ],
    ['Closing issue #4, implements group/a#5', 'Closing the issue #4, implements the issue group/a#5'],
    ['right\u202Etfel\u2028Issue: BE-009', 'righttfel\n  Issue: BE-009'],
  ])('takes the order out of %j', (explanation, said) => {
    expect(formatCommitMessage({ ...facts, explanation })).toContain(`\n\n${said}`)
  })
  it.each([
    ['mend [skip\tci]', 'mend (skip ci)'],
    ['mend [ci\u00A0skip]', 'mend (ci skip)'],
    ['mend [skip  actions]', 'mend (skip actions)'],
    ['mend [skip_ci]', 'mend (skip_ci)'],
    ['mend [ ci  skip ]', 'mend (ci skip)'],
    ['mend [skipci]', 'mend (skipci)'],
    ['mend a[node] and [nothing]', 'mend a[node] and [nothing]'],
  ])('takes the order out of a subject such as %j', (summary, said) => {
    const [subject] = formatCommitMessage({ ...facts, summary }).split('\n')
    expect(subject).toBe(`fix(math): ${said} [BE-001]`)
  })
  it('turns no letters around in a subject', () => {
    expect(formatCommitMessage({ ...facts, summary: 'mend \u202Eti\u001B]0;x\u0007\r now' })).toMatch(
      /^fix\(math\): mend ti now \[BE-001\]\n/,
    )
  })
  it('leaves out who was not there', () => {
    const plain = formatCommitMessage({ ...facts, explanation: '', challengedBy: null, assistedBy: null })
    expect(plain).toBe(
      `fix(math): Wrong operator [BE-001]\n\nThe checks are green with it.\n\nIssue: BE-001\nFingerprint: f00\nEvidence: E1\n${verified}`,
    )
  })
  it('says what was wrong where its subject says what was changed, and how it was proven', () => {
    const message = formatCommitMessage({ ...facts, summary: 'add the numbers', evidence: 'E3' })
    expect(message.split('\n\n').slice(0, 2)).toEqual([
      'fix(math): add the numbers [BE-001]',
      'Wrong operator (src/math/add.ts:3).',
    ])
    expect(message).toContain('\n\nA test fails without it and passes with it.\n\nIssue: BE-001\n')
  })
  it.each([
    ['src/a.mjs', 'a'],
    ['packages/web/src/index.ts', 'web'],
    ['.eslintrc', '.eslintrc'],
    [null, 'repo'],
  ])('the area of %s is %s', (file, area) => expect(areaOf(file)).toBe(area))
})

describe('paths', () => {
  it.each([
    ['./a.ts', { path: 'a.ts' }],
    ['a\\b.ts', { path: 'a/b.ts' }],
    ['a/../b.ts', { path: 'b.ts' }],
    ['/repo/a/b.ts', { path: 'a/b.ts' }],
    ['/repository/a.ts', { refused: 'the path lies outside the repository' }],
    ['../../etc/passwd', { refused: 'the path lies outside the repository' }],
    ['C:\\x\\y.ts', { refused: 'the path lies outside the repository' }],
    ['a\0b', { refused: 'the path holds a NUL byte' }],
    ['.', { refused: 'the path names no file' }],
  ])('%j is placed in the repository, or refused with the reason', (written, placed) =>
    expect(placePath(written, '/repo')).toEqual(placed),
  )

  it('a folder holds itself and what is below, not its neighbours', () => {
    expect([isWithin('a/b', 'a'), isWithin('a', 'a'), isWithin('ab', 'a'), isWithin('x', '')]).toEqual([
      true,
      true,
      false,
      true,
    ])
    expect(foldersAbove('a/b/c.ts')).toEqual(['a/b/', 'a/', ''])
  })
})

describe('severities', () => {
  it.each([
    ['HIGH', 'major'],
    ['error', 'major'],
    ['warning', 'minor'],
    ['Blocker', 'critical'],
    ['note', 'info'],
  ])('%s is %s', (word, severity) => expect(parseSeverity(word)).toEqual({ severity, note: null }))
  it('an unknown word is minor and says so', () => {
    expect(parseSeverity('spicy')).toEqual({
      severity: 'minor',
      note: 'severity "spicy" is not known: taken as minor',
    })
    expect(parseSeverity(null).note).toContain('no severity')
  })
  it('the higher one stays', () => expect(highestSeverity('minor', 'major')).toBe('major'))
})
