import { join } from 'node:path'
import { openSqliteStore, type Store } from '../src/adapters/store/index.ts'
import { hash, ids } from '../src/app/machine.ts'
import { storeFindings } from '../src/loop/triage/store-findings.ts'
import { writtenFinding, type WrittenFinding } from '../src/model/issue/finding.ts'
import { CommitId, TreeId } from '../src/model/id.ts'
import { makeFolder } from '../test/fixtures/repositories.ts'
import { numbered, repositoryId, sampleReview } from '../test/fixtures/store/samples.ts'
import type { Figure } from './figure.ts'
import { median } from './statistics.ts'

export const title =
  'Triage of 20,000 findings against 200,000 known issues, and of half as many against half as many'

const KNOWN_FILES = 4_000
const KNOWN_PER_FILE = 50
const FOUND_PER_FILE = 10
const LINES = 200
/** These lines were added at the top of every second file since, so the known findings there have moved. */
const ADDED_LINES = 3
const ROUNDS = 3

const revision = { commit: CommitId.parse('a'.repeat(40)), tree: TreeId.parse('b'.repeat(40)) }

export async function run(): Promise<readonly Figure[]> {
  const half: Used[] = []
  const whole: Used[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    half.push(await timeTriage(KNOWN_FILES / 2))
    whole.push(await timeTriage(KNOWN_FILES))
  }
  const cpu = (used: readonly Used[]): number => median(used.map(({ cpuS }) => cpuS))
  return [
    {
      name: 'time',
      value: median(whole.map(({ wallS }) => wallS)),
      limit: 3,
      unit: `s (${cpu(whole).toFixed(2)} s of processor)`,
    },
    { name: 'growth when both numbers double', value: cpu(whole) / cpu(half), limit: 2.3, unit: '×' },
  ]
}

interface Used {
  readonly wallS: number
  /** This includes the threads that collect garbage meanwhile. */
  readonly cpuS: number
}

async function timeTriage(knownFiles: number): Promise<Used> {
  const { folder, dispose } = makeFolder()
  const store = await openSqliteStore({ file: join(folder, 'fixpoint.db'), now: Date.now })
  try {
    await store.repositories.ensure({ key: 'bench', path: folder, newId: repositoryId })
    await storeAll(store, 1, knownFindings(knownFiles))
    const findings = newFindings(knownFiles / 2)
    const before = process.cpuUsage()
    const startedAt = performance.now()
    const { created } = await storeAll(store, 2, findings)
    const wallS = (performance.now() - startedAt) / 1000
    const { user, system } = process.cpuUsage(before)
    if (created !== findings.length / 2) throw new Error(`${created} of ${findings.length} findings were new`)
    return { wallS, cpuS: (user + system) / 1e6 }
  } finally {
    await store.close()
    dispose()
  }
}

/** Imports without git: the files are made up when somebody asks for them. */
function storeAll(store: Store, number: number, findings: readonly WrittenFinding[]) {
  const read = (path: string) => new TextEncoder().encode(sourceText(path, number))
  const trees = {
    list: async () => new Set(Array.from({ length: KNOWN_FILES }, (_, index) => fileAt(index))),
    readMany: async (_: TreeId, paths: readonly string[]) =>
      new Map(paths.filter((path) => !path.endsWith('package.json')).map((path) => [path, read(path)])),
  }
  const ports = { trees, issues: store.issues, ids, hash, clock: { now: Date.now } }
  const review = sampleReview(numbered('rev', number))
  const classes = { BE: [], FE: [], GEN: [] }
  return storeFindings({ review, revision, findings, classes }, ports)
}

const fileAt = (index: number): string => `packages/p${index % 40}/src/module-${index}.mjs`
const hasMoved = (index: number): boolean => index % 2 === 1

function sourceText(path: string, number: number): string {
  const index = Number(/(\d+)\.mjs$/.exec(path)?.[1])
  const added = number > 1 && hasMoved(index) ? '// added\n'.repeat(ADDED_LINES) : ''
  const lines = Array.from(
    { length: LINES },
    (_, line) => `export const value${line} = compute(${index}, ${line * 7})\n`,
  )
  return added + lines.join('')
}

const checked = 'The value is used before it was checked'
const dropped = 'A promise is dropped, so nobody hears of its failure'

const findingAt = (
  index: number,
  line: number,
  claim: { readonly rule: string; readonly title: string },
): WrittenFinding =>
  writtenFinding({
    source: { kind: 'tool', name: 'scan' },
    ...claim,
    severity: 'minor',
    file: fileAt(index),
    line,
    end_line: line,
  })

const knownFindings = (files: number): readonly WrittenFinding[] =>
  Array.from({ length: files * KNOWN_PER_FILE }, (_, number) => {
    const index = Math.floor(number / KNOWN_PER_FILE)
    const claim = { rule: `scan/rule-${number % 7}`, title: checked }
    return findingAt(index, 1 + (number % KNOWN_PER_FILE) * 4, claim)
  })

/** Half of the findings of each file are known and half are new; the known ones stand where their code stands now. */
const newFindings = (files: number): readonly WrittenFinding[] =>
  Array.from({ length: files * FOUND_PER_FILE }, (_, number) => {
    const index = Math.floor(number / FOUND_PER_FILE)
    const position = number % FOUND_PER_FILE
    const known = index * KNOWN_PER_FILE + position
    const line = 1 + position * 4 + (hasMoved(index) ? ADDED_LINES : 0)
    return position % 2 === 0
      ? findingAt(index, line, { rule: `scan/rule-${known % 7}`, title: checked })
      : findingAt(index, line + 1, { rule: 'scan/rule-new', title: dropped })
  })
