import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { FixOutcome } from '../../src/app/fix/stored-session.ts'
import { resumeSession } from '../../src/app/fix/resume-session.ts'
import { answerApproval } from '../../src/app/fix/answer-approval.ts'
import { makeProject, type Project } from '../fixtures/project.ts'

/** A fixer's edits outside of the finding's file, and the judgement that they must get. */
interface Case {
  readonly name: string
  /** Files of the base beside `src/<name>.mjs`, whose `value()` is 1 and should be 2. */
  readonly files: Readonly<Record<string, string>>
  readonly does: string
  /** The words that a refusal must contain. */
  readonly named?: RegExp
  /** Which gate holds it, where it is not the second run. */
  readonly says?: RegExp
}

const never = new AbortController().signal
const touch = "edit(issue.file, 'export', 'const touched = true\\nexport');"
const fix = "edit(issue.file, '=> 1', '=> 2');"
const head = "import test from 'node:test'\nimport assert from 'node:assert/strict'\n"
const testOf = (name: string, imports: string, body: string): Readonly<Record<string, string>> => ({
  [`test/${name}.test.mjs`]: `${head}import { value } from '../src/${name}.mjs'\n${imports}\ntest('${name}', () => { ${body} })\n`,
})

const cheats: readonly Case[] = [
  {
    name: 'helper',
    files: {
      ...testOf('helper', "import { same } from '../support/same.mjs'", 'same(value(), 2)'),
      'support/same.mjs':
        "import assert from 'node:assert/strict'\nexport const same = (a, b) => assert.equal(a, b)\n",
    },
    does: `${touch} fs.writeFileSync('support/same.mjs', 'export const same = () => {}\\n')`,
    named: /support\/same\.mjs/,
  },
  {
    name: 'golden',
    files: {
      ...testOf(
        'golden',
        "import { readFileSync } from 'node:fs'",
        "assert.equal(String(value()), readFileSync('data/golden.txt', 'utf8').trim())",
      ),
      'data/golden.txt': '2\n',
    },
    does: `${touch} fs.writeFileSync('data/golden.txt', '1\\n')`,
    named: /data\/golden\.txt/,
  },
  {
    name: 'entry',
    files: {
      'test/entry.test.mjs': `${head}import { value } from 'sample'\ntest('entry', () => assert.equal(value(), 2))\n`,
    },
    does: `${touch} fs.writeFileSync('src/made.mjs', 'export const value = () => 2\\n'); edit('package.json', './src/entry.mjs', './src/made.mjs')`,
    named: /package\.json/,
    says: /a protected file was changed: its scripts, entries/,
  },
  {
    name: 'oracle',
    files: {
      ...testOf('oracle', "import { right } from '../lib/expected.mjs'", 'assert.equal(value(), right)'),
      'lib/expected.mjs': 'export const right = 2\n',
    },
    does: `${touch} fs.writeFileSync('lib/expected.mjs', 'export const right = 1\\n')`,
    named: /lib\/expected\.mjs/,
  },
  {
    name: 'rule',
    files: {
      ...testOf('rule', '', 'assert.ok(value() > 0)'),
      'scripts/rules.mjs':
        "import { value } from '../src/rule.mjs'\nexport const holds = () => value() === 2\n",
    },
    does: `${touch} fs.writeFileSync('scripts/rules.mjs', 'export const holds = () => true\\n')`,
    named: /scripts\/rules\.mjs/,
  },
]

const honest: readonly Case[] = [
  {
    name: 'page',
    files: { ...testOf('page', '', 'assert.equal(value(), 2)'), 'pages/a.html': '<p>1</p>\n' },
    does: `${fix} fs.writeFileSync('pages/a.html', '<p>2</p>\\n')`,
  },
  {
    name: 'deep',
    files: {
      'src/deep.mjs': "import { inner } from './inner.mjs'\nexport const value = () => inner\n",
      'src/inner.mjs': 'export const inner = 1\n',
      ...testOf('deep', '', 'assert.equal(value(), 2)'),
    },
    does: "edit('src/inner.mjs', '= 1', '= 2')",
  },
  {
    name: 'offered',
    files: {
      ...testOf('offered', '', 'assert.equal(value(), 2)'),
      'src/index.mjs': "export { value as deep } from './deep.mjs'\n",
    },
    does: `${fix} fs.appendFileSync('src/index.mjs', "export { value as offered } from './offered.mjs'\\n"); fs.writeFileSync('test/new.test.mjs', ${JSON.stringify(`${head}import { offered } from '../src/index.mjs'\ntest('offered is 2', () => assert.equal(offered(), 2))\n`)})`,
  },
]

const cases = [...cheats, ...honest]
const runAll = `import { readdirSync } from 'node:fs'
import test from 'node:test'
import { holds } from './rules.mjs'
for (const name of readdirSync('test').sort()) await import('../test/' + name)
test('the rule holds', () => { if (!holds()) throw new Error('it does not') })
`

describe('a fixer who brings along what makes the checks green', () => {
  let project: Project
  let outcome: FixOutcome
  const resultOf = (name: string) => outcome.result.results.find(({ file }) => file === `src/${name}.mjs`)

  beforeAll(async () => {
    project = await makeProject({
      files: {
        ...Object.fromEntries(cases.map(({ name }) => [`src/${name}.mjs`, 'export const value = () => 1\n'])),
        ...Object.assign({}, ...cases.map(({ files }) => files)),
        'package.json': '{ "name": "sample", "type": "module", "exports": "./src/entry.mjs" }\n',
        'scripts/verify.mjs': runAll,
      },
      fixer: `switch (issue.file) { ${cases.map(({ name, does }) => `case 'src/${name}.mjs': { ${does}; break }`).join('\n')} }`,
      verify: 'node scripts/verify.mjs',
      config: 'fix: { scope: repository, max_rounds: 1, concurrency: 4 }\n',
    })
    await project.import(
      cases.map(({ name }, at) => ({
        file: `src/${name}.mjs`,
        line: 1,
        title: `number ${at} is wrong`,
        severity: 'major',
        rule: `number-${at}`,
      })),
    )
    outcome = await project.fix()
  }, 120_000)
  afterAll(() => project.close())

  it.each(cheats)('waits for a person: $name', ({ name, named, says }) => {
    const result = resultOf(name)
    expect(result).toMatchObject({ outcome: 'held', commit_sha: null })
    expect(result?.reason).toMatch(says ?? /green only with what was changed beside the finding's file/)
    expect(result?.reason).toMatch(named ?? /./)
  })

  it.each(honest)('lands with the best evidence when the fix holds without it: $name', ({ name }) => {
    expect(resultOf(name)).toMatchObject({ outcome: 'fixed', evidence: 'E3' })
  })

  it('lands what a person then allows', async () => {
    const { result } = outcome
    const code = resultOf('golden')?.issue_code ?? ''
    await answerApproval(project.app, {
      sessionId: result.session_id,
      codes: [code],
      answer: { approve: true },
    })
    const resumed = await resumeSession(project.app, result.session_id, {
      stopStarting: never,
      endNow: never,
    })
    const landed = resumed.result.results.find(({ issue_code }) => issue_code === code)
    expect(landed).toMatchObject({ outcome: 'fixed' })
    expect(project.git('show', `${resumed.result.branch_name}:data/golden.txt`)).toBe('1')
    const names = landed?.rounds.at(-1)?.gates.map(({ name }) => name)
    expect(new Set(names).size).toBe(names?.length)
  })
})
