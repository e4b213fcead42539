import { afterEach, expect, it } from 'vitest'
import { makeProject, type Project } from '../fixtures/project.ts'

let project: Project | null = null
afterEach(async () => {
  await project?.close()
  project = null
})

const head = "import test from 'node:test'\nimport assert from 'node:assert/strict'\n"
const files = {
  'src/a.mjs': 'export const add = (a, b) => a - b\n',
  'test/a.test.mjs': `${head}import { add } from '../src/a.mjs'\ntest('adds nothing', () => assert.equal(add(0, 0), 0))\n`,
}
const path = 'test/be-001.test.mjs'
const hidden = `${head}import { add } from '../src/a.mjs'\ntest('adds two numbers', () => assert.equal(add(1, 2), 3))\n`
const write = (to: string, text: string) =>
  `fs.writeFileSync(${JSON.stringify(to)}, ${JSON.stringify(text)});`

/** The challenger's agent is asked for the test first, and for its verdict later. */
async function fixWith(fixer: string, reproducer: string) {
  const p = (project = await makeProject({
    files,
    fixer: `${fixer}; return {}`,
    challenger: `if (task.access === 'write') { ${reproducer} return { outcome: 'reproduced', explanation: 'see the test' } }
      return { feedback: 'fine', quality_scores: { correctness: 95, safety: 95, minimality: 95, style_consistency: 95 }, improvements_needed: [] }`,
    config: 'fix: { max_rounds: 2 }\nevidence: { reproduce: true }',
  }))
  await p.import([{ file: 'src/a.mjs', line: 1, title: 'add is wrong', severity: 'major', rule: 'a' }])
  const [issue] = (await p.fix()).result.results
  if (!issue) throw new Error('there is no result')
  return { p, issue, changed: p.git('show', '--name-only', '--format=', issue.commit_sha ?? '').split('\n') }
}

it('a test that the fixer never saw is verified and committed with the fix', async () => {
  const { p, issue, changed } = await fixWith(
    `if (fs.existsSync('${path}')) throw new Error('seen');
     if (task.round === 1) edit('src/a.mjs', 'a - b', 'a - b + 0'); else edit('src/a.mjs', 'a - b + 0', 'a + b')`,
    write(path, hidden),
  )
  expect(issue).toMatchObject({
    outcome: 'fixed',
    evidence: 'E3',
    reproduction: { tests: ['adds two numbers'], reason: 'reproduced by adds two numbers' },
  })
  expect(changed).toEqual(['src/a.mjs', path])
  const tree = p.git('rev-parse', `${issue.commit_sha ?? ''}^{tree}`)
  expect(issue.rounds.at(-1)?.verification).toMatchObject({
    tree,
    proof: { source: 'reproduced', tests: ['adds two numbers'], green_tree: tree },
  })
  const [asked, first, second, judged] = p.seen()
  expect(asked).toMatchObject({ role: 'challenger', round: 0, task: { access: 'write', diff: null } })
  expect(asked?.prompt).toContain('add is wrong')
  expect(first?.prompt).not.toContain('adds two numbers')
  expect(second?.prompt).toContain('adds two numbers')
  expect(judged).toMatchObject({ role: 'challenger', task: { access: 'read' } })
  expect(judged?.prompt).toContain(path)
})

it.each([
  ['touches source', write('src/new.mjs', ''), 'more than new tests was written: src/new.mjs'],
  ['writes one that passes', write(path, `${head}test('fine', () => {})\n`), 'does not fail on the base'],
  [
    'writes one that cannot be loaded',
    write(path, "import { nothing } from '../src/a.mjs'\nnothing()\n"),
    'does not fail on the base as a named test',
  ],
  ['crashes', 'process.exit(3);', 'not reproduced: crashed'],
])('the fix goes on without a test when the agent %s', async (_name, reproducer, reason) => {
  const { issue, changed } = await fixWith("edit('src/a.mjs', 'a - b', 'a + b')", reproducer)
  expect(issue).toMatchObject({
    outcome: 'fixed',
    evidence: 'E1',
    reproduction: { tests: [], reason: expect.stringContaining(reason) },
  })
  expect(changed).toEqual(['src/a.mjs'])
})
