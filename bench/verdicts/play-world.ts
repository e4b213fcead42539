import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { chooseIssues } from '../../src/app/fix/choose-issues.ts'
import { fixIssues } from '../../src/app/fix/fix-issues.ts'
import { openApp } from '../../src/app/open-app.ts'
import { importFindings } from '../../src/app/review/import-findings.ts'
import type { VerifyStrategy } from '../../src/model/proof/verification.ts'
import { makeRepository, type FixtureRepository } from '../../test/fixtures/repositories.ts'
import type { TestFile, Values, World } from './world.ts'

export interface Ended {
  /** What the modules hold on the branch, or on the base where nothing landed. */
  readonly values: Values
  /** What became of each issue, for a person who looks into a difference. */
  readonly said: readonly string[]
}

const never = new AbortController().signal

/** Runs a whole session over a world: real git, a real runner, and a fixer that edits what the world says. */
export async function playWorld(world: World, strategy: VerifyStrategy): Promise<Ended> {
  const repository = makeRepository((folder) => filesOf(world, strategy, folder))
  const app = await openApp({
    cwd: repository.root,
    env: { ...repository.env, FIXPOINT_HOME: repository.home },
  })
  try {
    const file = writeFindings(repository, world)
    await importFindings(app, { file, format: null, stdin: process.stdin })
    const issues = await chooseIssues(app, { all: true })
    const { result } = await fixIssues(app, { issues }, { stopStarting: never, endNow: never })
    const said = result.results.map(
      ({ file: path, outcome, error, rounds }) =>
        `${path} ${outcome}: ${[...rounds.map(({ refusal }) => refusal), error].filter(Boolean).join(' | ')}`,
    )
    return { values: valuesOn(repository, world, result.branch_name ?? 'main'), said }
  } finally {
    await app.close()
    repository.dispose()
  }
}

const moduleName = (at: number): string => `src/m${at}.mjs`

const valuesOn = ({ git }: FixtureRepository, { modules }: World, branch: string): Values =>
  Array.from({ length: modules }, (_, at) =>
    Number(/value = (\d)/.exec(git('show', `${branch}:${moduleName(at)}`))?.[1]),
  )

function filesOf(world: World, strategy: VerifyStrategy, folder: string): Readonly<Record<string, string>> {
  const all = Array.from({ length: world.modules }, (_, at) => at)
  const agent = join(folder, 'agent.sh')
  writeFileSync(agent, agentText)
  return {
    ...Object.fromEntries(all.map((at) => [moduleName(at), 'export const value = 0\n'])),
    'src/all.mjs': all.map((at) => `export { value as v${at} } from './m${at}.mjs'\n`).join(''),
    ...Object.fromEntries(
      world.tests.map((test, at) => [`test/t${at}.test.mjs`, testText(test, at, join(folder, `runs-${at}`))]),
    ),
    'fixpoint.yaml': `verify:
  strategy: ${strategy}
  commands: [{ name: test, run: node --test --test-isolation=none }]
agents: { fixer: { use: command, run: sh ${agent}, timeout: 2m } }
fix: { concurrency: 4, max_rounds: ${world.maxRounds} }
evidence: { reproduce: false }
challenge: { enabled: false }
`,
  }
}

function testText({ through, looksAt, redWhen, failsEvery }: TestFile, at: number, runs: string): string {
  const condition = redWhen
    .map((mixture) => mixture.map(([module, value]) => `v${module} === ${value}`).join(' && '))
    .join(' || ')
  return `import assert from 'node:assert/strict'
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import test from 'node:test'
${looksAt.map((module) => readers[through](module)).join('\n')}
test('t${at} holds', () => {
  assert.equal(${condition || 'false'}, false)
${failsEvery === null ? '' : flipText(runs, failsEvery)}})
`
}

const flipText = (runs: string, every: number): string => `  const been = process.cwd().replaceAll('/', '-')
  const known = existsSync('${runs}') ? readFileSync('${runs}', 'utf8').split('\\n') : []
  appendFileSync('${runs}', known.includes(been) ? '' : been + '\\n')
  assert.ok(known.includes(been) || (known.length + 1) % ${every} !== 0, 'a bad moment')
`

const readers: Readonly<Record<TestFile['through'], (module: number) => string>> = {
  imports: (module) => `import { value as v${module} } from '../src/m${module}.mjs'`,
  barrel: (module) => `import { v${module} } from '../src/all.mjs'`,
  text: (module) =>
    `const v${module} = Number(/value = (.)/.exec(readFileSync('src/m${module}.mjs', 'utf8'))[1])`,
}

/** A shell starts at once, where Node would take most of the time. */
const agentText = `while read -r key value; do
  case $key in
    '"round":') round=\${value%,} ;;
    '"code":') code=\${value#?} code=\${code%??} ;;
    '"file":') file=\${value#?} file=\${file%??}; break ;;
  esac
done < "$FIXPOINT_TASK"
echo "export const value = $round" > "$file"
echo '{"issues":{"'"$code"'":{"outcome":"fixed","files_modified":["'"$file"'"],"changes_summary":"fixed","explanation":"it was wrong","self_evaluation":{"confidence":90,"completeness":"full","risks":[]}}}}'
`

function writeFindings(repository: FixtureRepository, { modules }: World): string {
  const path = join(repository.folder, 'findings.json')
  const findings = Array.from({ length: modules }, (_, at) => ({
    file: moduleName(at),
    line: 1,
    title: `m${at} holds nothing`,
    severity: 'minor',
    rule: `m${at}`,
  }))
  writeFileSync(path, JSON.stringify({ schema: 'fixpoint.findings.v1', source: 'bench', findings }))
  return path
}
