import { execFileSync } from 'node:child_process'
import { makeRepository } from '../test/fixtures/repositories.ts'
import type { Figure } from './figure.ts'
import { buildIfStale, cli, runNode } from './run-node.ts'

export const title =
  '`fixpoint issues list` and `issues show` against a Node that does nothing, in processor time'

const RUNS = 25
const ISSUES = 60

export async function run(): Promise<readonly Figure[]> {
  await buildIfStale()
  const files = Array.from({ length: ISSUES }, (_, index) => `src/module-${index}.py`)
  const repository = makeRepository(Object.fromEntries(files.map((file) => [file, 'import re\n'])))
  const options = { cwd: repository.root, env: { ...repository.env, FIXPOINT_HOME: repository.home } }
  try {
    await runNode([cli, 'review', '--yes'], options)
    const measure = async (args: readonly string[]): Promise<number> => {
      await runNode(args, options) // fills the compile cache, as the first start after an installation does
      return cpuSecondsOf(args, options)
    }
    const bare = await measure(['-e', '0'])
    const list = await measure([cli, 'issues', 'list'])
    const show = await measure([cli, 'issues', 'show', 'BE-001'])
    const bareAgain = await measure(['-e', '0'])
    const nothing = (bare + bareAgain) / 2
    return [
      { name: 'issues list', value: list / nothing, limit: 1.6, unit: '× node -e 0' },
      { name: 'issues show', value: show / nothing, limit: 1.6, unit: '× node -e 0' },
    ]
  } finally {
    repository.dispose()
  }
}

/** Adds up many runs, because the clock of a single run counts in steps of ten milliseconds. */
function cpuSecondsOf(
  args: readonly string[],
  options: { cwd: string; env: Record<string, string> },
): number {
  const loop = `out=$(mktemp); i=0; while [ $i -lt ${RUNS} ]; do "$@" > "$out" || exit 1; i=$((i+1)); done; rm "$out"; times`
  const told = execFileSync('sh', ['-c', loop, 'sh', process.execPath, ...args], {
    ...options,
    encoding: 'utf8',
  })
  const [, ofChildren = ''] = told.trim().split('\n')
  const seconds = [...ofChildren.matchAll(/(\d+)m([\d.]+)s/g)].map(
    ([, minutes, rest]) => Number(minutes) * 60 + Number(rest),
  )
  return seconds.reduce((sum, each) => sum + each, 0)
}
