import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { writtenFinding, type Finding } from '../../model/issue/finding.ts'
import type { FindingId, IssueId, RepositoryId, ReviewId } from '../../model/id.ts'
import type { Issue } from '../../model/issue/issue.ts'
import { planTriage } from './plan-triage.ts'

/** What a store holds after some imports. */
interface World {
  readonly issues: Map<IssueId, Issue>
  readonly issueOf: Map<Finding, IssueId>
}

function importInto({ issues, issueOf }: World, findings: readonly Finding[]): void {
  const known = [...issues.values()]
  const voices = Map.groupBy(issueOf.keys(), (finding) => issueOf.get(finding) as IssueId)
  const plan = planTriage({
    findings,
    known,
    voicesOf: (id) => ({ findings: voices.get(id) ?? [], isOfThisCommit: true }),
    newIssue: {
      repositoryId: 'rep_1' as RepositoryId,
      nextId: () => `iss_${String(issues.size + 1 + fresh++).padStart(4, '0')}` as IssueId,
      now: '2030-01-01T00:00:00.000Z',
      classOf: () => 'BE',
    },
  })
  for (const issue of plan.created) issues.set(issue.id, { ...issue, code: issue.id })
  for (const issue of plan.changed) issues.set(issue.id, issue)
  for (const { finding: id, to } of plan.moved ?? [])
    for (const finding of issueOf.keys()) if (finding.id === id) issueOf.set(finding, to)
  for (const [index, finding] of findings.entries()) issueOf.set(finding, plan.issueOf[index] as IssueId)
}
let fresh = 0

/** Which findings are one problem, once all reports were imported in these batches. */
function problemsOf(batches: readonly (readonly Finding[])[]): readonly string[] {
  const world: World = { issues: new Map(), issueOf: new Map() }
  for (const batch of batches) importInto(world, batch)
  const problem = (id: IssueId): IssueId => world.issues.get(id)?.duplicate_of ?? id
  const problems = Map.groupBy(world.issueOf.keys(), (finding) =>
    problem(world.issueOf.get(finding) as IssueId),
  )
  return [...problems.values()]
    .map((some) =>
      some
        .map(({ id }) => id)
        .toSorted()
        .join(' '),
    )
    .toSorted()
}

const subjects = [
  'the cursor paginator slices a Django queryset with a negative offset, which raises an AssertionError',
  'organization_context.member is None for api tokens, so has_global_access raises an AttributeError',
  'math.floor is called with a datetime, which raises a TypeError in get_item_key of the cursor paginator',
  'negative offsets reach the queryset slice, and Django refuses negative indexing at runtime',
]
const remarks = [
  'in production',
  'when an admin pages back',
  'as the offset is never clamped',
  'for the audit log',
]

const anyReport = (name: string, kind: 'agent' | 'tool') =>
  fc
    .array(
      fc.record({
        subject: fc.constantFrom(...subjects),
        other: fc.constantFrom('', ...subjects),
        remark: fc.constantFrom(...remarks),
        line: fc.integer({ min: 10, max: 18 }),
        words: fc.integer({ min: 5, max: 30 }),
      }),
      { maxLength: 4 },
    )
    .map((said) =>
      said.map(({ subject, other, remark, line, words }, index): Finding => {
        const text = `${subject} ${other} ${remark}`.split(' ').slice(0, words).join(' ')
        return {
          ...writtenFinding({
            source: { kind, name },
            title: text.slice(0, 120),
            description: text,
            severity: 'minor',
          }),
          file: 'a.py',
          line,
          end_line: line,
          id: `${name}${index}` as FindingId,
          review_id: `rev_${name}` as ReviewId,
          anchor: 'exact',
          current_code: `line ${line}`,
          fingerprint: `${text} ${line}`,
        }
      }),
    )

describe('reports of several reviewers', () => {
  it('become the same issues in whatever order they are imported, together or one by one', () => {
    const reports = fc.tuple(
      anyReport('a', 'agent'),
      anyReport('b', 'agent'),
      anyReport('c', 'tool'),
      anyReport('d', 'agent'),
    )
    fc.assert(
      fc.property(
        reports.chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray([...all], { minLength: 4 }))),
        fc.integer({ min: 1, max: 3 }),
        ([all, shuffled], cut) => {
          const together = problemsOf([all.flat()])
          expect(problemsOf(shuffled)).toEqual(together)
          expect(problemsOf([shuffled.slice(0, cut).flat(), shuffled.slice(cut).flat()])).toEqual(together)
        },
      ),
      { numRuns: 150 },
    )
  })

  it('another source that says the same a line away does not move the issue, nor what can join it', () => {
    const text = 'negative offsets reach the queryset slice, and Django refuses negative indexing at runtime'
    const told = (name: string, line: number, said: string): Finding => ({
      ...writtenFinding({
        source: { kind: 'agent', name },
        title: said,
        description: said,
        severity: 'minor',
      }),
      file: 'a.py',
      line,
      end_line: line,
      id: name as FindingId,
      review_id: `rev_${name}` as ReviewId,
      anchor: 'exact',
      current_code: `line ${line}`,
      fingerprint: `${said} ${line}`,
    })
    const reports = [
      [told('c', 16, 'the cursor paginator slices a Django queryset')],
      [told('d', 10, `${text} `)],
      [told('a', 11, text)],
      [],
    ]
    expect(problemsOf(reports)).toEqual(problemsOf([reports.flat()]))
  })
})
