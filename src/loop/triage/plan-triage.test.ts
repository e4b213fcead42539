import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { writtenFinding, type Finding } from '../../model/issue/finding.ts'
import {
  createdAtMs,
  SessionId,
  type FindingId,
  type IssueId,
  type RepositoryId,
  type ReviewId,
} from '../../model/id.ts'
import type { Issue } from '../../model/issue/issue.ts'
import { planTriage } from './plan-triage.ts'

const now = '2026-05-01T00:00:00.000Z'
const tool = (name: string) => ({ kind: 'tool', name }) as const
const agent = (name: string) => ({ kind: 'agent', name }) as const

/** A finding whose fingerprint is its claim and its code or, without code, its file: as anchoring makes it. */
function finding(given: Partial<Finding> = {}): Finding {
  const written = writtenFinding({
    source: tool('scan'),
    title: 'Bad call',
    severity: 'minor',
    file: 'a.ts',
    line: 10,
    ...given,
  })
  const isCiting = written.line !== null && given.anchor !== 'unanchored'
  const code = isCiting ? (given.current_code ?? 'code') : null
  return {
    ...written,
    end_line: given.end_line ?? written.line,
    id: 'fnd_1' as FindingId,
    review_id: 'rev_1' as ReviewId,
    anchor: 'exact',
    fingerprint: isCiting
      ? `${written.rule ?? written.title}|${code}`
      : `${written.rule}|${written.file}|${written.title}`,
    ...given,
    current_code: code,
  }
}

/** The findings of the issues that `knownAfter` made, as a store has them. */
const voices = new WeakMap<readonly Issue[], ReadonlyMap<string, readonly Finding[]>>()

function plan(
  findings: readonly Finding[],
  known: readonly Issue[] = [],
  fileExists?: (path: string) => boolean,
) {
  let count = known.length
  return planTriage({
    findings,
    known,
    voicesOf: (id) => {
      const ofIssue = voices.get(known)?.get(id)
      return ofIssue ? { findings: ofIssue, isOfThisCommit: true } : null
    },
    newIssue: {
      repositoryId: 'rep_1' as RepositoryId,
      nextId: () => `iss_${String((count += 1)).padStart(4, '0')}` as IssueId,
      now,
      classOf: () => 'BE',
    },
    ...(fileExists && { fileExists }),
  })
}

/** What the store knows after the findings came in. */
function knownAfter(findings: readonly Finding[], change: Partial<Issue> = {}): Issue[] {
  const { created, issueOf } = plan(findings)
  const known = created.map((issue, index) => ({ ...issue, code: `BE-00${index + 1}`, ...change }))
  voices.set(
    known,
    Map.groupBy(findings, (one) => issueOf[findings.indexOf(one)] ?? ''),
  )
  return known
}

describe('merging the findings of one review', () => {
  it('makes one issue of what two sources say, with the highest severity, the best suggestion and both names', () => {
    const { created, issueOf } = plan([
      finding({
        source: agent('claude'),
        title: 'SQL injection via string concatenation',
        severity: 'major',
        line: 10,
        suggested_fix: 'short',
        category: 'security',
      }),
      finding({
        source: agent('gemini'),
        title: 'String concatenation in SQL query allows injection',
        severity: 'critical',
        line: 12,
        suggested_fix: 'a longer suggestion',
        category: 'bug',
      }),
    ])
    expect(created).toHaveLength(1)
    expect(issueOf).toEqual(['iss_0001', 'iss_0001'])
    expect(created[0]).toMatchObject({
      severity: 'critical',
      line: 12,
      suggested_fix: 'a longer suggestion',
      flagged_by: ['claude', 'gemini'],
      status: 'open',
      task_id: 'rev_1',
      created_at: now,
    })
    expect(created[0]?.description).toContain('SQL injection via string concatenation')
  })

  it('keeps what every source says, however much one of them says', () => {
    const flood = {
      title: 'SQL injection in the query',
      description: `SQL injection in the query. ${'x '.repeat(3_980)}`,
    }
    const other = (name: string, words: string) =>
      finding({
        source: agent(name),
        title: flood.title,
        description: `SQL injection in the query: ${words}`,
      })
    const first = finding({ source: agent('a'), ...flood })
    expect(plan([first, other('b', 'it drops tables')]).created[0]?.description).toContain('it drops tables')
    const later = knownAfter([first, other('b', 'it drops tables')])
    const description = plan([other('c', 'it reads passwords')], later).changed[0]?.description
    expect(description).toContain('b: SQL injection in the query: it drops tables')
    expect(description).toContain('c: SQL injection in the query: it reads passwords')
    expect(description?.length).toBeLessThanOrEqual(8_000)
    const crowd = Array.from({ length: 30 }, (_, at) =>
      finding({ source: tool(`t${at}`), rule: 'R1', ...flood, description: `${at} ${flood.description}` }),
    )
    expect(plan(crowd).created[0]?.description.match(/t\d+: \d+ SQL/g)).toHaveLength(29)
  })

  it.each([
    ['another problem on the same line', { title: 'Missing null check' }],
    ['the same words too far away', { line: 16 }],
    ['the same words in another file', { file: 'b.ts' }],
    ['a claim about the whole file', { line: null }],
  ])('keeps %s apart', (_, other) => {
    expect(
      plan([finding({ source: agent('a') }), finding({ source: agent('b'), ...other })]).created,
    ).toHaveLength(2)
  })

  it.each([
    ['the same rule in other words', { rule: 'R1', title: 'Nothing alike here', line: 15 }],
    ['the same words under another rule', { rule: 'X9', line: 5 }],
  ])('merges %s', (_, other) => {
    const first = finding({ source: tool('a'), rule: 'R1' })
    expect(plan([first, finding({ source: tool('b'), ...other })]).created).toHaveLength(1)
  })

  it('merges claims about a whole file', () => {
    const fileLevel = { line: null, end_line: null, current_code: null, title: 'File is too long' }
    expect(
      plan([finding({ source: tool('a'), ...fileLevel }), finding({ source: tool('b'), ...fileLevel })])
        .created,
    ).toHaveLength(1)
  })

  it('never merges two results of one tool unless rule, region and message are the same', () => {
    const own = (given: Partial<Finding>) => finding({ rule: 'R1', ...given })
    expect(plan([own({ line: 10 }), own({ line: 11 })]).created).toHaveLength(2)
    expect(plan([own({ end_line: 10 }), own({ end_line: 12 })]).created).toHaveLength(2)
    expect(plan([own({}), own({ rule: 'R2' })]).created).toHaveLength(2)
    expect(plan([own({ title: "'a' is unused" }), own({ title: "'b' is unused" })]).created).toHaveLength(2)
    expect(plan([own({ column: 3 }), own({ column: 9 })]).created).toHaveLength(2)
    expect(plan([own({ column: 3 }), own({ column: 3 })]).created).toHaveLength(1)
  })

  it('keeps different claims of one reviewer about one line or file apart', () => {
    expect(
      plan([finding({ title: 'Slow loop' }), finding({ title: 'Slow loops here' })]).created,
    ).toHaveLength(2)
    const wholeFile = { rule: 'CVE', line: null, end_line: null }
    expect(
      plan([finding({ ...wholeFile, title: 'In pkg a' }), finding({ ...wholeFile, title: 'In pkg b' })])
        .created,
    ).toHaveLength(2)
  })

  it("keeps two problems of one line apart by the tool's fingerprints where it tells no column, and knows both again", () => {
    const of = (mark: string, column?: number) =>
      finding({ rule: 'unused-import', marks: [`fingerprint gitlab ${mark}`], ...(column && { column }) })
    const { created } = plan([of('1'), of('2')])
    expect(created).toHaveLength(2)
    expect(plan([of('1', 3), of('2', 3)]).created).toHaveLength(1)
    const known = knownAfter([of('1'), of('2')])
    const again = plan([of('2'), of('1')], known)
    expect([again.created, again.issueOf]).toEqual([[], ['iss_0002', 'iss_0001']])
    const ignored = known.map((issue, index): Issue =>
      index === 0 ? { ...issue, status: 'ignored' } : issue,
    )
    expect(plan([of('2'), of('1')], ignored).issueOf).toEqual(['iss_0002', 'iss_0001'])
  })

  it('hides no other problem in an ignored issue because a tool gives it the same number again', () => {
    const of = (given: Partial<Finding>) => finding({ rule: 'R1', marks: ['id finding-1'], ...given })
    const known = knownAfter([of({ title: 'A table is read', current_code: 'rows(query)' })])
    const ignored = known.map((issue): Issue => ({ ...issue, status: 'ignored' }))
    const other = { title: 'The shell runs what was sent', line: 90, current_code: 'exec(request.body)' }
    expect(plan([of({ ...other, severity: 'critical' })], ignored).created).toHaveLength(1)
    const moved = { title: 'A table is read twice', line: 90, current_code: 'rows( query )' }
    expect(plan([of(moved)], ignored).issueOf).toEqual(['iss_0001'])
    expect(plan([of(other)], known).issueOf).toEqual(['iss_0001'])
    // Of a whole file no code is cited, which is no sign that two are alike.
    const whole = { line: null, current_code: null }
    const [old] = knownAfter([of({ ...whole, title: 'lodash has a known hole' })])
    const hidden = old ? [{ ...old, status: 'ignored' } satisfies Issue] : []
    expect(plan([of({ ...whole, title: 'axios sends cookies to strangers' })], hidden).created).toHaveLength(
      1,
    )
    expect(plan([of({ ...other, title: 'axios sends cookies' })], hidden).created).toHaveLength(1)
    expect(plan([of({ ...whole, title: 'lodash 4.1 has a known hole' })], hidden).created).toEqual([])
  })

  it('pairs copies of the same code line by line', () => {
    const of = (name: string, line: number) => finding({ source: tool(name), rule: 'R1', line })
    const { created, issueOf } = plan([of('a', 10), of('a', 12), of('b', 12), of('b', 10)])
    expect(created.map((issue) => [issue.line, issue.flagged_by])).toEqual([
      [10, ['a', 'b']],
      [12, ['a', 'b']],
    ])
    expect(issueOf).toEqual(['iss_0001', 'iss_0002', 'iss_0002', 'iss_0001'])
  })

  it('does not make a chain of neighbours one problem', () => {
    const chain = ['a', 'b', 'c'].map((name, index) =>
      finding({ source: agent(name), line: 10 + index * 5, severity: index === 1 ? 'major' : 'minor' }),
    )
    expect(plan(chain).created).toHaveLength(2)
  })

  it('does not make two problems one because a single comment speaks of both', () => {
    const offset = 'negative offsets reach the queryset slice and Django refuses negative indexing'
    const floor = 'math.floor is called with a datetime, which raises a TypeError in get_item_key'
    const said = [offset, `${offset} again`, `${offset}; ${floor}`, floor, `${floor} too`, `calling ${floor}`]
    const { created } = plan(
      said.map((text, index) =>
        finding({ source: agent(`r${index}`), title: text, description: text, rule: null, line: 12 }),
      ),
    )
    expect(created).toHaveLength(2)
    const upload = 'A large upload exhausts the heap because the file is read as a whole.'
    const quota =
      'No quota bounds what a tenant or a team may store, so one tenant fills the bucket that all tenants share.'
    const both =
      'The heap is exhausted by a large upload; stream the file instead of reading it as a whole, with a quota for each tenant and team.'
    const three = [upload, both, quota].map((text, index) =>
      finding({ source: agent(`r${index}`), title: text, description: text, rule: null, line: 12 }),
    )
    expect(plan(three).created.map((issue) => issue.flagged_by.toSorted())).toEqual([['r0', 'r1'], ['r2']])
  })

  it('keeps findings without a place, and says where they were meant to be', () => {
    const lost = (note: string) =>
      finding({
        file: null,
        line: null,
        end_line: null,
        anchor: 'unanchored',
        place_note: note,
        fingerprint: note,
      })
    const { created } = plan([lost('"../x": outside'), lost('"../y": outside')])
    expect(created.map((issue) => [issue.anchor, issue.description])).toEqual([
      ['unanchored', 'Bad call\n\nPlace: "../x": outside'],
      ['unanchored', 'Bad call\n\nPlace: "../y": outside'],
    ])
  })

  it('makes an issue that its source suppresses an ignored one, unless another source disagrees', () => {
    const suppressed = finding({ source: tool('a'), suppressed: 'accepted risk' })
    expect(plan([suppressed]).created[0]).toMatchObject({
      status: 'ignored',
      ignored: { reason: 'accepted risk', until: null },
    })
    expect(plan([suppressed, finding({ source: tool('b') })]).created[0]).toMatchObject({
      status: 'open',
      ignored: null,
    })
  })
})

describe('matching with known issues', () => {
  const moved = () => finding({ rule: 'R1', line: 90, end_line: 91 })
  const earlier = (change: Partial<Issue> = {}) => knownAfter([finding({ rule: 'R1' })], change)

  it.each(['open', 'in_progress', 'failed', 'resolved', 'duplicate', 'ignored'] as const)(
    'follows the moved code of an issue that is %s',
    (status) => {
      const ignored = status === 'ignored' ? { reason: 'no', until: null } : null
      const [known] = earlier({ status, ignored })
      expect(plan([moved()], [known as Issue])).toEqual({
        created: [],
        changed: [{ ...known, line: 90, end_line: 91, updated_at: now }],
        issueOf: [known?.id],
      })
    },
  )

  it('opens a new issue when the code of a merged one comes back, and matches that one from then on', () => {
    const merged = earlier({ status: 'merged' })
    const back = plan([moved()], merged)
    expect(back).toMatchObject({
      created: [{ status: 'open', regression_of: 'iss_0001', line: 90 }],
      changed: [],
    })
    const known = [...merged, { ...back.created[0], code: 'BE-002' } as Issue]
    expect(plan([moved()], known)).toMatchObject({ created: [], changed: [], issueOf: ['iss_0002'] })
    const mergedAgain = known.map((issue): Issue => ({ ...issue, status: 'merged' }))
    expect(plan([moved()], mergedAgain).created).toMatchObject([{ regression_of: 'iss_0002' }])
  })

  const newIssues = {
    repositoryId: 'rep_1' as RepositoryId,
    nextId: () => 'iss_0002' as IssueId,
    now,
    classOf: () => 'BE' as const,
  }

  it('takes a merged issue for itself where the reviewed code is older than its fix', () => {
    const fix_session_id = SessionId.parse('ses_1')
    const merged = earlier({ status: 'merged', fix_session_id })
    const input = { findings: [finding({ rule: 'R1' })], known: merged, newIssue: newIssues }
    expect(planTriage({ ...input, ahead: new Set([fix_session_id]) })).toEqual({
      created: [],
      changed: [],
      issueOf: ['iss_0001'],
    })
    expect(planTriage({ ...input, ahead: new Set() }).created).toMatchObject([{ regression_of: 'iss_0001' }])
  })

  it('opens nothing for a report that is older than the fix, and a new issue for one that may be newer', () => {
    const fix_session_id = SessionId.parse('ses_019f00000000700000000000000000000'.slice(0, 36))
    const merged = earlier({ status: 'merged', fix_session_id })
    const told = finding({ rule: 'R1', current_code: 'what the fix made of it' })
    const began = createdAtMs(fix_session_id) ?? 0
    expect(began).toBeGreaterThan(0)
    const newIssue = { ...newIssues, nextId: () => 'iss_0002' as IssueId }
    const after = (madeAtMs: number | undefined, finds = told) =>
      planTriage({ findings: [finds], known: merged, newIssue, madeAtMs })
    expect(after(began - 1)).toEqual({ created: [], changed: [], issueOf: ['iss_0001'] })
    expect(after(began + 1).created).toHaveLength(1)
    expect(after(undefined).created).toHaveLength(1)
    // The same claim about another line is another problem.
    expect(after(began - 1, { ...told, line: 40 }).created).toHaveLength(1)
  })

  it.each([
    ['2026-04-01', 'open', null],
    ['2026-06-01', 'ignored', { reason: 'later', until: '2026-06-01' }],
  ] as const)('with an ignore until %s leaves the issue %s', (until, status, ignored) => {
    const known = earlier({ status: 'ignored', ignored: { reason: 'later', until } })
    const { created, changed } = plan([finding({ rule: 'R1' })], known)
    expect(created).toEqual([])
    expect({ ...known[0], ...changed[0] }).toMatchObject({ status, ignored })
  })

  it('keeps an issue whose code was edited a little, and takes over its new fingerprint', () => {
    const edited = finding({ rule: 'R1', line: 13, current_code: 'new code' })
    expect(plan([edited], earlier())).toMatchObject({
      created: [],
      changed: [{ line: 13, current_code: 'new code', fingerprint: edited.fingerprint }],
    })
  })

  it.each(['resolved', 'ignored', 'duplicate'] as const)(
    'does not let an issue that is %s swallow a new problem beside it',
    (status) => {
      const beside = finding({ rule: 'R1', line: 12, current_code: 'other code' })
      expect(plan([beside], earlier({ status })).created).toHaveLength(1)
    },
  )

  it('leaves dismissed what another source reports in its own words', () => {
    const ignored = { reason: 'only used in tests', until: null }
    const [known] = earlier({ status: 'ignored', ignored })
    const other = finding({ source: tool('lint'), rule: 'no-bad-call', title: 'A bad call', line: 11 })
    expect(plan([other], [known as Issue])).toMatchObject({
      created: [],
      changed: [{ id: known?.id, status: 'ignored', ignored, flagged_by: ['scan', 'lint'] }],
    })
  })

  it.each([
    ['a part of it', { line: 11, end_line: 11, current_code: 'second()' }],
    [
      'more than it',
      { line: 9, end_line: 13, current_code: 'before()\nfirst()\nsecond()\nthird()\nafter()' },
    ],
  ])('leaves dismissed what a reviewer raises again while it cites %s', (_, cited) => {
    const code = { line: 10, end_line: 12, current_code: 'first()\nsecond()\nthird()' }
    const known = knownAfter([finding({ source: agent('claude'), ...code })], {
      status: 'ignored',
      ignored: { reason: 'as it should be', until: null },
    })
    const again = finding({ source: agent('claude'), title: 'This is a bad call', ...cited })
    expect(plan([again], known)).toMatchObject({ created: [], issueOf: ['iss_0001'] })
    // A fix that left the problem in its place must not hide it.
    const fixed = known.map((issue): Issue => ({ ...issue, status: 'resolved', ignored: null }))
    expect(plan([again], fixed).created).toHaveLength(1)
    // One tool means another place by another line.
    const scanned = knownAfter([finding(code)], { status: 'ignored', ignored: { reason: 'no', until: null } })
    expect(plan([finding({ ...cited })], scanned).created).toHaveLength(1)
  })

  it('adds what a new source says, once, and nothing that a known one words otherwise', () => {
    const said = (name: string, description: string) =>
      finding({ source: agent(name), title: 'A bad call', description })
    const { changed } = plan([said('claude', 'It blocks the queue.')], earlier({ description: 'Bad call' }))
    expect(changed).toMatchObject([{ description: 'Bad call\n\nclaude: It blocks the queue.' }])
    expect(plan([said('claude', 'The queue is blocked by it.')], changed)).toMatchObject({ changed: [] })
  })

  it('adds another source to an issue without moving it', () => {
    const other = finding({
      source: agent('claude'),
      title: 'A bad call',
      line: 12,
      severity: 'major',
      suggested_fix: 'do this',
    })
    expect(plan([other], earlier())).toMatchObject({
      created: [],
      changed: [
        { line: 10, rule: 'R1', flagged_by: ['scan', 'claude'], severity: 'major', suggested_fix: 'do this' },
      ],
    })
  })

  it('never loses its place to a finding that has none', () => {
    const lost = { ...moved(), anchor: 'unanchored', current_code: null } as const
    expect(plan([lost], earlier())).toMatchObject({ created: [], changed: [] })
  })

  it('matches copies one to one: nearest first, the new one is new', () => {
    const copies = [10, 20, 30].map((line) => finding({ rule: 'R1', line }))
    const known = knownAfter(copies)
    const shifted = [12, 22, 27, 32].map((line) => finding({ rule: 'R1', line }))
    const { created, changed, issueOf } = plan(shifted, known)
    expect(changed.map((issue) => [issue.id, issue.line])).toEqual(
      [
        ['iss_0001', 12],
        ['iss_0002', 22],
        ['iss_0003', 32],
      ].map(([id, line]) => [id, line]),
    )
    expect(created.map((issue) => issue.line)).toEqual([27])
    expect(new Set(issueOf).size).toBe(4)
  })

  it('prefers the issue of the same file to a copy elsewhere', () => {
    const known = knownAfter([
      finding({ rule: 'R1', file: 'b.ts' }),
      finding({ rule: 'R1', file: 'a.ts', line: 50 }),
    ])
    expect(plan([finding({ rule: 'R1', file: 'a.ts', line: 80 })], known).issueOf).toEqual(['iss_0002'])
  })

  it('follows code into another file only when the old file is gone', () => {
    const inOther = finding({ rule: 'R1', file: 'b.ts' })
    expect(plan([inOther], earlier(), () => false)).toMatchObject({
      created: [],
      changed: [{ id: 'iss_0001', file: 'b.ts' }],
    })
    expect(plan([inOther], earlier(), () => true).created).toHaveLength(1)
    expect(plan([inOther, finding({ rule: 'R2', line: 70 })], earlier()).created).toHaveLength(2)
  })
})

const anyFinding = fc
  .record({
    source: fc.constantFrom(tool('scan'), tool('lint'), agent('claude')),
    rule: fc.constantFrom(null, 'R1', 'R2'),
    title: fc.constantFrom('Bad call', 'A bad call here', 'Missing check', 'Unused variable x'),
    severity: fc.constantFrom('critical', 'major', 'minor', 'info'),
    file: fc.constantFrom('a.ts', 'b.ts', null),
    line: fc.option(fc.integer({ min: 1, max: 30 })),
    anchor: fc.constantFrom('exact', 'unanchored'),
    suggested_fix: fc.constantFrom(null, 'x', 'a longer one'),
    suppressed: fc.constantFrom(null, null, 'accepted'),
  } as const)
  .map((given) => finding({ ...given, current_code: (given.line ?? 0) % 3 === 0 ? 'code' : 'other' }))

describe('the laws of triage', () => {
  it('every finding has an issue, and every new issue has a finding', () => {
    fc.assert(
      fc.property(
        fc.array(anyFinding, { maxLength: 25 }),
        fc.array(anyFinding, { maxLength: 25 }),
        (before, after) => {
          const known = knownAfter(before)
          const { created, changed, issueOf, moved = [] } = plan(after, known)
          expect(issueOf).toHaveLength(after.length)
          const ids = new Set([...known, ...created].map((issue) => issue.id))
          expect(issueOf.every((id) => ids.has(id))).toBe(true)
          const filled = new Set([...issueOf, ...moved.map(({ to }) => to)])
          expect(created.every((issue) => filled.has(issue.id))).toBe(true)
          expect(new Set(changed.map((issue) => issue.id)).size).toBe(changed.length)
        },
      ),
    )
  })

  it('the same report twice changes nothing, in whatever order it comes', () => {
    fc.assert(
      fc.property(
        fc
          .array(anyFinding, { maxLength: 25 })
          .chain((list) =>
            fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
          ),
        ([list, shuffled]) => {
          const known = knownAfter(list)
          expect(plan(shuffled, known)).toMatchObject({ created: [], changed: [] })
        },
      ),
      { numRuns: 300 },
    )
  })

  it('a report that says where a line ends, and one that does not, change nothing', () => {
    for (const [first, second] of [
      [null, 10],
      [10, null],
    ]) {
      const known = knownAfter([finding({ end_line: first ?? null })])
      expect(plan([finding({ end_line: second ?? null })], known)).toMatchObject({ created: [], changed: [] })
    }
    const known = knownAfter([finding({ end_line: null })])
    expect(plan([finding({ end_line: 12 })], known)).toMatchObject({ changed: [{ end_line: 12 }] })
  })

  it('two sources that cite copies of one code keep the span of their issue', () => {
    const said = { title: 'Unused variable x', file: 'b.ts', severity: 'critical' } as const
    const list = [
      finding({ ...said, source: agent('claude'), line: 16, current_code: 'other' }),
      finding({ ...said, source: tool('scan'), line: 24, current_code: 'code' }),
      finding({ ...said, source: tool('lint'), line: 21, current_code: 'code' }),
    ]
    const known = knownAfter(list)
    expect(known.map(({ line }) => line)).toEqual([16, 21])
    expect(plan([...list].reverse(), known)).toMatchObject({ created: [], changed: [] })
  })

  it('the order of the findings does not matter', () => {
    const issues = (list: readonly Finding[]) =>
      plan(list)
        .created.map((issue) => JSON.stringify({ ...issue, id: null }))
        .toSorted()
    fc.assert(
      fc.property(
        fc
          .array(anyFinding, { maxLength: 25 })
          .chain((list) =>
            fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
          ),
        ([list, shuffled]) => {
          expect(issues(shuffled)).toEqual(issues(list))
        },
      ),
      { numRuns: 300 },
    )
  })

  it('takes time in proportion to its input, also where everything lies on one line', () => {
    const crowd = Array.from({ length: 4_000 }, (_, index) =>
      finding({ source: tool(`t${index % 3}`), rule: `R${index}`, title: `Title ${index}` }),
    )
    const { created } = plan(crowd)
    expect(created).toHaveLength(4_000)
    const copies = Array.from({ length: 4_000 }, (_, index) => finding({ rule: 'R1', line: index * 10 + 1 }))
    const known = knownAfter(copies)
    expect(
      plan(
        copies.map((copy) => ({ ...copy, line: (copy.line ?? 0) + 3 })),
        known,
      ).changed,
    ).toHaveLength(4_000)
  })
})
