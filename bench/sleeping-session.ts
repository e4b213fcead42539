import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeRepository, type FixtureRepository } from '../test/fixtures/repositories.ts'
import { buildIfStale, cli, measureNode, runNode } from './run-node.ts'

export interface SleepingSession {
  readonly issues: number
  readonly concurrency: number
  readonly sleepSeconds: number
}

export interface EndedSession {
  readonly sessionMs: number
  readonly peakMb: number
  /** Of the command and of everything that it started. */
  readonly cpuMs: number
}

/**
 * `fixpoint fix` over issues on as many files, with a fixer that sleeps and edits, a check that takes no time and no
 * challenger; what remains is the cost of workspaces, captures, gates, records and landings.
 */
export async function runSleepingSession(session: SleepingSession): Promise<EndedSession> {
  await buildIfStale()
  const files = Array.from({ length: session.issues }, (_, index) => `src/module-${index}.mjs`)
  const repository = makeRepository(Object.fromEntries(files.map((file) => [file, moduleText(file)])))
  try {
    configure(repository, session)
    const options = { cwd: repository.root, env: { ...repository.env, FIXPOINT_HOME: repository.home } }
    await runNode([cli, 'import', writeFindings(repository, files), '--json'], options)
    const { stdout, peakMb, cpuMs } = await measureNode([cli, 'fix', '--all', '--yes', '--json'], options)
    const result = JSON.parse(stdout) as { duration_ms: number; issues_fixed: number }
    if (result.issues_fixed !== session.issues) throw new Error(`only ${result.issues_fixed} were fixed`)
    return { sessionMs: result.duration_ms, peakMb, cpuMs }
  } finally {
    repository.dispose()
  }
}

const moduleText = (file: string): string => `export const name = '${file}'\nexport const isWrong = true\n`

function configure(repository: FixtureRepository, { concurrency, sleepSeconds }: SleepingSession): void {
  const agent = join(repository.folder, 'agent.sh')
  writeFileSync(agent, agentText(sleepSeconds))
  repository.write({
    'fixpoint.yaml': `verify: { commands: [{ name: nothing, run: 'true' }] }
agents: { fixer: { use: command, run: sh ${agent}, timeout: 2m } }
fix: { concurrency: ${concurrency} }
challenge: { enabled: false }
`,
  })
  repository.commitAll('configure')
}

function writeFindings(repository: FixtureRepository, files: readonly string[]): string {
  const path = join(repository.folder, 'findings.json')
  const findings = files.map((file) => ({
    file,
    line: 2,
    title: `${file} is wrong`,
    severity: 'minor',
    rule: 'wrong',
  }))
  writeFileSync(path, JSON.stringify({ schema: 'fixpoint.findings.v1', source: 'bench', findings }))
  return path
}

/** A shell that starts nothing but `sleep`: the machine's time is for what is measured. */
const agentText = (seconds: number): string => `sleep ${seconds}
while read -r key value; do
  value=\${value#?} value=\${value%??}
  case $key in
    '"code":') code=$value ;;
    '"file":') file=$value; break ;;
  esac
done < "$FIXPOINT_TASK"
echo '// fixed' >> "$file"
echo '{"issues":{"'"$code"'":{"outcome":"fixed","files_modified":["'"$file"'"],"changes_summary":"fixed","explanation":"it was wrong","self_evaluation":{"confidence":90,"completeness":"full","risks":[]}}}}'
`
