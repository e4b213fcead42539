import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, globSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Workspace, PositionEncoding } from '@astral-sh/ruff-wasm-nodejs'
import { builtInRules } from '../src/adapters/agents/rules/built-in-rules.ts'
import { scanSources } from '../src/adapters/agents/rules/scan-sources.ts'
import { makeRepository, type FixtureRepository } from '../test/fixtures/repositories.ts'
import type { Figure } from './figure.ts'
import { buildIfStale, runNode } from './run-node.ts'
import { median } from './statistics.ts'

export const title = '`fixpoint review` with the built-in rules against the linters it runs'
export const parts = ['javascript', 'python']

const FILES = 500
const RUNS = 5

const root = join(import.meta.dirname, '..')
const oxlint = join(root, 'node_modules/oxlint/bin/oxlint')

export async function run(part?: string): Promise<readonly Figure[]> {
  return [
    ...(part === 'python' ? [] : await measureJavaScript()),
    ...(part === 'javascript' ? [] : await measurePython()),
  ]
}

async function measureJavaScript(): Promise<readonly Figure[]> {
  const repository = makeRepository(ownSources())
  const cli = await installPackage(join(repository.folder, 'installed'))
  try {
    const options = { cwd: repository.root, env: { ...repository.env, FIXPOINT_HOME: repository.home } }
    const alone: number[] = []
    const whole: number[] = []
    const first: number[] = []
    await runNode([cli, 'review', '--json'], options) // fills the compile cache and the database
    for (let count = 0; count < RUNS; count += 1) {
      alone.push((await runNode([oxlint, '.'], { ...options, exitCode: null })).durationMs)
      whole.push((await runNode([cli, 'review', '--json'], options)).durationMs)
      first.push(await timeToFirst(cli, repository))
    }
    return [
      { name: `${FILES} files`, value: median(whole) / median(alone), limit: 5, unit: '× oxlint alone' },
      { name: 'first finding on the screen', value: median(first) / 1000, limit: 1, unit: 's' },
    ]
  } finally {
    repository.dispose()
  }
}

/** The launcher as the package holds it: without sources beside it, which a checkout compares with its build at each start. */
async function installPackage(folder: string): Promise<string> {
  await buildIfStale()
  mkdirSync(folder)
  for (const part of ['bin', 'dist', 'package.json'])
    cpSync(join(root, part), join(folder, part), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  return join(folder, 'bin/fixpoint.js')
}

/** Real code: our own sources, with one problem in the first of them. */
function ownSources(): Readonly<Record<string, string>> {
  const paths = globSync('src/**/*.ts', { cwd: root, exclude: ['**/*.test.ts'] })
    .toSorted()
    .slice(0, FILES)
  const texts = paths.map((path) => [path, readFileSync(join(root, path), 'utf8')] as const)
  return {
    ...Object.fromEntries(texts),
    [paths[0] ?? '']: 'export const isOdd = (a: number): boolean => a === NaN\n',
  }
}

async function timeToFirst(cli: string, { root: cwd, env, home }: FixtureRepository): Promise<number> {
  const startedAt = performance.now()
  const child = spawn(process.execPath, [cli, 'review', '--jsonl'], {
    cwd,
    env: { ...env, FIXPOINT_HOME: home },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = once(child, 'exit')
  let first = Number.NaN
  for await (const line of createInterface({ input: child.stdout }))
    if (Number.isNaN(first) && line.includes('"review_streaming"')) first = performance.now() - startedAt
  await ended
  return first
}

async function measurePython(): Promise<readonly Figure[]> {
  const sources = Array.from({ length: 200 }, (_, index) => ({
    path: `module_${index}.py`,
    text: pythonText(index),
  }))
  const ruff = new Workspace({ lint: { select: ['E', 'F', 'B', 'W'] } }, PositionEncoding.Utf16)
  const { signal } = new AbortController()
  await scanSources(sources.slice(0, 1), builtInRules, signal) // loads Ruff
  const alone: number[] = []
  const whole: number[] = []
  for (let count = 0; count < RUNS; count += 1) {
    alone.push(
      await timeOf(() => {
        for (const { text } of sources) ruff.check(text)
      }),
    )
    whole.push(await timeOf(() => scanSources(sources, builtInRules, signal)))
  }
  return [
    { name: '200 files of Python', value: median(whole) / median(alone), limit: 3, unit: '× Ruff alone' },
  ]
}

async function timeOf(work: () => unknown): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

const pythonText = (index: number): string =>
  [
    'import os',
    'import sys',
    ...Array.from({ length: 40 }, (_, at) => [
      `def convert_${index}_${at}(values, *, factor=${at}, path=os.curdir):`,
      '    """Multiplies every value and writes the sum to a file."""',
      '    total = 0',
      '    for value in values:',
      '        if value is None or value < 0:',
      '            continue',
      '        try:',
      '            total += int(value) * factor',
      '        except ValueError as error:',
      "            print(f'skipped {value}: {error}', file=sys.stderr)",
      "    with open(os.path.join(path, 'sum.txt'), 'w', encoding='utf-8') as file:",
      '        file.write(str(total))',
      '    return total',
      '',
      '',
    ]).flat(),
  ].join('\n')
