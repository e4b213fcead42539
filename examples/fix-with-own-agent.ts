// Imports a finding of another tool, and lets an agent of this program fix it by editing the file.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openFixpoint, type OwnAgent } from 'fixpoint'

const folder = mkdtempSync(join(tmpdir(), 'fixpoint-example-'))
const repository = join(folder, 'shop')
const git = (...args: string[]): string =>
  execFileSync('git', ['-C', repository, ...args], { encoding: 'utf8' }).trim()

execFileSync('git', ['init', '-q', repository])
writeFileSync(join(repository, 'total.mjs'), 'export const total = (net, tax) => net - tax\n')
writeFileSync(
  join(repository, 'total.test.mjs'),
  "import test from 'node:test'\nimport assert from 'node:assert'\nimport { total } from './total.mjs'\n\ntest('nothing is taxed', () => assert.equal(total(3, 0), 3))\n",
)
git('add', '-A')
git('-c', 'user.name=Example', '-c', 'user.email=example@localhost', 'commit', '-qm', 'first')

const report = {
  schema: 'fixpoint.findings.v1',
  source: 'bookkeeping',
  findings: [{ file: 'total.mjs', line: 1, severity: 'major', title: 'The tax is subtracted' }],
}

/** A real agent would send `request.prompt` to a model; this one knows the fix, and reports it. */
const bookkeeper: OwnAgent = {
  async run({ task }) {
    const [issue] = task.issues
    if (!issue?.file) throw new Error('there is no file to fix')
    const file = join(task.workspace, issue.file)
    writeFileSync(file, readFileSync(file, 'utf8').replace('net - tax', 'net + tax'))
    const done = {
      outcome: 'fixed',
      files_modified: [issue.file],
      changes_summary: 'add the tax to the total',
      explanation: 'The tax comes on top of the net price.',
    }
    return { text: JSON.stringify({ issues: { [issue.code]: done } }) }
  },
}

const fixpoint = await openFixpoint({
  cwd: repository,
  home: join(folder, 'home'),
  agents: { bookkeeper },
  config: {
    verify: { commands: [{ name: 'test', run: 'node --test' }] },
    agents: { fixer: 'bookkeeper' },
    challenge: { enabled: false },
  },
})
try {
  await fixpoint.importReport({ text: JSON.stringify(report) })
  const result = await fixpoint.fix({ all: true })
  const [fixed] = result.results
  console.log(
    `fixed ${result.issues_fixed} of ${result.issues_requested}, evidence ${fixed?.evidence ?? 'none'}`,
  )
  console.log(git('show', '--format=%s', `${result.branch_name}`, '--', 'total.mjs'))
} finally {
  await fixpoint.close()
  rmSync(folder, { recursive: true, force: true })
}
