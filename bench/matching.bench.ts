import { createHash } from 'node:crypto'
import { anchorFinding } from '../src/loop/triage/anchor.ts'
import { planTriage } from '../src/loop/triage/plan-triage.ts'
import { writtenFinding, type Finding } from '../src/model/issue/finding.ts'
import type { FindingId, IssueId, RepositoryId, ReviewId } from '../src/model/id.ts'
import { formatCode, type Issue } from '../src/model/issue/issue.ts'
import type { Figure } from './figure.ts'
import { editFiles, makeFiles, type LabelledFile, type LabelledFinding } from './labelled-files.ts'
import { createRandom } from './statistics.ts'

export const title = 'issues found again between two runs of a tool, after scripted edits of the code'
export const parts = ['sources', 'no-sources', 'messages', 'one-line', 'copies']

const ROUNDS = 20
const FILES = 40

/** A change that makes it harder to find issues again, and the percentages that may be missed or wrong. */
interface World {
  readonly part: string
  readonly wrong: number
  readonly lost: number
  readonly hasSources?: false
  /** Gives the title of the second run's tool for a title of the first run's. */
  readonly reword?: (title: string) => string
  readonly isTwice?: true
  readonly copy?: (files: readonly LabelledFile[]) => readonly LabelledFile[]
}

const worlds: readonly World[] = [
  { part: 'sources', wrong: 0.5, lost: 20 },
  { part: 'no-sources', wrong: 5, lost: 35, hasSources: false },
  {
    part: 'messages',
    wrong: 5,
    lost: 35,
    reword: (text) =>
      text.replace('The value of', 'Do not write').replace('Expected something', 'Use what is'),
  },
  { part: 'one-line', wrong: 5, lost: 35, isTwice: true },
  { part: 'copies', wrong: 5, lost: 35, copy: withCopies },
]

interface Score {
  readonly correct: number
  readonly matched: number
  readonly possible: number
}

/** The figures are the gaps to precision 1.00 and recall 1.00, so that less is better. */
export async function run(part?: string): Promise<readonly Figure[]> {
  return worlds.filter((world) => part === undefined || world.part === part).flatMap(figuresOf)
}

function figuresOf(world: World): readonly Figure[] {
  const scores = Array.from({ length: ROUNDS }, (_, round) => scoreRound(createRandom(round + 1), world))
  const sum = (of: keyof Score) => scores.reduce((total, score) => total + score[of], 0)
  const [correct, matched, possible] = [sum('correct'), sum('matched'), sum('possible')]
  const missing = (of: number, whole: number) => (1 - of / whole) * 100
  return [
    {
      name: `${world.part}: matches that are wrong`,
      value: missing(correct, matched),
      limit: world.wrong,
      unit: `% (precision ${(correct / matched).toFixed(3)}, ${matched} matches)`,
    },
    {
      name: `${world.part}: pairs that are not found`,
      value: missing(correct, possible),
      limit: world.lost,
      unit: `% (recall ${(correct / possible).toFixed(3)}, ${possible} pairs)`,
    },
  ]
}

/** Copies every third file to a place that sorts before it. The findings in a copy are new. */
function withCopies(files: readonly LabelledFile[]): readonly LabelledFile[] {
  const copies = files
    .filter((_, index) => index % 3 === 0)
    .map(({ path, lines }) => ({
      path: `copied/${path}`,
      lines: lines.map(({ text, finding }) => ({ text, finding: finding && { ...finding, label: null } })),
    }))
  return [...copies, ...files]
}

function scoreRound(random: () => number, world: World): Score {
  const before = makeFiles(FILES, random)
  const edited = editFiles(before, random)
  const after = world.copy?.(edited) ?? edited
  const first = triage(before, [], { ...world, reword: undefined })
  const known = first.created.map((issue, index): Issue => ({ ...issue, code: formatCode('BE', index + 1) }))
  const labelOf = new Map(first.issueOf.map((id, index) => [id, first.labels[index]]))
  const second = triage(after, known, world)
  const pairs = second.issueOf.flatMap((id, index) => {
    const label = labelOf.get(id)
    return label === undefined ? [] : [{ expected: second.labels[index], label }]
  })
  const labels = new Set(first.labels)
  return {
    correct: pairs.filter(({ expected, label }) => expected === label).length,
    matched: pairs.length,
    possible: second.labels.filter((label) => labels.has(label)).length,
  }
}

type Tool = Pick<World, 'hasSources' | 'isTwice'> & { readonly reword?: World['reword'] | undefined }

function triage(files: readonly LabelledFile[], known: readonly Issue[], tool: Tool) {
  const labels: (number | null)[] = []
  const findings: Finding[] = []
  for (const { path, lines } of files) {
    const texts = tool.hasSources === false ? null : lines.map(({ text }) => text)
    for (const [index, { finding }] of lines.entries())
      for (const { label, rule, title: said } of finding ? saidOf(finding, tool) : []) {
        labels.push(label)
        const written = writtenFinding({
          source: { kind: 'tool', name: 'scan' },
          rule,
          title: tool.reword?.(said) ?? said,
          severity: 'minor',
          file: path,
          line: index + 1,
          end_line: index + 1,
        })
        const identity = { id: `fnd_${findings.length}` as FindingId, reviewId: 'rev_1' as ReviewId, hash }
        findings.push(anchorFinding(written, texts, identity))
      }
  }
  const paths = new Set(files.map(({ path }) => path))
  let count = known.length
  const { created, issueOf } = planTriage({
    findings,
    known,
    fileExists: (path) => paths.has(path),
    newIssue: {
      repositoryId: 'rep_1' as RepositoryId,
      nextId: () => `iss_${String((count += 1)).padStart(6, '0')}` as IssueId,
      now: '2030-01-01T00:00:00.000Z',
      classOf: () => 'BE',
    },
  })
  return { created, issueOf, labels }
}

/** A line with two problems has the second one under the same rule, with another name in its message. */
const saidOf = (finding: LabelledFinding, { isTwice }: Tool): readonly LabelledFinding[] =>
  isTwice
    ? [
        finding,
        {
          ...finding,
          label: finding.label === null ? null : finding.label + 1_000_000,
          title: `${finding.title} for other${finding.rule.length}`,
        },
      ]
    : [finding]

const hash = (text: string): string => createHash('sha256').update(text).digest('hex')
