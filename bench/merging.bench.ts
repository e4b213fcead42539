import { createHash } from 'node:crypto'
import { anchorFinding } from '../src/loop/triage/anchor.ts'
import { planTriage } from '../src/loop/triage/plan-triage.ts'
import { writtenFinding, type Finding } from '../src/model/issue/finding.ts'
import type { FindingId, IssueId, RepositoryId, ReviewId } from '../src/model/id.ts'
import { formatCode, type Issue } from '../src/model/issue/issue.ts'
import type { Figure } from './figure.ts'
import { saidLater } from './merging/said-later.ts'
import { saidPlaces, type SaidPlace } from './merging/said.ts'
import { sharedTopics } from './merging/shared-topics.ts'
import { createRandom } from './statistics.ts'

export const title =
  'what several reviewers say of one place: which comments become one issue, against labels'
export const parts = ['with-place', 'no-place']

const ORDERS = 10

interface Comment {
  /** Comments with the same label are about the same problem. */
  readonly label: string
  readonly place: string
  readonly file: string
  readonly line: number
  readonly reviewer: string
  readonly text: string
}

const places: readonly SaidPlace[] = [
  ...saidPlaces,
  ...saidLater,
  ...sharedTopics.map(([one, other], index) => ({
    file: 'src/shared-topics.ts',
    line: 100 * (index + 1),
    said: [
      ['a', one],
      ['b', other],
    ] as const,
  })),
]

const comments: readonly Comment[] = places.flatMap(({ file, line, said }) =>
  said.map(([problem, text], index) => ({
    label: `${file}:${line}:${problem}`,
    place: `${file}:${line}`,
    file,
    line,
    reviewer: `reviewer-${index}`,
    text,
  })),
)

/** The figures are gaps, so that less is better; the last one counts pairs that are judged otherwise in another order or in parts. */
export async function run(part?: string): Promise<readonly Figure[]> {
  return [
    ...(part === 'no-place' ? [] : figuresOf('with a place', { hasPlace: true, lost: 40 })),
    ...(part === 'with-place' ? [] : figuresOf('without a place', { hasPlace: false, lost: 100 })),
  ]
}

function figuresOf(
  name: string,
  { hasPlace, lost }: { readonly hasPlace: boolean; readonly lost: number },
): readonly Figure[] {
  const [first = new Set<string>(), ...others] = Array.from({ length: ORDERS }, (_, order) =>
    mergedPairs(shuffled(comments, createRandom(order + 1)), { hasPlace, batches: 1 + (order % 3) }),
  )
  const isTrue = (pair: string): boolean => truePairs.has(pair)
  const right = [...first].filter(isTrue).length
  const unlike = others.reduce((sum, other) => sum + first.symmetricDifference(other).size, 0)
  return [
    {
      name: `${name}: merged pairs that are two problems`,
      value: first.size === 0 ? 0 : (1 - right / first.size) * 100,
      limit: 7,
      unit: `% (precision ${(right / first.size).toFixed(3)}, ${first.size} pairs)`,
    },
    {
      name: `${name}: pairs of one problem that stay apart`,
      value: (1 - right / truePairs.size) * 100,
      limit: lost,
      unit: `% (recall ${(right / truePairs.size).toFixed(3)}, ${truePairs.size} of ${countPairs()} pairs)`,
    },
    { name: `${name}: pairs that depend on order or batches`, value: unlike, limit: 0, unit: 'pairs' },
  ]
}

const pairOf = (a: Comment, b: Comment): string => [keyOf(a), keyOf(b)].toSorted().join('\0')
const keyOf = ({ place, reviewer }: Comment): string => `${place} ${reviewer}`

const truePairs: ReadonlySet<string> = new Set(
  pairsOf(comments)
    .filter(([a, b]) => a.label === b.label)
    .map(([a, b]) => pairOf(a, b)),
)

/** All pairs of comments on one place. */
const countPairs = (): number => pairsOf(comments).filter(([a, b]) => a.place === b.place).length

function pairsOf<T>(list: readonly T[]): readonly (readonly [T, T])[] {
  return list.flatMap((a, index) => list.slice(index + 1).map((b) => [a, b] as const))
}

/** The pairs of comments that are one issue after all came in, in so many batches. */
function mergedPairs(order: readonly Comment[], { hasPlace, batches }: Imports): ReadonlySet<string> {
  const issues = new Map<IssueId, Issue>()
  const issueOf = new Map<Finding, IssueId>()
  const commentOf = new Map(order.map((comment) => [findingOf(comment, hasPlace), comment]))
  const findings = [...commentOf.keys()]
  const size = Math.ceil(findings.length / batches)
  for (let from = 0; from < findings.length; from += size)
    importInto({ issues, issueOf }, findings.slice(from, from + size))
  const problems = Map.groupBy(findings, (finding) => {
    const id = issueOf.get(finding) as IssueId
    return issues.get(id)?.duplicate_of ?? id
  })
  return new Set(
    [...problems.values()].flatMap((same) =>
      pairsOf(same.map((finding) => commentOf.get(finding) as Comment)).map(([a, b]) => pairOf(a, b)),
    ),
  )
}

interface Imports {
  readonly hasPlace: boolean
  readonly batches: number
}

interface World {
  readonly issues: Map<IssueId, Issue>
  readonly issueOf: Map<Finding, IssueId>
}

function importInto({ issues, issueOf }: World, findings: readonly Finding[]): void {
  const voices = Map.groupBy(issueOf.keys(), (finding) => issueOf.get(finding) as IssueId)
  let count = issues.size
  const plan = planTriage({
    findings,
    known: [...issues.values()],
    voicesOf: (id) => ({ findings: voices.get(id) ?? [], isOfThisCommit: true }),
    newIssue: {
      repositoryId: 'rep_1' as RepositoryId,
      nextId: () => `iss_${String((count += 1)).padStart(6, '0')}` as IssueId,
      now: '2030-01-01T00:00:00.000Z',
      classOf: () => 'BE',
    },
  })
  for (const issue of plan.created)
    issues.set(issue.id, { ...issue, code: formatCode('BE', Number(issue.id.slice(4))) })
  for (const issue of plan.changed) issues.set(issue.id, issue)
  const byId = new Map([...issueOf.keys()].map((finding) => [finding.id, finding]))
  for (const { finding, to } of plan.moved ?? []) issueOf.set(byId.get(finding) as Finding, to)
  for (const [index, finding] of findings.entries()) issueOf.set(finding, plan.issueOf[index] as IssueId)
}

function findingOf(comment: Comment, hasPlace: boolean): Finding {
  const { file, line, reviewer, text } = comment
  const written = writtenFinding({
    source: { kind: 'agent', name: reviewer },
    title: text.slice(0, 120),
    description: text,
    severity: 'minor',
    ...(hasPlace && { file, line, end_line: line }),
  })
  const identity = { id: `fnd_${keyOf(comment)}` as FindingId, reviewId: 'rev_1' as ReviewId, hash }
  const lines = Array.from({ length: line + 5 }, (_, index) => `statement ${index} of ${file}`)
  return anchorFinding(written, hasPlace ? lines : null, identity)
}

function shuffled<T>(list: readonly T[], random: () => number): readonly T[] {
  return list
    .map((item) => ({ item, by: random() }))
    .toSorted((a, b) => a.by - b.by)
    .map(({ item }) => item)
}

const hash = (text: string): string => createHash('sha256').update(text).digest('hex')
