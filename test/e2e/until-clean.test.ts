import { afterEach, expect, it } from 'vitest'
import { chooseIssues } from '../../src/app/fix/choose-issues.ts'
import { fixIssues } from '../../src/app/fix/fix-issues.ts'
import { reviewRepository } from '../../src/app/review/review-repository.ts'
import { fixUntilClean, type Converged } from '../../src/app/fix/until-clean.ts'
import { makeProject, type Project } from '../fixtures/project.ts'

let project: Project | null = null
afterEach(async () => {
  await project?.close()
  project = null
})
const never = { stop: new AbortController().signal, abort: new AbortController().signal }

/** A reviewer that reports every line `// problem N`, and a fixer that replaces it as `step` says. */
async function converge(step: string, text: string, maxPasses = 5): Promise<Converged> {
  project = await makeProject({
    files: { 'src/a.mjs': text, 'src/b.mjs': 'export const b = 1\n' },
    verify: 'true',
    reviewers: [
      `const findings = []
for (const file of ['src/a.mjs', 'src/b.mjs']) fs.readFileSync(file, 'utf8').split('\\n').forEach((line, index) => {
  const found = /problem (\\w+)/.exec(line)
  if (found) findings.push({ id: 'F', file, line: String(index + 1), title: 'problem ' + found[1], issue: line, severity: 'major', category: 'bug' })
})
console.log(JSON.stringify({ findings, coverage: { reviewed: ['src/a.mjs', 'src/b.mjs', 'fixpoint.yaml'], partly: [], skipped: [] } })); return null`,
    ],
    fixer: `const text = fs.readFileSync(issue.file, 'utf8'); const name = /problem (\\w+)/.exec(issue.title)[1]; ${step}; return {}`,
  })
  const { app } = project
  await reviewRepository(app, { paths: [] }, never.stop)
  return fixUntilClean(app, {
    request: { issues: await chooseIssues(app, { all: true }) },
    maxPasses,
    signal: never.stop,
    fix: (request) => fixIssues(app, request, never),
    onPass: () => undefined,
  })
}

it('goes on until nothing new is found: three passes for a problem behind a problem behind a problem', async () => {
  // Fixing five, four and three of them uncovers ever fewer new ones.
  const step =
    "const next = { A1: 'problem B1', A2: 'problem B2', B1: 'problem C1' }[name]; fs.writeFileSync(issue.file, text.replace('// problem ' + name + '\\n', next ? '// ' + next + '\\n' : ''))"
  const text = `${['A1', 'A2', 'A3', 'A4', 'A5'].map((name) => `// problem ${name}\n`).join('')}export const a = 1\n`
  const converged = await converge(step, text)
  expect(converged).toMatchObject({ isClean: true, reason: expect.stringContaining('clean') })
  expect(
    converged.passes.map(({ fixed, fix_induced, latent }) => [fixed, fix_induced.length, latent.length]),
  ).toEqual([
    [5, 2, 0],
    [2, 1, 0],
    [1, 0, 0],
  ])
  const branches = new Set(converged.outcomes.map(({ result }) => result.branch_name))
  expect(branches.size).toBe(1)
  expect(project?.git('show', `${[...branches][0]}:src/a.mjs`)).toBe('export const a = 1')
})

it('stops with the reason when fixes make as many problems as they remove', async () => {
  const step = "fs.writeFileSync(issue.file, text.replace('problem ' + name, 'problem ' + name + 'x'))"
  const converged = await converge(step, '// problem A\n// problem B\nexport const a = 1\n')
  expect(converged).toMatchObject({
    isClean: false,
    reason: expect.stringContaining('made as many problems (2) as they removed (2)'),
  })
  expect(converged.passes).toHaveLength(1)
})

it('tells problems of old code apart from those that the fixes made', async () => {
  const step =
    "fs.writeFileSync(issue.file, text.replace('// problem ' + name + '\\n', name === 'A' ? '' : '// problem ' + name + 'z\\n').replace('hidden', 'problem Old'))"
  const converged = await converge(step, '// problem A\n// problem B\n// problem C\nconst x = "hidden"\n', 1)
  expect(converged.passes[0]).toMatchObject({ fixed: 3 })
  expect(converged.passes[0]?.fix_induced.length).toBeGreaterThan(0)
})
