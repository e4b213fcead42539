import { createWriteStream } from 'node:fs'
import { once } from 'node:events'
import { join } from 'node:path'
import { makeRepository, type FixtureRepository } from '../test/fixtures/repositories.ts'
import type { Figure } from './figure.ts'
import { buildIfStale, cli, measureNode } from './run-node.ts'
import { createRandom, median } from './statistics.ts'

export const title = '`fixpoint import` of a SARIF report with 100,000 results, against a naive script'

const RESULTS = 100_000
const FILES = 2_000
const LINES = 200
const RULES = 150

/** Both are run in turn, so that other load of the machine slows both. */
const ROUNDS = 5

export async function run(): Promise<readonly Figure[]> {
  await buildIfStale()
  const files = Array.from({ length: FILES }, (_, index) => `packages/p${index % 40}/src/module-${index}.mjs`)
  const repository = makeRepository(Object.fromEntries(files.map((file, index) => [file, sourceText(index)])))
  try {
    const report = join(repository.folder, 'report.sarif')
    await writeReport(report, files)
    const own: NodeUse[] = []
    const peer: NodeUse[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      own.push(await runOwn(repository, report, round))
      const database = join(repository.folder, `naive-${round}.db`)
      peer.push(await measureNode([naive, report, database], { cwd: repository.root, env: repository.env }))
    }
    return [
      compare(own, peer, {
        name: 'time',
        limit: 1.6,
        unit: 's',
        amount: ({ durationMs }) => durationMs / 1000,
      }),
      compare(own, peer, { name: 'peak memory', limit: 1, unit: 'MB', amount: ({ peakMb }) => peakMb }),
    ]
  } finally {
    repository.dispose()
  }
}

type NodeUse = Awaited<ReturnType<typeof measureNode>>

const naive = join(import.meta.dirname, 'naive-import.js')

/** Imports into a home of its own, so that every round starts with nothing. */
async function runOwn(repository: FixtureRepository, report: string, round: number): Promise<NodeUse> {
  const env = { ...repository.env, FIXPOINT_HOME: join(repository.folder, `home-${round}`) }
  const used = await measureNode([cli, 'import', report, '--json'], { cwd: repository.root, env })
  const { findings } = JSON.parse(used.stdout) as { findings: number }
  if (findings !== RESULTS) throw new Error(`only ${findings} results were read`)
  return used
}

/** Compares the medians with those of the naive script; the amounts themselves are for information. */
function compare(
  own: readonly NodeUse[],
  peer: readonly NodeUse[],
  { name, limit, unit, amount }: Omit<Figure, 'value'> & { readonly amount: (used: NodeUse) => number },
): Figure {
  const [ours, theirs] = [median(own.map(amount)), median(peer.map(amount))]
  const amounts = `${ours.toFixed(2)} ${unit}, naive ${theirs.toFixed(2)} ${unit}`
  return { name, value: ours / theirs, limit, unit: `× naive (${amounts})` }
}

const sourceText = (index: number): string =>
  Array.from(
    { length: LINES },
    (_, line) => `export const value${line} = compute(${index}, ${line * 7})\n`,
  ).join('')

async function writeReport(path: string, files: readonly string[]): Promise<void> {
  const rules = Array.from({ length: RULES }, (_, index) => ({
    id: `scan/rule-${index}`,
    shortDescription: { text: `Rule number ${index} was broken` },
    defaultConfiguration: { level: index % 3 === 0 ? 'error' : 'warning' },
    properties: { tags: index % 5 === 0 ? ['security', 'external/cwe/cwe-79'] : ['maintainability'] },
  }))
  const file = createWriteStream(path)
  const tool = JSON.stringify({ driver: { name: 'scan', version: '1.0.0', rules } })
  file.write(`{"version":"2.1.0","runs":[{"tool":${tool},"results":[\n`)
  const random = createRandom(1)
  for (let index = 0; index < RESULTS; index += 1) {
    const text = `${index > 0 ? ',\n' : ''}${JSON.stringify(resultAt(index, files, random))}`
    if (!file.write(text)) await once(file, 'drain')
  }
  file.end(']}]}\n')
  await once(file, 'finish')
}

function resultAt(index: number, files: readonly string[], random: () => number) {
  const rule = Math.floor(random() * RULES)
  const line = 1 + Math.floor(random() * (LINES - 1))
  return {
    ruleId: `scan/rule-${rule}`,
    ruleIndex: rule,
    level: rule % 3 === 0 ? 'error' : 'warning',
    message: {
      text: `The value of value${line} is used before it was checked. Compare it with the bounds of its type first, then pass it on (${index}).`,
    },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: files[index % files.length], uriBaseId: '%SRCROOT%' },
          region: { startLine: line, startColumn: 14, endLine: line, endColumn: 40 },
        },
      },
    ],
    partialFingerprints: { 'primaryLocationLineHash/v1': `${(index * 2654435761) % 2 ** 32}:${line}` },
  }
}
