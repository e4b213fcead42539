import { afterEach, describe, expect, it } from 'vitest'
import { makeProject, type Project, type ProjectOptions } from '../fixtures/project.ts'

let project: Project | null = null
afterEach(async () => {
  await project?.close()
  project = null
})

const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
const files = {
  ...Object.fromEntries(names.map((name) => [`src/${name}.mjs`, 'export const value = 1\n'])),
  'src/shared.mjs': 'export const shared = 1\n',
}
/** Works on every issue it is given and reports on each; `report` may change what it says of one. */
const honest = (report = '{}', more = ''): string => `
const issues = {}
for (const one of task.issues) {
  edit(one.file, '= 1', '= 2')
  issues[one.code] = { outcome: 'fixed', files_modified: [one.file], changes_summary: 's', explanation: 'e', ...(${report}) }
}
${more}
console.log(JSON.stringify({ issues })); return null`

async function open(
  strategy: string,
  fixer: string,
  options: Partial<ProjectOptions> = {},
): Promise<Project> {
  project = await makeProject({
    files,
    fixer,
    verify: 'true',
    ...options,
    config: `fix: { strategy: ${strategy}, max_rounds: 2 }`,
  })
  await project.import(names.map((name) => ({ file: `src/${name}.mjs`, line: 1, title: name, rule: name })))
  return project
}
const fixerRuns = (p: Project) => p.seen().filter(({ role }) => role === 'fixer')

describe('the same honest agent on files of their own', () => {
  it.each([
    ['isolated', 7],
    ['sequential', 2],
    ['single-call', 1],
  ])('lands the same with %s, in %d calls', async (strategy, calls) => {
    const p = await open(strategy, honest())
    const { result } = await p.fix()
    expect(result).toMatchObject({ status: 'completed', issues_fixed: names.length })
    expect(fixerRuns(p)).toHaveLength(calls)
    const subjects = p.git('log', '--reverse', '--format=%s', `main..${result.branch_name}`).split('\n')
    expect(subjects).toEqual(names.map((name, index) => `fix(${name}): ${name} [BE-00${index + 1}]`))
    for (const name of names) expect(p.git('show', `${result.branch_name}:src/${name}.mjs`)).toContain('= 2')
  })
})

describe('one call for several issues', () => {
  it('gives the agent the plan, every issue and what to answer', async () => {
    const p = await open('single-call', honest())
    await p.fix()
    const prompt = fixerRuns(p)[0]?.prompt ?? ''
    expect(prompt).toContain('master_todo.json')
    for (const index of names.keys()) expect(prompt).toContain(`Code: BE-00${index + 1}`)
    expect(prompt).toContain('"execution_steps"')
  })

  it('lands issues that share a file as one commit that names them all', async () => {
    const p = await open(
      'single-call',
      honest(
        "['a', 'b'].some((name) => one.file === `src/${name}.mjs`) ? { files_modified: [one.file, 'src/shared.mjs'] } : {}",
        "edit('src/shared.mjs', '= 1', '= 2')",
      ),
    )
    const { result } = await p.fix()
    expect(result).toMatchObject({ issues_fixed: names.length })
    const [a, b, c] = result.results
    expect(a?.commit_sha).toBe(b?.commit_sha)
    expect(c?.commit_sha).not.toBe(a?.commit_sha)
    expect(p.git('show', '--name-only', '--format=%s', a?.commit_sha ?? '').split('\n')).toEqual([
      'fix(a): a [BE-001, BE-002]',
      '',
      'src/a.mjs',
      'src/b.mjs',
      'src/shared.mjs',
    ])
  })

  it('takes a shared patch apart when it is refused: each issue is worked on alone, and nothing is claimed for the others', async () => {
    const p = await open(
      'single-call',
      `${honest(
        "['a', 'b'].some((name) => one.file === `src/${name}.mjs`) ? { files_modified: [one.file, 'src/shared.mjs'] } : {}",
        "if (task.issues.length > 1) edit('src/shared.mjs', '= 1', '= broken')",
      )}`,
      { verify: '! grep -q broken src/shared.mjs' },
    )
    const { result } = await p.fix()
    expect(result).toMatchObject({ issues_fixed: names.length })
    const [a, b] = result.results
    expect(a?.commit_sha).not.toBe(b?.commit_sha)
    expect([a, b].map((one) => one?.rounds.length)).toEqual([2, 2])
    expect(p.git('show', '--name-only', '--format=%s', b?.commit_sha ?? '').split('\n')).toEqual([
      'fix(b): b [BE-002]',
      '',
      'src/b.mjs',
    ])
    const [alone, next] = fixerRuns(p).slice(1)
    expect(alone?.prompt).toContain('was also for BE-002')
    expect(next?.prompt).toContain('shared files with the one for BE-001')
  })

  it('keeps out of the others what is refused, and the rest lands', async () => {
    const p = await open('single-call', honest(), {
      challenger:
        "const bad = issue.file === 'src/c.mjs' ? 10 : 95; return { feedback: 'x', quality_scores: { correctness: bad, safety: bad, minimality: bad, style_consistency: bad } }",
    })
    const { result } = await p.fix()
    expect(result).toMatchObject({ status: 'partial', issues_fixed: names.length - 1 })
    expect(result.results[2]).toMatchObject({ outcome: 'refused', commit_sha: null })
    expect(p.git('show', `${result.branch_name}:src/c.mjs`)).toContain('= 1')
  })

  it('asks alone for what was left out of the report', async () => {
    const p = await open(
      'single-call',
      honest('{}', 'if (task.issues.length > 1) delete issues[task.issues[6].code]'),
    )
    const { result } = await p.fix()
    expect(result.results[6]).toMatchObject({ outcome: 'fixed' })
    expect(result.results[6]?.rounds).toHaveLength(2)
    expect(fixerRuns(p)).toHaveLength(2)
  })

  it('counts a crash of the one agent against every issue, and goes on with each alone', async () => {
    const p = await open('sequential', `if (task.issues.length > 1) process.exit(3); ${honest()}`)
    const { result } = await p.fix()
    expect(result).toMatchObject({ issues_fixed: names.length })
    expect(result.results.every(({ rounds }) => rounds.length === 2 || rounds.length === 1)).toBe(true)
  })
})
