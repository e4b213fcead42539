import { createHash } from 'node:crypto'
import { anchorFinding } from '../src/loop/triage/anchor.ts'
import { planTriage } from '../src/loop/triage/plan-triage.ts'
import { writtenFinding, type Finding } from '../src/model/issue/finding.ts'
import type { FindingId, IssueId, RepositoryId, ReviewId } from '../src/model/id.ts'
import { formatCode, type Issue } from '../src/model/issue/issue.ts'
import type { Figure } from './figure.ts'
import { editFiles, makeFiles, type LabelledFile } from './labelled-files.ts'
import { createRandom } from './statistics.ts'

export const title = 'issues found again between two runs of a tool, after scripted edits of the code'

const ROUNDS = 20
const FILES = 40

interface Score {
  readonly correct: number
  readonly matched: number
  readonly possible: number
}

/** The figures are what is missing from precision 1.00 (to two places) and recall 0.80, so that less is better. */
export async function run(): Promise<readonly Figure[]> {
  const scores = Array.from({ length: ROUNDS }, (_, round) => scoreRound(createRandom(round + 1)))
  const sum = (part: keyof Score) => scores.reduce((total, score) => total + score[part], 0)
  const [correct, matched, possible] = [sum('correct'), sum('matched'), sum('possible')]
  const lost = (part: number, whole: number) => (1 - part / whole) * 100
  return [
    {
      name: 'matches that are wrong',
      value: lost(correct, matched),
      limit: 0.5,
      unit: `% (precision ${(correct / matched).toFixed(3)}, ${matched} matches)`,
    },
    {
      name: 'pairs that are not found',
      value: lost(correct, possible),
      limit: 20,
      unit: `% (recall ${(correct / possible).toFixed(3)}, ${possible} pairs)`,
    },
  ]
}

function scoreRound(random: () => number): Score {
  const before = makeFiles(FILES, random)
  const after = editFiles(before, random)
  const first = triage(before, [])
  const known = first.created.map((issue, index): Issue => ({ ...issue, code: formatCode('BE', index + 1) }))
  const labelOf = new Map(first.issueOf.map((id, index) => [id, first.labels[index]]))
  const second = triage(after, known)
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

function triage(files: readonly LabelledFile[], known: readonly Issue[]) {
  const labels: (number | null)[] = []
  const findings: Finding[] = []
  for (const { path, lines } of files) {
    const texts = lines.map(({ text }) => text)
    for (const [index, { finding }] of lines.entries()) {
      if (!finding) continue
      labels.push(finding.label)
      const written = writtenFinding({
        source: { kind: 'tool', name: 'scan' },
        rule: finding.rule,
        title: finding.title,
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

const hash = (text: string): string => createHash('sha256').update(text).digest('hex')
