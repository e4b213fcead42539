// Reviews a small repository with the built-in rules and fixes what they find, from a program instead of the command line.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openFixpoint } from 'fixpoint'

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
git('add', '-A')
git('-c', 'user.name=Example', '-c', 'user.email=example@localhost', 'commit', '-qm', 'first')

const fixpoint = await openFixpoint({
  cwd: repository,
  home: join(folder, 'home'),
  config: {
    verify: { commands: [{ name: 'test', run: 'node --test' }] },
    agents: { reviewers: ['rules'], fixer: 'rules', challenger: 'rules' },
  },
})
try {
  fixpoint.on((event) => console.log(`${event.issue_code ?? 'session'}: ${event.type}`))
  await fixpoint.review()
  const issues = await fixpoint.issues({ status: ['open'] })
  console.log(`found: ${issues.map((issue) => `${issue.code} ${issue.title}`).join(', ')}`)
  const result = await fixpoint.fix({ issues })
  console.log(
    `fixed ${result.issues_fixed} of ${result.issues_requested}, evidence ${result.results[0]?.evidence ?? 'none'}`,
  )
  console.log(git('show', '--format=%s', `${result.branch_name}`, '--', 'price.mjs'))
} finally {
  await fixpoint.close()
  rmSync(folder, { recursive: true, force: true })
}
