import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { answerApproval } from '../../src/app/fix/answer-approval.ts'
import { resumeSession } from '../../src/app/fix/resume-session.ts'
import type { FixOutcome } from '../../src/app/fix/stored-session.ts'
import { readFixes, verifyFixes } from '../../src/app/verify/verify-fixes.ts'
import { makeProject, oneProcess, type Project, type ProjectOptions } from '../fixtures/project.ts'

let project: Project | null = null
afterEach(async () => {
  await project?.close()
  project = null
})

const never = new AbortController().signal
const head = "import test from 'node:test'\nimport assert from 'node:assert/strict'\n"
const loads = `${head}import { add } from '../src/a.mjs'\n`
const files = {
  'src/a.mjs': 'export const add = (a, b) => a - b\n',
  'test/a.test.mjs': `${loads}test('adds nothing', () => assert.equal(add(0, 0), 0))\n`,
}
const path = 'test/sums.test.mjs'
const hidden = `${loads}test('adds two numbers', () => assert.equal(add(17, 25), 42))\n`
const write = (to: string, text: string) =>
  `fs.mkdirSync(${JSON.stringify(to)}.replace(/[^/]*$/, '.'), { recursive: true }); fs.writeFileSync(${JSON.stringify(to)}, ${JSON.stringify(text)});`

const reproduced = "return { outcome: 'reproduced', explanation: 'see the test' }"
/** A challenger that accepts everything. */
const challenger =
  "return { feedback: 'fine', quality_scores: { correctness: 99, safety: 99, minimality: 99, style_consistency: 99 }, improvements_needed: [] }"
const right = "edit('src/a.mjs', 'a - b', 'a + b')"
/** An edit that is right only for the one example that the finding names. */
const overfit = "edit('src/a.mjs', 'a - b', '(a === 1 && b === 2 ? 3 : a - b)')"

interface Play extends Partial<ProjectOptions> {
  readonly fixer: string
  readonly reproducer: string | { readonly use: string }
  readonly severity?: string
}

async function play({ fixer, reproducer, severity = 'major', ...more }: Play) {
  const p = (project = await makeProject({
    files,
    challenger,
    verify: oneProcess,
    ...more,
    fixer: `${fixer}; return {}`,
    reproducer: typeof reproducer === 'string' ? `${reproducer} ${reproduced}` : reproducer,
  }))
  await p.import([
    { file: 'src/a.mjs', line: 1, title: 'add is wrong: add(1, 2) is -1', severity, rule: 'a' },
  ])
  const { result } = await p.fix()
  const [issue] = result.results
  if (!issue) throw new Error('there is no result')
  return { p, result, issue }
}

describe('a test that another agent writes before the fix', () => {
  it('proves a right fix with E4, is landed nowhere, and is run again from the note', async () => {
    const { p, issue } = await play({ fixer: right, reproducer: write(path, hidden) })
    expect(issue).toMatchObject({
      outcome: 'fixed',
      evidence: 'E4',
      reproduction: {
        agent: 'command',
        tests: ['adds two numbers'],
        reason: 'reproduced by adds two numbers',
      },
    })
    const sha = issue.commit_sha ?? ''
    expect(p.git('show', '--name-only', '--format=', sha)).toBe('src/a.mjs')
    expect(p.git('log', '-1', '--format=%B', sha)).toContain('Evidence: E4')
    const note = JSON.parse(p.git('notes', '--ref=fixpoint', 'show', sha)) as Record<string, unknown>
    expect(note['reproduction']).toMatchObject({
      files: [{ path, text: hidden }],
      tests: ['adds two numbers'],
    })
    expect(p.events.map(({ type, message }) => [type, message])).toContainEqual([
      'fix_issue_validating',
      'reproduced by adds two numbers',
    ])

    const verify = async () => {
      const [verdict] = await verifyFixes(p.app, {
        fixes: await readFixes(p.app, [sha]),
        signal: never,
        onVerdict: () => undefined,
      })
      return verdict
    }
    expect(await verify()).toMatchObject({ claimed: 'E4', confirmed: 'E4', status: 'confirmed' })
    p.git('update-ref', '-d', 'refs/notes/fixpoint')
    expect(await verify()).toMatchObject({ claimed: 'E4', confirmed: 'E1', status: 'not_evaluated' })
  })

  it('is asked for from the finding alone, in a fresh conversation and a workspace of its own', async () => {
    const { p } = await play({
      fixer: `if (fs.existsSync('${path}')) throw new Error('seen'); ${right}`,
      reproducer: write(path, hidden),
    })
    const [asked, fixer, judge] = p.seen()
    expect([asked?.role, fixer?.role, judge?.role]).toEqual(['reproducer', 'fixer', 'challenger'])
    expect(asked?.task).toMatchObject({ role: 'reproducer', access: 'write', round: 0, diff: null })
    expect(asked?.prompt).toContain('add is wrong')
    expect(asked?.task['issues']).not.toMatchObject([{ fix_code: null }])
    for (const seen of [fixer, judge])
      expect(JSON.stringify(seen)).not.toMatch(/adds two numbers|17, 25|sums/)
  })

  it('keeps an overfit from landing: the fixer is told once that a test fails, then a person is asked', async () => {
    const { p, result, issue } = await play({ fixer: overfit, reproducer: write(path, hidden) })
    expect(issue).toMatchObject({ outcome: 'held', commit_sha: null })
    expect(result.branch_name).toBeNull()
    const fixers = p.seen().filter(({ role }) => role === 'fixer')
    expect(fixers).toHaveLength(2)
    expect(fixers[1]?.prompt).toContain('an independent test of this problem fails with the fix')
    expect(JSON.stringify(fixers)).not.toMatch(/adds two numbers|17, 25|sums/)
  })

  it('counts for nothing once a person says that the fix is right all the same', async () => {
    const wrong = `${loads}test('adds two numbers', () => assert.equal(add(17, 25), 43))\n`
    const { p, result, issue } = await play({ fixer: right, reproducer: write(path, wrong) })
    expect(issue.outcome).toBe('held')
    const { session_id } = result
    await answerApproval(p.app, { sessionId: session_id, codes: [], answer: { approve: true } })
    const done = await resumeSession(p.app, session_id, { stopStarting: never, endNow: never })
    expect(done.result.results[0]).toMatchObject({ outcome: 'fixed', evidence: 'E1' })
  })

  it('is no proof where the patch has switched the judge off', async () => {
    const off = "import assert from 'node:assert/strict'\\nassert.equal = () => {}\\n"
    const { issue } = await play({
      fixer: `fs.writeFileSync('src/a.mjs', "${off}" + fs.readFileSync('src/a.mjs', 'utf8'))`,
      reproducer: write(path, hidden),
      config: 'fix: { max_rounds: 1 }',
    })
    expect(issue.outcome).not.toBe('fixed')
  })
})

describe('a reproducer that does not do what it is asked never stops a fix, and gives no E4', () => {
  const fileOf = (name: string): string => `src/${name.replaceAll(' ', '-')}.mjs`
  const testOf = (file: string): string => file.replace('src/', 'test/').replace('.mjs', '.test.mjs')
  /** A test that loads the file of the issue. */
  const writes = (text: string) => (file: string) =>
    write(path, `${loads.replace('src/a.mjs', file)}test(${text})\n`)
  const cases: readonly (readonly [name: string, does: (file: string) => string, reason: string])[] = [
    ['edits source', () => write('src/new.mjs', ''), 'more than new tests was written: src/new.mjs'],
    ['edits an existing test', (file) => `edit('${testOf(file)}', '0), 0', '0), 1');`, 'more than new tests'],
    ['writes a test that is always green', writes("'fine', () => add(1, 1)"), 'does not fail'],
    [
      'writes a test that is always red and looks at nothing',
      () => write(path, `${head}test('red', () => assert.fail('red'))\n`),
      "loads none of the project's code",
    ],
    [
      'writes one that cannot be loaded',
      (file) => write(path, `import { nothing } from '../${file}'\nnothing()\n`),
      'does not fail on the base as a named test',
    ],
    [
      'writes one that fails as it loads something in the middle',
      writes("'adds', async () => { add(1, 1); await import('../src/none.mjs') }"),
      'fails while it loads',
    ],
    ['writes nothing', () => '', 'no test was written'],
    [
      'floods',
      () => `fs.writeFileSync('${path}', '// x\\n'.repeat(40_000));`,
      'not text, or is longer than 100 kB',
    ],
    ['writes a link', () => `fs.symlinkSync('/etc/passwd', '${path}');`, 'more than new tests'],
    ['writes outside', () => "fs.writeFileSync('../elsewhere.txt', 'x');", 'no test was written'],
    ['crashes', () => 'process.exit(3);', 'not reproduced: crashed'],
    ['says nothing that can be read', () => "console.log('no'); return null;", 'no test was written'],
  ]
  let p: Project
  let results: FixOutcome['result']['results']
  /** One session in which each case has an issue of its own. */
  beforeAll(async () => {
    const sources = cases.flatMap(([name]) => {
      const file = fileOf(name)
      const text = files['test/a.test.mjs'].replace('src/a.mjs', file).replace('adds nothing', name)
      return [[file, files['src/a.mjs']] as const, [testOf(file), text] as const]
    })
    const branches = cases.map(([name, does]) => `case '${fileOf(name)}': { ${does(fileOf(name))} break }`)
    p = await makeProject({
      files: Object.fromEntries(sources),
      challenger,
      verify: oneProcess,
      fixer: "edit(issue.file, 'a - b', 'a + b'); return {}",
      reproducer: `switch (issue.file) { ${branches.join('\n')} } ${reproduced}`,
      config: 'fix: { concurrency: 6 }',
    })
    const title = 'add is wrong: add(1, 2) is -1'
    await p.import(
      cases.map(([name]) => ({ file: fileOf(name), line: 1, title, severity: 'major', rule: 'a' })),
    )
    results = (await p.fix()).result.results
  })
  afterAll(() => p.close())

  it.each(cases)('%s', (name, _does, reason) => {
    const file = fileOf(name)
    const issue = results.find((each) => each.file === file)
    expect(issue).toMatchObject({
      outcome: 'fixed',
      evidence: 'E1',
      reproduction: { tests: [], reason: expect.stringContaining(reason) },
    })
    expect(p.git('show', '--name-only', '--format=', issue?.commit_sha ?? '')).toBe(file)
    expect(p.seen().filter((seen) => seen.role === 'reproducer' && seen.file === file)).toHaveLength(1)
  })

  it('hangs', async () => {
    const { issue } = await play({
      fixer: right,
      reproducer: 'await new Promise((done) => setTimeout(done, 300_000));',
      reproducerTimeout: '2s',
    })
    expect(issue).toMatchObject({ outcome: 'fixed', evidence: 'E1' })
    expect(issue.reproduction?.reason).toContain('timeout')
  })
})

describe('who is asked for a test', () => {
  it('nobody, for a minor issue', async () => {
    const { p, issue } = await play({ fixer: right, reproducer: write(path, hidden), severity: 'minor' })
    expect(issue).toMatchObject({ outcome: 'fixed', evidence: 'E1', reproduction: null })
    expect(p.seen().map(({ role }) => role)).toEqual(['fixer', 'challenger'])
  })

  it('everybody, where E4 is the bar; what has no such test is not evaluated, and no fixer is asked', async () => {
    const config = 'land: { min_evidence: E4 }\nevidence: { reproduce: auto }'
    const landed = await play({ fixer: right, reproducer: write(path, hidden), severity: 'minor', config })
    expect(landed.issue).toMatchObject({ outcome: 'fixed', evidence: 'E4' })
    await landed.p.close()
    const { p, issue } = await play({ fixer: right, reproducer: '', severity: 'minor', config })
    expect(issue).toMatchObject({ outcome: 'not_evaluated', evidence: null })
    expect(p.seen().map(({ role }) => role)).toEqual(['reproducer'])
  })

  it('with `true` a problem that was not reproduced is not evaluated', async () => {
    const config = 'evidence: { reproduce: true }'
    const { issue } = await play({ fixer: right, reproducer: 'process.exit(3);', severity: 'minor', config })
    expect(issue).toMatchObject({ outcome: 'not_evaluated', reason: expect.stringContaining('crashed') })
  })

  it('nobody, where no command names its tests', async () => {
    const { p, issue } = await play({ fixer: right, reproducer: write(path, hidden), verify: 'true' })
    expect(issue.reproduction?.reason).toContain('no command names the tests')
    expect(p.seen().map(({ role }) => role)).not.toContain('reproducer')
  })

  it('the built-in rules say that they cannot', async () => {
    const { p, issue } = await play({ fixer: right, reproducer: { use: 'rules' } })
    expect(issue).toMatchObject({
      outcome: 'fixed',
      evidence: 'E1',
      reproduction: {
        agent: null,
        tests: [],
        reason: 'not reproduced: rules cannot write tests',
        cost_usd: 0,
      },
    })
    expect(p.seen().map(({ role }) => role)).toEqual(['fixer', 'challenger'])
  })
})

it('the strategies that ask one fixer for several issues have such tests as well', async () => {
  const { p, issue } = await play({
    fixer: right,
    reproducer: write(path, hidden),
    config: 'fix: { strategy: single-call }',
  })
  expect(issue).toMatchObject({ outcome: 'fixed', evidence: 'E4' })
  expect(p.seen().map(({ role }) => role)).toEqual(['reproducer', 'fixer', 'challenger'])
})

it('a reproducer that was interrupted is not asked again, and leaves no workspace', async () => {
  const p = (project = await makeProject({
    files,
    challenger,
    fixer: `${right}; return {}`,
    reproducer: 'await new Promise((done) => setTimeout(done, 300_000)); return {}',
  }))
  await p.import([{ file: 'src/a.mjs', line: 1, title: 'add is wrong', severity: 'major', rule: 'a' }])
  const end = new AbortController()
  const running = p.fix({}, { endNow: end.signal, stopStarting: end.signal })
  while (p.seen().length === 0) await new Promise((done) => setTimeout(done, 50))
  end.abort()
  const { result } = await running
  expect(result.resumable).toBe(true)
  const done = await resumeSession(p.app, result.session_id, { stopStarting: never, endNow: never })
  expect(done.result.results[0]).toMatchObject({
    outcome: 'fixed',
    evidence: 'E1',
    reproduction: { reason: expect.stringContaining('interrupted') },
  })
  expect(p.seen().map(({ role }) => role)).toEqual(['reproducer', 'fixer', 'challenger'])
  expect(readdirSync(join(p.home, 'workspaces'), { recursive: true })).not.toContain('reproduce')
})
