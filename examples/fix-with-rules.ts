// Reviews a small repository with the built-in rules and fixes what they find, from a program instead of the command line.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chooseIssues, fixIssues, openApp, reviewRepository } from 'fixpoint'

const folder = mkdtempSync(join(tmpdir(), 'fixpoint-example-'))
const repository = join(folder, 'shop')
const git = (...args: string[]): string =>
  execFileSync('git', ['-C', repository, ...args], { encoding: 'utf8' }).trim()

execFileSync('git', ['init', '-q', repository])
writeFileSync(join(repository, 'price.mjs'), 'export const isUnknown = (price) => price === NaN\n')
writeFileSync(
  join(repository, 'price.test.mjs'),
  "import test from 'node:test'\nimport assert from 'node:assert'\nimport { isUnknown } from './price.mjs'\n\ntest('a known price is known', () => assert.equal(isUnknown(3), false))\n",
)
writeFileSync(
  join(repository, 'fixpoint.yaml'),
  'verify:\n  commands:\n    - { name: test, run: node --test }\n',
)
git('add', '-A')
git('-c', 'user.name=Example', '-c', 'user.email=example@localhost', 'commit', '-qm', 'first')

const app = await openApp({ cwd: repository, env: { ...process.env, FIXPOINT_HOME: join(folder, 'home') } })
try {
  app.subscribe((event) => console.log(`${event.issue_code ?? 'session'}: ${event.type}`))
  const never = new AbortController().signal
  await reviewRepository(app, { paths: [] }, never)
  const issues = await chooseIssues(app, { all: true })
  console.log(`found: ${issues.map((issue) => `${issue.code} ${issue.title}`).join(', ')}`)
  const { result } = await fixIssues(app, { issues }, { stopStarting: never, endNow: never })
  console.log(
    `fixed ${result.issues_fixed} of ${result.issues_requested}, evidence ${result.results[0]?.evidence ?? 'none'}`,
  )
  console.log(git('show', '--format=%s', `${result.branch_name ?? 'HEAD'}`, '--', 'price.mjs'))
} finally {
  await app.close()
  rmSync(folder, { recursive: true, force: true })
}
