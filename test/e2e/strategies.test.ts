import { afterEach, describe, expect, it } from 'vitest'
import { cancelSession } from '../../src/app/fix/cancel-session.ts'
import { chooseIssues } from '../../src/app/fix/choose-issues.ts'
import { fixIssues } from '../../src/app/fix/fix-issues.ts'
import { examine } from '../../src/app/doctor/examine.ts'
import { envOf, fixpointIn } from '../fixtures/command-line.ts'
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
/** An agent that works on all its issues and reports on each; `report` may change a report. */
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
    config: `fix: { strategy: ${strategy}, max_rounds: 2, scope: repository }`,
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
  ])('lands the same with %s, in %d calls, whose prompts a dry run shows', async (strategy, calls) => {
    const p = await open(strategy, honest())
    const dry = fixpointIn(p.root, envOf(p), ['fix', '--all', '--strategy', strategy, '--dry-run', '--json'])
    const { prompts } = dry.json<{ prompts: readonly { code: string; prompt: string }[] }>()
    expect(prompts.flatMap(({ code }) => code.split(', '))).toEqual(names.map((_, at) => `BE-00${at + 1}`))
    const { result } = await p.fix()
    const sent = fixerRuns(p).map(({ prompt }) => prompt.trimEnd())
    expect(sent.toSorted()).toEqual(prompts.map(({ prompt }) => prompt.trimEnd()).toSorted())
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
    expect(b).toMatchObject({
      challenged: true,
      fix_challenger_score: a?.fix_challenger_score,
      fix_code: a?.fix_code,
    })
    const asked = p
      .seen()
      .filter(({ role, prompt }) => role === 'challenger' && prompt.includes('Code: BE-002'))
    expect(asked.map(({ prompt }) => prompt)).toEqual([
      expect.stringContaining('## Fixed by the same change'),
    ])
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

describe('batches whose order is not the one of the steps', () => {
  const counting = honest().replace("'= 1', '= 2'", '/= (\\d)/, (_, count) => `= ${Number(count) + 1}`')
  const page = 'site/page.css'
  const findings = [
    ...names.slice(0, 4).map((name) => ({ file: `src/${name}.mjs`, line: 1, title: name, rule: name })),
    { file: 'src/a.mjs', line: 1, title: 'the second of a', rule: 'second' },
    { file: 'docs/guide.txt', line: 1, title: 'a text', rule: 'text' },
    { file: page, line: 1, title: 'a style', rule: 'style' },
  ]

  it.each(['sequential', 'single-call', 'isolated'])(
    'settle every issue with %s: a second one on a file, other classes, a predecessor of another class',
    async (strategy) => {
      const p = await makeProject({
        files: { ...files, 'docs/guide.txt': 'value = 1\n', [page]: '/* value = 1 */\n' },
        fixer: counting,
        verify: 'true',
        config: `fix: { strategy: ${strategy}, max_rounds: 2, max_batch_issues: 2 }`,
      })
      project = p
      await p.import(findings)
      const issues = await chooseIssues(p.app, { all: true })
      const onFile = (file: string) => issues.find((issue) => issue.file === file)
      const [style, b] = [onFile(page), onFile('src/b.mjs')]
      if (!style || !b) throw new Error('both were imported')
      await p.app.store.issues.change(b.id, 'person', (issue) => ({ ...issue, depends_on: [style.id] }))
      const { result } = await p.fix()
      expect(result.results.map(({ issue_code, outcome }) => [issue_code, outcome])).toEqual(
        result.results.map(({ issue_code }) => [issue_code, 'fixed']),
      )
      expect(result).toMatchObject({ status: 'completed', issues_fixed: findings.length })
      const order = p.git('log', '--reverse', '--format=%s', `main..${result.branch_name}`)
      expect(order.indexOf(style.code)).toBeLessThan(order.indexOf(b.code))
    },
  )
})

describe('a session that is over and holds issues all the same', () => {
  const strand = async (): Promise<{ readonly p: Project; readonly id: string }> => {
    const p = await open('sequential', honest())
    const stop = new AbortController()
    stop.abort('stopped')
    const { result } = await p.fix({}, { stopStarting: stop.signal })
    const stored = await p.app.store.sessions.load(result.session_id)
    if (!stored) throw new Error('the session was stored')
    const session = { ...stored.session, status: 'partial' as const }
    await p.app.store.sessions.record({ sessionId: session.id, session, events: [] })
    return { p, id: session.id }
  }
  const openIssues = async (p: Project) => (await chooseIssues(p.app, { all: true })).length

  it('gives them back when it is cancelled', async () => {
    const { p, id } = await strand()
    expect(await openIssues(p)).toBe(0)
    const { result } = await cancelSession(p.app, id)
    expect(result.results.map(({ outcome }) => outcome)).toEqual(names.map(() => 'not_evaluated'))
    expect(await openIssues(p)).toBe(names.length)
  })

  it('is named by doctor, and gives them back with --fix', async () => {
    const { p } = await strand()
    const request = { cwd: p.root, env: { ...p.env, FIXPOINT_HOME: p.app.home } }
    const seen = async (fix: boolean) =>
      (await examine({ ...request, fix })).find(({ name }) => name === 'sessions')
    expect(await seen(false)).toMatchObject({ status: 'warning', message: expect.stringContaining('BE-001') })
    expect(await seen(true)).toMatchObject({ status: 'ok' })
    expect(await openIssues(p)).toBe(names.length)
  })

  it('does not keep the next session from its issues', async () => {
    const { p } = await strand()
    const issues = await p.app.store.issues.list({ repositoryId: p.app.repository.id, limit: 50 })
    const never = new AbortController().signal
    const signals = { stopStarting: never, endNow: never }
    const { result } = await fixIssues(p.app, { issues: issues.issues }, signals)
    expect(result).toMatchObject({ status: 'completed', issues_fixed: names.length })
  })
})
