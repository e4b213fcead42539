import { describe, expect, it } from 'vitest'
import { writtenFinding, type Finding } from '../../../model/issue/finding.ts'
import type { FindingId, IssueId, RepositoryId, ReviewId } from '../../../model/id.ts'
import type { Issue } from '../../../model/issue/issue.ts'
import { planTriage } from '../plan-triage.ts'

interface Claim {
  readonly file?: string
  readonly line: number
  readonly code?: string
  /** What stands around the code. */
  readonly context?: string
  readonly title?: string
  readonly column?: number
}

const findingOf = ({
  file = 'a.js',
  line,
  code = 'a == b',
  context = 'x',
  title = 'Loose',
  column,
}: Claim): Finding => ({
  ...writtenFinding({
    source: { kind: 'tool', name: 'lint' },
    rule: 'eqeqeq',
    title,
    severity: 'minor',
    file,
    line,
  }),
  id: 'fnd_1' as FindingId,
  review_id: 'rev_1' as ReviewId,
  anchor: 'exact',
  ...(column !== undefined && { column }),
  current_code: code,
  fingerprint: `${code} in ${context}`,
})

function plan(claims: readonly Claim[], known: readonly Issue[], files: readonly string[] = ['a.js']) {
  let count = known.length
  return planTriage({
    findings: claims.map(findingOf),
    known,
    fileExists: (path) => files.includes(path),
    newIssue: {
      repositoryId: 'rep_1' as RepositoryId,
      nextId: () => `iss_${(count += 1)}` as IssueId,
      now: '2030-01-01T00:00:00.000Z',
      classOf: () => 'BE',
    },
  })
}
const known = (claims: readonly Claim[], change: Partial<Issue> = {}): readonly Issue[] =>
  plan(claims, []).created.map((issue, index) => ({ ...issue, code: `BE-00${index + 1}`, ...change }))

describe('two runs of one tool', () => {
  it('are matched where only the later one tells columns; what was one issue of a line is one of two then', () => {
    const before = known([{ line: 10 }, { line: 20 }, { line: 30, title: 'Other' }])
    const { created, issueOf } = plan(
      [
        { line: 10, column: 3 },
        { line: 10, column: 9 },
        { line: 22, column: 5 },
        { line: 30, column: 7, title: 'Other' },
      ],
      before,
    )
    expect(issueOf).toEqual(['iss_1', 'iss_4', 'iss_2', 'iss_3'])
    expect(created).toMatchObject([{ line: 10, column: 9 }])
  })

  it('are matched by the same code where only its surroundings were edited, however far it moved', () => {
    const before = known([{ line: 10, context: 'old' }])
    expect(plan([{ line: 300, context: 'new' }], before)).toMatchObject({ created: [], issueOf: ['iss_1'] })
  })

  it('are not matched so for an issue that is out of sight', () => {
    const before = known([{ line: 10, context: 'old' }], {
      status: 'ignored',
      ignored: { reason: 'no', until: null },
    })
    expect(plan([{ line: 300, context: 'new' }], before).created).toHaveLength(1)
  })

  it('are not matched by their lines alone: other code of the same rule is another problem', () => {
    const before = known([{ line: 10 }])
    expect(plan([{ line: 12, code: 'check(value == 3)', context: 'y' }], before).created).toHaveLength(1)
    expect(plan([{ line: 12, code: 'a == b + 1', context: 'y' }], before).created).toEqual([])
    const named = known([{ line: 10, title: 'x is unused', code: 'let x' }])
    expect(
      plan([{ line: 12, title: 'y is unused', code: 'let y', context: 'y' }], named).created,
    ).toHaveLength(1)
  })

  it('take the original for the issue where a copy looks more like it than the edited original', () => {
    const before = known([{ line: 10, context: 'old' }])
    const { created, issueOf } = plan(
      [
        { line: 14, context: 'edited' },
        { line: 90, context: 'old' },
      ],
      before,
    )
    expect(issueOf).toEqual(['iss_1', 'iss_2'])
    expect(created).toMatchObject([{ line: 90 }])
  })

  it('keep several copies apart while one of them is edited', () => {
    const before = known([
      { line: 10, context: 'one' },
      { line: 12, context: 'two' },
    ])
    const { issueOf, created } = plan(
      [
        { line: 40, context: 'edited' },
        { line: 42, context: 'two' },
      ],
      before,
    )
    expect({ issueOf, created }).toEqual({ issueOf: ['iss_1', 'iss_2'], created: [] })
  })
})

describe('files that were renamed', () => {
  const own = (file: string, name: string): Claim => ({ file, line: 5, code: `only in ${name}` })
  const shared = (file: string, line: number): Claim => ({ file, line, code: 'shared == code' })

  it('are told apart by the code that only one of them has', () => {
    const before = known([own('a.js', 'a'), shared('a.js', 20), own('b.js', 'b'), shared('b.js', 30)])
    const after = [own('x/b.js', 'b'), shared('x/b.js', 20), own('x/a.js', 'a'), shared('x/a.js', 30)]
    expect(plan(after, before, ['x/a.js', 'x/b.js'])).toMatchObject({
      created: [],
      issueOf: ['iss_3', 'iss_4', 'iss_1', 'iss_2'],
    })
  })

  it('do not lend their issues to copies in other files', () => {
    const before = known([own('a.js', 'a'), shared('a.js', 20)])
    const after = [own('x/a.js', 'a'), shared('c.js', 20)]
    expect(plan(after, before, ['x/a.js', 'c.js']).created).toMatchObject([{ file: 'c.js' }])
  })
})
