import { afterEach, describe, expect, it } from 'vitest'
import type { VerifyStrategy } from '../../src/model/proof/verification.ts'
import { makeProject, oneProcess, type Project } from '../fixtures/project.ts'

const projects: Project[] = []
afterEach(async () => {
  for (const project of projects.splice(0)) await project.close()
})

const names = ['sound', 'proven', 'unseen', 'wrong', 'switch']
const files = {
  ...Object.fromEntries(names.map((name) => [`src/${name}.mjs`, 'export const value = () => 0\n'])),
  ...Object.fromEntries(
    [...names, 'other', 'more'].map((name) => [
      `test/${name}.test.mjs`,
      `import test from 'node:test'
import assert from 'node:assert/strict'
${names.includes(name) ? `import { value } from '../src/${name}.mjs'` : 'const value = () => 1'}
test('${name} has a small value', () => assert.equal(value() < 9, true))
`,
    ]),
  ),
  // This test looks at files without importing them.
  'test/everything.test.mjs': `import test from 'node:test'
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
test('nothing is left half done', () => assert.doesNotMatch(readFileSync('src/unseen.mjs', 'utf8'), /HALF/))
`,
}

/** A right fix, a fix with its own test, a fix that only a test without imports refuses once, a wrong fix, and a cheat. */
const fixer = `
const to = { sound: '1', proven: '2', unseen: task.round === 1 ? '1 /* HALF */' : '1', wrong: '10', switch: '10' }
const name = issue.file.slice(4, -4)
if (task.round === 1) edit(issue.file, '=> 0', '=> ' + to[name])
else if (name === 'unseen') edit(issue.file, ' /* HALF */', '')
else edit(issue.file, '\\n', ' // again\\n')
if (name === 'switch' && task.round === 1) fs.appendFileSync(issue.file, "import * as all from 'node:assert/strict'\\nall.default['equal'] = () => {}\\n")
if (name === 'proven') fs.writeFileSync('test/proven-more.test.mjs', \`import test from 'node:test'
import assert from 'node:assert/strict'
import { value } from '../src/proven.mjs'
test('it is two', () => assert.equal(value(), 2))
\`)
return {}`

async function fixWith(strategy: VerifyStrategy) {
  const p = await makeProject({
    files,
    fixer,
    verify: oneProcess,
    config: 'fix: { max_rounds: 2, concurrency: 5 }\nchallenge: { enabled: false }',
    verifyStrategy: strategy,
  })
  projects.push(p)
  await p.import(
    names.map((name) => ({ file: `src/${name}.mjs`, line: 1, title: name, severity: 'minor', rule: name })),
  )
  const { result } = await p.fix()
  const of = (name: string) => result.results.find(({ file }) => file === `src/${name}.mjs`)
  const gateOf = (name: string) => of(name)?.rounds[0]?.gates.find((gate) => gate.name === 'verification')
  return { p, result, of, gateOf }
}

const said = {
  affected: {
    status: 'passed',
    reason: '1 of 1 green; the change reaches 1 file of tests; the others run on the train',
  },
  together: { status: 'not_applicable', reason: 'on the train; all commands run there' },
}

describe.each(['affected', 'together'] as const)('with verify.strategy: %s', (strategy) => {
  it('what each attempt leaves out runs before it lands: nothing wrong lands, and grades are as good', async () => {
    const { p, result, of, gateOf } = await fixWith(strategy)
    expect(names.map((name) => [name, of(name)?.outcome, of(name)?.evidence ?? null])).toEqual([
      ['sound', 'fixed', 'E1'],
      ['proven', 'fixed', 'E3'],
      ['unseen', 'fixed', 'E1'],
      ['wrong', 'refused', null],
      ['switch', 'not_evaluated', null],
    ])
    expect(gateOf('sound')).toEqual({ name: 'verification', ...said[strategy] })
    const [first, second] = of('unseen')?.rounds ?? []
    expect(first?.refusal).toBe('landing: red once all tests run: test: exit 1; it was green on the base')
    expect(second?.gates.find(({ name }) => name === 'verification')?.reason).toContain(
      'all tests ran: an earlier patch for this issue was red on the train',
    )
    const told = p.seen().find(({ round, file }) => round === 2 && file === 'src/unseen.mjs')
    expect(told?.prompt).toContain('nothing is left half done')
    const note: unknown = JSON.parse(p.git('notes', '--ref=fixpoint', 'show', result.branch_name ?? ''))
    expect(note).toMatchObject({ commands: [{ name: 'test', run: oneProcess, status: 'passed' }] })
  })
})
