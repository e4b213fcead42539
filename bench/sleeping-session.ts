import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeRepository, type FixtureRepository } from '../test/fixtures/repositories.ts'
import { buildIfStale, cli, measureNode, runNode, type RunOptions } from './run-node.ts'

export interface SleepingSession {
  readonly issues: number
  readonly concurrency: number
  readonly sleepSeconds: number
  /** How many whole seconds longer some fixers sleep than others: agents that all end together are no usual load. */
  readonly spreadSeconds?: number
  /** How long a challenger sleeps before it accepts; without it nothing is challenged. */
  readonly challengeSeconds?: number
  /** Whether a jail is required or switched off; without it, a jail is used where one is possible. */
  readonly sandbox?: 'required' | 'off'
}

export interface EndedSession {
  readonly sessionMs: number
  readonly peakMb: number
  /** The processor time of the command and of everything that it started. */
  readonly cpuMs: number
}

/**
 * Runs `fixpoint fix` over issues on as many files, with a fixer that sleeps and edits and a check that takes no time. The rest
 * is the cost of workspaces, captures, gates, records and landings.
 */
export async function runSleepingSession(session: SleepingSession): Promise<EndedSession> {
  return inRepository(session, async (options) => {
    const { stdout, peakMb, cpuMs } = await measureNode([cli, 'fix', '--all', '--yes', '--json'], options)
    const result = JSON.parse(stdout) as { duration_ms: number; issues_fixed: number }
    if (result.issues_fixed !== session.issues) throw new Error(`only ${result.issues_fixed} were fixed`)
    return { sessionMs: result.duration_ms, peakMb, cpuMs }
  })
}

/** How long one attempt takes when it is alone, from its start until it may land. */
export async function runLoneAttempt(
  session: Omit<SleepingSession, 'issues' | 'concurrency'>,
): Promise<number> {
  return inRepository({ ...session, issues: 1, concurrency: 1 }, async (options) => {
    const { stdout } = await runNode([cli, 'fix', '--all', '--yes', '--jsonl'], options)
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type?: string; timestamp?: string })
    const timeOf = (type: string): number =>
      Date.parse(events.find((event) => event.type === type)?.timestamp ?? '')
    return timeOf('fix_landing_started') - timeOf('fix_issue_started')
  })
}

async function inRepository<T>(
  session: SleepingSession,
  use: (options: RunOptions) => Promise<T>,
): Promise<T> {
  await buildIfStale()
  const { repository, findings } = makeSleepingRepository(session)
  try {
    const env = {
      ...repository.env,
      FIXPOINT_HOME: repository.home,
      ...(session.sandbox && { FIXPOINT_SANDBOX: session.sandbox }),
    }
    const options = { cwd: repository.root, env }
    await runNode([cli, 'import', findings, '--json'], options)
    return await use(options)
  } finally {
    repository.dispose()
  }
}

export interface SleepingRepository {
  readonly repository: FixtureRepository
  /** The report that names every issue. */
  readonly findings: string
}

/** A repository whose agents sleep; those with different names have different histories. */
export function makeSleepingRepository(session: SleepingSession, name = 'one'): SleepingRepository {
  const files = Array.from({ length: session.issues }, (_, index) => `src/module-${index}.mjs`)
  const texts = files.map((file) => [file, moduleText(file)] as const)
  const repository = makeRepository({ ...Object.fromEntries(texts), 'README.md': `${name}\n` })
  configure(repository, session)
  return { repository, findings: writeFindings(repository, files) }
}

const moduleText = (file: string): string => `export const name = '${file}'\nexport const isWrong = true\n`

function configure(repository: FixtureRepository, session: SleepingSession): void {
  const { concurrency, sleepSeconds, spreadSeconds = 0, challengeSeconds } = session
  const writeAgent = (name: string, text: string): string => {
    const path = join(repository.folder, name)
    writeFileSync(path, text)
    return `{ use: command, run: sh ${path}, timeout: 2m }`
  }
  const challenger = writeAgent('challenger.sh', challengerText(challengeSeconds ?? 0))
  repository.write({
    'fixpoint.yaml': `verify: { commands: [{ name: nothing, run: 'true' }] }
agents: { fixer: ${writeAgent('agent.sh', agentText(sleepSeconds, spreadSeconds))}, challenger: ${challenger} }
fix: { concurrency: ${concurrency} }
challenge: { enabled: ${challengeSeconds !== undefined} }
evidence: { reproduce: false }
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

/** A shell that starts nothing but `sleep`, so that the machine's time is left for the measured program. */
const readTask = `while read -r key value; do
  value=\${value#?} value=\${value%??}
  case $key in
    '"code":') code=$value ;;
    '"file":') file=$value; break ;;
  esac
done < "$FIXPOINT_TASK"
`

const sleepFor = (seconds: number, spreadSeconds: number): string =>
  spreadSeconds === 0
    ? `sleep ${seconds}\n`
    : `number=\${file##*-}\nsleep $((${seconds} + \${number%.mjs} % ${spreadSeconds + 1}))\n`

const agentText = (
  seconds: number,
  spreadSeconds: number,
): string => `${readTask}${sleepFor(seconds, spreadSeconds)}printf '%s\n' "export const name = '$file'" 'export const isWrong = false' > "$file"
echo '{"issues":{"'"$code"'":{"outcome":"fixed","files_modified":["'"$file"'"],"changes_summary":"fixed","explanation":"it was wrong","self_evaluation":{"confidence":90,"completeness":"full","risks":[]}}}}'
`

const challengerText = (
  seconds: number,
): string => `${readTask}${sleepFor(seconds, 0)}echo '{"issues":{"'"$code"'":{"score":95,"status":"SOLVED","feedback":"good","quality_scores":{"correctness":95,"safety":95,"minimality":95,"style_consistency":95},"improvements_needed":[]}}}'
`
