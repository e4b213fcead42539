import { createWriteStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { once } from 'node:events'
import { join } from 'node:path'
import { makeRepository } from '../test/fixtures/repositories.ts'
import type { Figure } from './figure.ts'
import { buildIfStale, cli, measureNode, runNode } from './run-node.ts'

export const title = '`fixpoint export sarif` of 25,000 issues'

const ISSUES = 25_000
const FILES = 500

export async function run(): Promise<readonly Figure[]> {
  await buildIfStale()
  const paths = Array.from({ length: FILES }, (_, index) => `src/module-${index}.mjs`)
  const repository = makeRepository(Object.fromEntries(paths.map((path, index) => [path, sourceText(index)])))
  try {
    const options = { cwd: repository.root, env: { ...repository.env, FIXPOINT_HOME: repository.home } }
    const report = join(repository.folder, 'report.jsonl')
    await writeReport(report, paths)
    await runNode([cli, 'import', report], options)
    const file = join(repository.folder, 'issues.sarif')
    const { durationMs, cpuMs } = await measureNode([cli, 'export', 'sarif', '--output', file], options)
    const { runs } = JSON.parse(await readFile(file, 'utf8')) as { runs: { results: unknown[] }[] }
    const written = runs.reduce((sum, { results }) => sum + results.length, 0)
    if (written !== ISSUES) throw new Error(`only ${written} issues were written`)
    return [
      {
        name: 'time',
        value: durationMs / 1000,
        limit: 3,
        unit: `s (${(cpuMs / 1000).toFixed(1)} s of processor)`,
      },
    ]
  } finally {
    repository.dispose()
  }
}

const sourceText = (index: number): string =>
  Array.from({ length: 60 }, (_, line) => `export const value${line} = compute(${index}, ${line})\n`).join('')

async function writeReport(path: string, files: readonly string[]): Promise<void> {
  const file = createWriteStream(path)
  for (let index = 0; index < ISSUES; index += 1) {
    const line = 1 + (Math.floor(index / FILES) % 50)
    const diagnostic = {
      message: `The value of value${line} is used before it was checked. Compare it with the bounds of its type first.`,
      location: { path: files[index % FILES], range: { start: { line }, end: { line } } },
      severity: index % 3 === 0 ? 'ERROR' : 'WARNING',
      code: { value: `rule-${index % 40}`, url: `https://example.com/rules/${index % 40}` },
    }
    if (!file.write(`${JSON.stringify(diagnostic)}\n`)) await once(file, 'drain')
  }
  file.end()
  await once(file, 'finish')
}
