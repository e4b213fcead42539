import { afterEach, describe, expect, it } from 'vitest'
import { chooseIssues } from '../../src/app/fix/choose-issues.ts'
import { fixIssues } from '../../src/app/fix/fix-issues.ts'
import { reviewRepository } from '../../src/app/review/review-repository.ts'
import { fixUntilClean, type Converged } from '../../src/app/fix/until-clean.ts'
import { insightsOf } from '../../src/server/insights/insights.ts'
import { makeProject, type Project } from '../fixtures/project.ts'

let project: Project | null = null
afterEach(async () => {
  await project?.close()
  project = null
})
const never = { stopStarting: new AbortController().signal, endNow: new AbortController().signal }

/** A reviewer that reports every line `// problem N`, and a fixer that replaces it as `step` says. */
interface More {
  readonly maxPasses?: number
  readonly config?: string
  /** A second reviewer that finds nothing. */
  readonly second?: string
  /** Whether the reviewer fails once there is no problem left. */
  readonly isBlind?: boolean
}

async function converge(step: string, text: string, more: More = {}): Promise<Converged> {
  project = await makeProject({
    files: { 'src/a.mjs': text, 'src/b.mjs': 'export const b = 1\n' },
    verify: 'true',
    config: more.config ?? '',
    reviewers: [
      `const findings = []
if (${more.isBlind ?? false} && !fs.readFileSync('src/a.mjs', 'utf8').includes('problem')) process.exit(1)
for (const file of ['src/a.mjs', 'src/b.mjs']) fs.readFileSync(file, 'utf8').split('\\n').forEach((line, index) => {
  const found = /problem (\\w+)/.exec(line)
  if (found) findings.push({ id: 'F', file, line: String(index + 1), title: 'problem ' + found[1], issue: line, severity: 'major', category: 'bug' })
})
console.log(JSON.stringify({ findings, coverage: { reviewed: ['src/a.mjs', 'src/b.mjs', 'fixpoint.yaml'], partly: [], skipped: [] } })); return null`,
      ...(more.second === undefined ? [] : [more.second]),
    ],
    fixer: `const text = fs.readFileSync(issue.file, 'utf8'); const name = /problem (\\w+)/.exec(issue.title)[1]; ${step}; return {}`,
  })
  const { app } = project
  await reviewRepository(app, { paths: [] }, never.stopStarting)
  return fixUntilClean(app, {
    request: { issues: await chooseIssues(app, { all: true }) },
    maxPasses: more.maxPasses ?? 5,
    signal: never.stopStarting,
    fix: (request) => fixIssues(app, request, never),
    onPass: () => undefined,
  })
}

it('goes on until nothing new is found: three passes for a problem behind a problem behind a problem', async () => {
  // The fixes of five, then four, then three problems uncover fewer new ones each time.
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
  const made = converged.passes.flatMap(({ fix_induced, session_id }) =>
    fix_induced.map((code) => [code, session_id]),
  )
  const codes = converged.outcomes.flatMap(({ result }) => result.results.map(({ issue_code }) => issue_code))
  const issues = (await project?.app.store.issues.byCode(project.app.repository.id, codes)) ?? []
  expect(issues.flatMap(({ code, induced_by }) => (induced_by ? [[code, induced_by]] : []))).toEqual(made)
  expect(insightsOf({ sessions: [], issues }).origin).toEqual({ regression: 0, fix_induced: 3, latent: 5 })
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
  const converged = await converge(step, '// problem A\n// problem B\n// problem C\nconst x = "hidden"\n', {
    maxPasses: 1,
  })
  expect(converged.passes[0]).toMatchObject({ fixed: 3 })
  expect(converged.passes[0]?.fix_induced.length).toBeGreaterThan(0)
})

describe('is never called clean', () => {
  const removes = "fs.writeFileSync(issue.file, text.replace('// problem ' + name + '\\n', ''))"
  const finds = 'console.log(JSON.stringify({ findings: [], coverage: null })); return null'

  it('when nothing landed, so that nothing was looked at', async () => {
    const converged = await converge('', '// problem A\nexport const a = 1\n')
    expect(converged).toMatchObject({
      isClean: false,
      reason: expect.stringContaining('nothing landed'),
      passes: [{ fixed: 0, review: 'none' }],
    })
    expect(project?.reviewed()).toHaveLength(1)
  })

  it('when one of two reviewers could not look at what the fixes changed', async () => {
    const converged = await converge(removes, '// problem A\nexport const a = 1\n', {
      second: `if (!fs.readFileSync('src/a.mjs', 'utf8').includes('problem')) process.exit(1); ${finds}`,
    })
    expect(converged).toMatchObject({
      isClean: false,
      reason: expect.stringContaining('only partly'),
      passes: [{ fixed: 1, review: 'partial', latent: [], fix_induced: [] }],
    })
  })

  it('when nobody could look at what the fixes changed, and what has landed is told all the same', async () => {
    const converged = await converge(removes, '// problem A\nexport const a = 1\n', { isBlind: true })
    expect(converged).toMatchObject({
      isClean: false,
      fault: { code: 'review_failed' },
      reason: expect.stringContaining('nobody could look at what the fixes changed'),
      outcomes: [{ result: { issues_fixed: 1, branch_name: 'fix/problem-a' } }],
    })
  })

  it('when the review finds again what was called fixed', async () => {
    const converged = await converge(
      "fs.writeFileSync(issue.file, text.replace('a = 1', 'a = 2'))",
      '// problem A\n\n\n\n\n\n\nexport const a = 1\n',
    )
    expect(converged).toMatchObject({
      isClean: false,
      reason: expect.stringContaining('found again: BE-001'),
      passes: [{ fixed: 1, confirmed: ['BE-001'] }],
    })
  })
})

it.each([
  { how: 'a pass uses up', review: 0, spent: [5, 1], isOverBudget: false },
  { how: 'the review after a pass uses up', review: 1, spent: [5], isOverBudget: true },
])('has one budget for all passes, which $how', async ({ review, spent, isOverBudget }) => {
  const step =
    "const next = { A1: 'problem B1', A2: 'problem B2' }[name]; fs.writeFileSync(issue.file, text.replace('// problem ' + name + '\\n', next ? '// ' + next + '\\n' : '')); console.log(JSON.stringify({ usage: { tokens: 1, cost_usd: 1 }, issues: { [issue.code]: { outcome: 'fixed', files_modified: [issue.file], changes_summary: '', explanation: '' } } })); return null"
  const text = `${['A1', 'A2', 'A3', 'A4', 'A5'].map((name) => `// problem ${name}\n`).join('')}export const a = 1\n`
  const converged = await converge(step, text, {
    config: 'fix: { concurrency: 1, budget_usd: 6 }',
    second: `console.log(JSON.stringify({ findings: [], usage: { tokens: 1, cost_usd: ${review} } })); return null`,
  })
  expect(converged).toMatchObject({
    isClean: false,
    isOverBudget,
    reason: expect.stringContaining('budget'),
  })
  const costs = converged.outcomes.map(({ result }) => result.cost_usd)
  expect(costs).toEqual(spent)
})
