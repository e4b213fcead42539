import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { VerifyStrategy } from '../src/model/proof/verification.ts'
import { makeRepository, type FixtureFile, type FixtureRepository } from '../test/fixtures/repositories.ts'
import type { Figure } from './figure.ts'
import { buildIfStale, cli, runNode } from './run-node.ts'

export const title =
  'Tests that run for 64 issues, 3 of them bad at first, in a suite of 120 files, by verify.strategy'

const ISSUES = 64
const TEST_FILES = 120
/** The fixes of these issues are wrong in their first round and right in their second. */
const BAD = [9, 30, 55]
/** The time of one file of tests. The figures count files and not time, so a busy machine changes nothing. */
const FILE_MS = 5

const LIMITS = { affected: 0.25, together: 0.2 } as const

export async function run(): Promise<readonly Figure[]> {
  await buildIfStale()
  const ran = new Map<VerifyStrategy, number>()
  for (const strategy of VerifyStrategy.options) ran.set(strategy, await fixWith(strategy))
  const each = ran.get('each') ?? Number.NaN
  return (['affected', 'together'] as const).map((strategy) => ({
    name: `${strategy}: files of tests run`,
    value: (ran.get(strategy) ?? Number.NaN) / each,
    limit: LIMITS[strategy],
    unit: `× ${each} of each`,
  }))
}

/** Files of tests that ran, over all runs of a session. */
async function fixWith(strategy: VerifyStrategy): Promise<number> {
  const names = Array.from({ length: TEST_FILES }, (_, at) => `m${at}`)
  const log = (repository: FixtureRepository) => join(repository.folder, 'ran.txt')
  const repository = makeRepository({ 'readme.md': 'a suite\n' })
  try {
    writeFileSync(log(repository), '')
    repository.write(filesOf(names, log(repository)))
    const agent = join(repository.folder, 'agent.sh')
    writeFileSync(agent, agentText)
    repository.write({ 'fixpoint.yaml': configText(strategy, agent) })
    repository.commitAll('configure')
    const env = { ...repository.env, FIXPOINT_HOME: repository.home, FIXPOINT_SANDBOX: 'off' }
    const options = { cwd: repository.root, env }
    await runNode([cli, 'import', writeFindings(repository, names.slice(0, ISSUES)), '--json'], options)
    const { stdout } = await runNode([cli, 'fix', '--all', '--yes', '--json'], options)
    const result = JSON.parse(stdout) as { issues_fixed: number }
    if (result.issues_fixed !== ISSUES) throw new Error(`only ${result.issues_fixed} were fixed`)
    return readFileSync(log(repository), 'utf8').length
  } finally {
    repository.dispose()
  }
}

/** A module and its test for each name, and a runner of all of them in one process, which prints TAP. */
const filesOf = (names: readonly string[], log: string): Readonly<Record<string, FixtureFile>> => ({
  ...Object.fromEntries(names.map((name) => [`src/${name}.mjs`, 'export const value = () => 0\n'])),
  ...Object.fromEntries(
    names.map((name) => [
      `test/${name}.test.mjs`,
      `import assert from 'node:assert/strict'
import { value } from '../src/${name}.mjs'
it('${name} has a small value', () => {
  assert.equal(value() < 9, true)
})
`,
    ]),
  ),
  'node_modules/.bin/mocha': { program: runnerText(log) },
})

const runnerText = (log: string): string => `#!/usr/bin/env node
import { appendFileSync, readdirSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
const given = process.argv.slice(2)
const files = given.length > 0 ? given : readdirSync('test').map((name) => 'test/' + name)
const tests = []
globalThis.it = (title, body) => tests.push({ title, body })
globalThis.describe = (_title, body) => body()
for (const file of files) await import(pathToFileURL(file).href)
let failed = 0
console.log('TAP version 13')
for (const [at, { title, body }] of tests.entries()) {
  let why = null
  try { await body() } catch (error) { why = error }
  if (why) failed += 1
  console.log((why ? 'not ok ' : 'ok ') + (at + 1) + ' - ' + title)
}
console.log('1..' + tests.length)
await new Promise((resolve) => setTimeout(resolve, files.length * ${FILE_MS}))
appendFileSync(${JSON.stringify(log)}, '.'.repeat(files.length))
process.exitCode = failed > 0 ? 1 : 0
`

const configText = (strategy: VerifyStrategy, agent: string): string => `verify:
  strategy: ${strategy}
  commands: [{ name: test, run: node_modules/.bin/mocha }]
agents: { fixer: { use: command, run: sh ${agent}, timeout: 2m } }
fix: { concurrency: 8, max_rounds: 3 }
evidence: { reproduce: false }
challenge: { enabled: false }
`

/** An agent that works for a second; its fix of a bad issue is wrong in the first round. */
const agentText = `while read -r key value; do
  case $key in
    '"round":') round=\${value%,} ;;
    '"code":') code=\${value#?} code=\${code%??} ;;
    '"file":') file=\${value#?} file=\${file%??}; break ;;
  esac
done < "$FIXPOINT_TASK"
sleep 1
value=1
case "$file $round" in ${BAD.map((at) => `"src/m${at}.mjs 1"`).join('|')}) value=10 ;; esac
echo "export const value = () => $value" > "$file"
echo '{"issues":{"'"$code"'":{"outcome":"fixed","files_modified":["'"$file"'"],"changes_summary":"fixed","explanation":"it was wrong","self_evaluation":{"confidence":90,"completeness":"full","risks":[]}}}}'
`

function writeFindings(repository: FixtureRepository, names: readonly string[]): string {
  const path = join(repository.folder, 'findings.json')
  const findings = names.map((name) => ({
    file: `src/${name}.mjs`,
    line: 1,
    title: `${name} has the wrong value`,
    severity: 'minor',
    rule: name,
  }))
  writeFileSync(path, JSON.stringify({ schema: 'fixpoint.findings.v1', source: 'bench', findings }))
  return path
}
