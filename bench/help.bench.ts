import type { Figure } from './figure.ts'
import { buildIfStale, cli, runNode } from './run-node.ts'
import { median } from './statistics.ts'

export const title = '`fixpoint --help` against a Node that does nothing'

const RUNS = 25

export async function run(): Promise<readonly Figure[]> {
  await buildIfStale()
  await runNode([cli, '--help']) // fills the compile cache, as the first start after an installation does
  const bare: number[] = []
  const help: number[] = []
  for (let count = 0; count < RUNS; count += 1) {
    bare.push((await runNode(['-e', '0'])).durationMs)
    help.push((await runNode([cli, '--help'])).durationMs)
  }
  return [{ name: 'fixpoint --help', value: median(help) / median(bare), limit: 1.3, unit: '× node -e 0' }]
}
