import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeRepository, type FixtureRepository } from '../test/fixtures/repositories.ts'
import type { Figure } from './figure.ts'
import { buildIfStale, cli, runNode } from './run-node.ts'

export const title =
  'Landing 64 accepted patches of which 3 break the suite, against one verification for each'

const ISSUES = 64
const MOST_VERIFICATIONS = 20
/** Bad patches that come early, in the middle and late, and bad patches that all come first, where the most patches are left to search. */
const CASES: readonly (readonly number[])[] = [
  [9, 30, 55],
  [1, 2, 3],
]

interface Result {
  readonly verifications_run: number
  readonly issues_fixed: number
  readonly results: readonly { readonly outcome: string; readonly file: string; readonly rounds: unknown }[]
}

export async function run(): Promise<readonly Figure[]> {
  await buildIfStale()
  const figures: Figure[] = []
  for (const bad of CASES) {
    const { verifications, named } = await land(bad)
    figures.push({
      name: `${ISSUES - named} landed, ${named} named (${bad.join(', ')})`,
      value: verifications,
      limit: MOST_VERIFICATIONS,
      unit: 'verifications',
    })
  }
  return figures
}

/** Lands patches that are all green alone. Each of them takes one verification, which is not counted for the landing. */
async function land(bad: readonly number[]): Promise<{ verifications: number; named: number }> {
  const files = Array.from({ length: ISSUES }, (_, index) => `src/m${index}.txt`)
  const repository = makeRepository(Object.fromEntries(files.map((file) => [file, 'wrong\n'])))
  try {
    configure(repository, bad)
    const options = { cwd: repository.root, env: { ...repository.env, FIXPOINT_HOME: repository.home } }
    await runNode([cli, 'import', writeFindings(repository, files), '--json'], options)
    const { stdout } = await runNode([cli, 'fix', '--all', '--yes', '--json'], { ...options, exitCode: 1 })
    const result = JSON.parse(stdout) as Result
    const named = result.results.filter(
      ({ outcome, rounds }) => outcome === 'refused' && JSON.stringify(rounds).includes('broken together'),
    )
    if (result.issues_fixed !== ISSUES - bad.length) throw new Error(`${result.issues_fixed} landed`)
    return { verifications: result.verifications_run - ISSUES, named: named.length }
  } finally {
    repository.dispose()
  }
}

function configure(repository: FixtureRepository, bad: readonly number[]): void {
  const agent = join(repository.folder, 'agent.sh')
  writeFileSync(agent, agentText)
  repository.write({
    'check.sh': checkText(bad),
    'fixpoint.yaml': `verify: { commands: [{ name: suite, run: sh check.sh }] }
agents: { fixer: { use: command, run: sh ${agent}, timeout: 2m } }
fix: { concurrency: 8, max_rounds: 1 }
challenge: { enabled: false }
`,
  })
  repository.commitAll('configure')
}

/** A check that is red when the first patch meets a bad one, and that names no file and no test. */
const checkText = (bad: readonly number[]): string => `
is_fixed() { test "$(cat src/m$1.txt)" = right; }
is_fixed 0 || exit 0
for at in ${bad.join(' ')}; do
  if is_fixed $at; then echo "broken together"; exit 1; fi
done
`

const agentText = `while read -r key value; do
  value=\${value#?} value=\${value%??}
  case $key in
    '"code":') code=$value ;;
    '"file":') file=$value; break ;;
  esac
done < "$FIXPOINT_TASK"
echo right > "$file"
echo '{"issues":{"'"$code"'":{"outcome":"fixed","files_modified":["'"$file"'"],"changes_summary":"fixed","explanation":"it was wrong","self_evaluation":{"confidence":90,"completeness":"full","risks":[]}}}}'
`

function writeFindings(repository: FixtureRepository, files: readonly string[]): string {
  const path = join(repository.folder, 'findings.json')
  const findings = files.map((file) => ({
    file,
    line: 1,
    title: `${file} is wrong`,
    severity: 'minor',
    rule: file,
  }))
  writeFileSync(path, JSON.stringify({ schema: 'fixpoint.findings.v1', source: 'bench', findings }))
  return path
}
