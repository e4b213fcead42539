import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openFixpoint } from '../src/app/library/open-fixpoint.ts'
import { makeRepository, type FixtureRepository } from '../test/fixtures/repositories.ts'
import type { Figure } from './figure.ts'
import { addLargeCommits, nameOf } from './large-repository.ts'
import { buildIfStale, cli, runNode, type RunOptions } from './run-node.ts'
import { median } from './statistics.ts'

export const title =
  'From Enter to the first line of the first agent, in a repository of 25,000 files whose base was checked before'

const ROUNDS = 5

/** A session of a process of its own, and one of a process that has trees of earlier sessions, such as a server. */
export const parts = ['cold', 'warm']

export async function run(part?: string): Promise<readonly Figure[]> {
  await buildIfStale()
  const repository = makeRepository()
  try {
    const scene = configure(repository)
    await runNode([cli, 'import', scene.findings, '--json'], scene.options)
    // The first session checks the base, which the others have no need to.
    await startCold(scene)
    return [
      ...(part === 'warm' ? [] : [await measureCold(scene)]),
      ...(part === 'cold' ? [] : [await measureWarm(scene)]),
    ]
  } finally {
    repository.dispose()
  }
}

interface Scene {
  readonly options: RunOptions & { readonly cwd: string; readonly env: Record<string, string> }
  readonly findings: string
  readonly home: string
  /** Holds the time at which the newest agent began. */
  readonly startedFile: string
}

async function measureCold(scene: Scene): Promise<Figure> {
  const times: number[] = []
  while (times.length < ROUNDS) times.push(await startCold(scene))
  return { name: 'a command of its own', value: median(times), limit: 3_000, unit: 'ms' }
}

async function startCold(scene: Scene): Promise<number> {
  const startedAt = Date.now()
  await runNode([cli, 'fix', '--all', '--limit', '1', '--yes', '--json'], scene.options)
  return agentStart(scene) - startedAt
}

/** The second session and those after it find the trees of those before them. */
async function measureWarm(scene: Scene): Promise<Figure> {
  const { cwd, env } = scene.options
  const fixpoint = await openFixpoint({ cwd, env, home: scene.home, trust: true })
  const times: number[] = []
  try {
    for (let round = 0; round <= ROUNDS; round += 1) {
      const startedAt = Date.now()
      const result = await fixpoint.fix({ all: true, limit: 1 })
      if (result.issues_fixed !== 1) throw new Error(`${result.issues_fixed} were fixed`)
      if (round > 0) times.push(agentStart(scene) - startedAt)
    }
  } finally {
    await fixpoint.close()
  }
  return { name: 'a process that has fixed before', value: median(times), limit: 500, unit: 'ms' }
}

/** Each agent tells once when it began. */
function agentStart({ startedFile }: Scene): number {
  const startedMs = Number(readFileSync(startedFile, 'utf8')) / 1e6
  rmSync(startedFile)
  return startedMs
}

function configure(repository: FixtureRepository): Scene {
  addLargeCommits(repository)
  repository.git('checkout', '-q', '-b', 'work', 'large')
  const agent = join(repository.folder, 'agent.sh')
  const startedFile = join(repository.folder, 'started')
  writeFileSync(agent, agentText(startedFile))
  repository.write({
    'fixpoint.yaml': `verify: { commands: [{ name: nothing, run: 'true' }] }
agents: { fixer: { use: command, run: sh ${agent}, timeout: 2m } }
challenge: { enabled: false }
evidence: { reproduce: false }
`,
  })
  repository.commitAll('configure')
  return {
    options: { cwd: repository.root, env: { ...repository.env, FIXPOINT_HOME: repository.home } },
    findings: writeFindings(repository),
    home: repository.home,
    startedFile,
  }
}

const agentText = (startedFile: string): string => `date +%s%N > ${startedFile}
while read -r key value; do
  value=\${value#?} value=\${value%??}
  case $key in
    '"code":') code=$value ;;
    '"file":') file=$value; break ;;
  esac
done < "$FIXPOINT_TASK"
echo 'export const isRight = true' > "$file"
echo '{"issues":{"'"$code"'":{"outcome":"fixed","files_modified":["'"$file"'"],"changes_summary":"fixed","explanation":"it was wrong","self_evaluation":{"confidence":90,"completeness":"full","risks":[]}}}}'
`

function writeFindings(repository: FixtureRepository): string {
  const path = join(repository.folder, 'findings.json')
  const findings = Array.from({ length: 2 * ROUNDS + 2 }, (_, index) => ({
    file: nameOf(index),
    line: 1,
    title: `${nameOf(index)} is wrong`,
    severity: 'minor',
    rule: `wrong-${index}`,
  }))
  writeFileSync(path, JSON.stringify({ schema: 'fixpoint.findings.v1', source: 'bench', findings }))
  return path
}
