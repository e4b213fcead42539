import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeRepository, writeFiles, type FixtureRepository } from '../../test/fixtures/repositories.ts'
import { cli, runNode } from '../run-node.ts'
import { baseOf, fixers, heldBackOf, setupFile, sourceOf, type FixerClass } from './fixers.ts'
import type { Program } from './program.ts'

export interface Ending {
  readonly program: string
  readonly outcome: string
  readonly evidence: string | null
  readonly reason: string
}

/** One session of the real engine: an issue for each program, a fixer of one class, and a challenger who likes everything. */
export async function playClass(
  programs: readonly Program[],
  fixer: FixerClass,
  { reproduce = false } = {},
): Promise<readonly Ending[]> {
  const repository = makeRepository({
    ...Object.fromEntries(programs.flatMap((program) => Object.entries(baseOf(program)))),
    [setupFile]: '// what all tests need\n',
    'test/all.mjs': runAll,
    'lib/other.mjs': "export const other = 'none'\n",
  })
  try {
    configure(repository, programs, { fixer, reproduce })
    const options = { cwd: repository.root, env: { ...repository.env, FIXPOINT_HOME: repository.home } }
    await runNode([cli, 'import', writeFindings(repository, programs), '--json'], options)
    const { stdout } = await runNode([cli, 'fix', '--all', '--yes', '--json'], { ...options, exitCode: null })
    const { results } = JSON.parse(stdout) as {
      readonly results: readonly (Ending & { readonly file: string })[]
    }
    return results.map(({ file, outcome, evidence, reason }) => ({
      program: file,
      outcome,
      evidence,
      reason,
    }))
  } finally {
    repository.dispose()
  }
}

function configure(
  repository: FixtureRepository,
  programs: readonly Program[],
  { fixer, reproduce }: { readonly fixer: FixerClass; readonly reproduce: boolean },
): void {
  const written = join(repository.folder, 'written')
  for (const program of programs) {
    const own = join(written, 'fixer', sourceOf(program))
    mkdirSync(own, { recursive: true })
    writeFiles(own, fixers[fixer](program))
    writeFiles(join(written, 'reproducer', sourceOf(program)), heldBackOf(program))
  }
  const agent = join(repository.folder, 'agent.sh')
  writeFileSync(agent, agentText(written))
  repository.write({
    'fixpoint.yaml': `verify: { commands: [{ name: test, run: ${JSON.stringify(`node --import ./${setupFile} test/all.mjs`)}, timeout: 2m }] }
workspace: { path: src, allowed_extra_paths: [test] }
agents:
  fixer: { use: command, run: sh ${agent}, timeout: 2m }
  challenger: { use: command, run: sh ${agent}, timeout: 2m }
fix: { max_rounds: 1, concurrency: 4 }
evidence: { reproduce: ${reproduce} }
`,
  })
  repository.commitAll('configure')
}

/** Runs every file of tests in one process, because starting processes would measure the machine. */
const runAll = `import { readdirSync } from 'node:fs'
for (const name of readdirSync(import.meta.dirname).sort())
  if (name.endsWith('.test.mjs')) await import('./' + name)
`

/** Puts the prepared files for the issue into the workspace. An agent that may only read judges instead. */
const agentText = (written: string): string => `while read -r key value; do
  value=\${value#?} value=\${value%??}
  case $key in
    '"role":') role=$value ;;
    '"access":') access=$value ;;
    '"code":') code=$value ;;
    '"file":') file=$value; break ;;
  esac
done < "$FIXPOINT_TASK"
if test "$access" = write; then cp -R "${written}/$role/$file/." .; fi
echo '{"issues":{"'"$code"'":{"outcome":"fixed","files_modified":["'"$file"'"],"changes_summary":"fixed","explanation":"it was wrong","feedback":"fine","quality_scores":{"correctness":100,"safety":100,"minimality":100,"style_consistency":100},"improvements_needed":[]}}}'
`

function writeFindings(repository: FixtureRepository, programs: readonly Program[]): string {
  const path = join(repository.folder, 'findings.json')
  const findings = programs.map((program) => ({
    file: sourceOf(program),
    line: 1,
    title: `${program.name} in this module`,
    severity: 'major',
    rule: program.name,
  }))
  writeFileSync(path, JSON.stringify({ schema: 'fixpoint.findings.v1', source: 'bench', findings }))
  return path
}
