import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { snapshotOf } from '../fixtures/repositories.ts'
import { commandLineOf } from '../fixtures/command-line.ts'
import { makeProject, type Project, type ProjectOptions } from '../fixtures/project.ts'

let project: Project | null = null
afterEach(async () => {
  await project?.close()
  project = null
})
const open = async (options: ProjectOptions): Promise<Project> => (project = await makeProject(options))

/** Five functions that are wrong, and a suite that notices what breaks but not what is wrong. */
const five = {
  'src/a.mjs': 'export const add = (a, b) => a - b\n',
  'src/b.mjs': 'export const one = () => 2\n',
  'src/c.mjs': 'export const half = (x) => x / 1\n',
  'src/d.mjs': "export const greet = () => 'helo'\n",
  'src/e.mjs': 'export const even = (n) => n % 2 === 1\n',
  'test/all.test.mjs': `import test from 'node:test'
import assert from 'node:assert'
import { half } from '../src/c.mjs'
test('half is a number below its input', () => assert.ok(half(4) <= 4, 'HALF-MARK half(4) was ' + half(4)))
`,
  'AGENTS.md': 'CONVENTION-MARK never use var\n',
}
const findings = ['a', 'b', 'c', 'd', 'e'].map((name) => ({
  file: `src/${name}.mjs`,
  line: 1,
  title: `${name} is wrong`,
  issue: `FINDING-MARK-${name}`,
  severity: 'major',
  rule: `rule-${name}`,
  suggested_fix: `SUGGESTION-MARK-${name}`,
}))
const fixFive = `
  edit('src/a.mjs', 'a - b', 'a + b'); edit('src/b.mjs', '=> 2', '=> 1'); edit('src/d.mjs', 'helo', 'hello'); edit('src/e.mjs', '=== 1', '=== 0')
`
const fixOwn = `
  const fixes = { 'src/a.mjs': ['a - b', 'a + b'], 'src/b.mjs': ['=> 2', '=> 1'], 'src/c.mjs': ['x / 1', 'x * 9'], 'src/d.mjs': ['helo', 'hello'], 'src/e.mjs': ['=== 1', '=== 0'] }
  edit(issue.file, ...fixes[issue.file])
  return {}
`

describe('four good fixes and one bad in one session', () => {
  it('lands four commits; the fifth fails with its reason, and its edits are nowhere', async () => {
    const p = await open({ files: five, fixer: fixOwn })
    await p.import(findings)
    p.write({ 'dirty.txt': 'mine\n', 'src/a.mjs': 'export const add = 1 // my edit\n' })
    p.git('add', 'dirty.txt')
    const before = snapshotOf(p.root, ['refs/heads/fix', 'refs/notes', 'refs/fixpoint'])
    const { result, exitCode } = await p.fix()
    expect(exitCode).toBe(1)
    expect(result).toMatchObject({
      schema: 'fixpoint.session.v1',
      status: 'partial',
      issues_requested: 5,
      issues_fixed: 4,
      issues_failed: 1,
      issues_skipped: 0,
      final_status: 'failed',
      fixes_applied: true,
      resumable: false,
    })
    const branch = result.branch_name ?? ''
    expect(p.git('rev-list', '--count', `main..${branch}`)).toBe('4')
    for (const issue of result.results.filter(({ outcome }) => outcome === 'fixed')) {
      expect(p.git('show', '--name-only', '--format=', issue.commit_sha ?? '')).toBe(issue.file)
      expect(p.git('log', '-1', '--format=%B', issue.commit_sha ?? '')).toMatch(
        /^fix\(\w+\): did it \[BE-00\d\]\n[^]*^Evidence: E1$[^]*^Challenged-by: command \(99\)$/m,
      )
      const note: unknown = JSON.parse(p.git('notes', '--ref=fixpoint', 'show', issue.commit_sha ?? ''))
      expect(note).toMatchObject({
        issue_code: issue.issue_code,
        evidence: 'E1',
        commands: [{ name: 'test', status: 'passed' }],
      })
      expect(issue).toMatchObject({
        evidence: 'E1',
        challenged: true,
        fix_challenger_score: 99,
        fix_self_score: 91,
      })
    }
    const bad = result.results.find(({ file }) => file === 'src/c.mjs')
    expect(bad).toMatchObject({
      status: 'failed',
      outcome: 'refused',
      commit_sha: null,
      fix_files_modified: [],
    })
    expect(JSON.stringify(bad?.rounds)).toContain('HALF-MARK half(4) was 36')
    expect(p.git('show', `${branch}:src/c.mjs`)).toBe('export const half = (x) => x / 1')
    expect(p.git('show', `${branch}:src/a.mjs`)).toBe('export const add = (a, b) => a + b')
    expect(snapshotOf(p.root, ['refs/heads/fix', 'refs/notes', 'refs/fixpoint'])).toEqual(before)
    expect(p.git('fsck', '--strict', '--no-dangling')).toBe('')
    expect(readdirSync(join(p.home, 'workspaces'))).toEqual([])
  })
})

describe('the prompt that the agent received', () => {
  it('holds finding, suggestion, code, conventions, commands and notes; in round 2 the failing output and the last patch', async () => {
    const p = await open({
      files: five,
      fixer: fixOwn.replace('x * 9', `x * ' + (task.round === 1 ? '9' : '0.5') + '`),
      config: 'fix: { max_rounds: 2 }',
    })
    await p.import([findings[2] ?? {}])
    await p.fix({ notes: 'NOTES-MARK be careful' })
    const [first, second] = p.seen().filter(({ role }) => role === 'fixer')
    for (const mark of [
      'FINDING-MARK-c',
      'SUGGESTION-MARK-c',
      '> 1 | export const half = (x) => x / 1',
      'CONVENTION-MARK',
      '`node --test --test-isolation=none`',
      'NOTES-MARK',
      '"BE-001"',
      'blocked:',
      'deferred:',
    ])
      expect(first?.prompt).toContain(mark)
    expect(first?.prompt).not.toContain('HALF-MARK')
    for (const mark of [
      'Round 1 was refused at verification',
      'exit code 1',
      'HALF-MARK half(4) was 36',
      '+export const half = (x) => x * 9',
      '> 1 | export const half = (x) => x * 9',
    ])
      expect(second?.prompt).toContain(mark)
    expect(first?.task).toMatchObject({
      role: 'fixer',
      access: 'write',
      round: 1,
      issues: [{ code: 'BE-001', file: 'src/c.mjs', line: 1, fingerprint: expect.any(String) }],
      feedback: [],
      notes: 'NOTES-MARK be careful',
      verification: { commands: [{ name: 'test', run: 'node --test --test-isolation=none' }] },
    })
    expect(second?.task).toMatchObject({ round: 2, feedback: [{ round: 1, stage: 'verification' }] })
  })

  it('gives the challenger the problem, the diff and the checks, and nothing of the fixer', async () => {
    const p = await open({
      files: five,
      fixer: `edit('src/a.mjs', 'a - b', 'a + b'); return { changes_summary: 'STORY-1', explanation: 'STORY-2' }`,
    })
    await p.import([findings[0] ?? {}])
    await p.fix()
    const judged = p.seen().find(({ role }) => role === 'challenger')
    expect(judged?.prompt).toContain('FINDING-MARK-a')
    expect(judged?.prompt).toContain('+export const add = (a, b) => a + b')
    expect(judged?.prompt).toContain('test: passed')
    expect(`${judged?.prompt}${JSON.stringify(judged?.task)}`).not.toMatch(/STORY-[12]|"fix_/)
    expect(judged?.task).toMatchObject({ role: 'challenger', access: 'read', feedback: [] })
  })
})

describe('rounds', () => {
  it('go on with the challenger’s points until the score is enough; the word SOLVED decides nothing', async () => {
    const p = await open({
      files: five,
      fixer: `if (task.round === 1) edit('src/d.mjs', 'helo', 'hallo'); else edit('src/d.mjs', 'hallo', 'hello'); return {}`,
      challenger: `const bad = task.round === 1; return { score: 100, status: 'SOLVED', feedback: bad ? 'POINT-MARK' : 'ok', quality_scores: { correctness: bad ? 60 : 95, safety: 90, minimality: 90, style: 90 }, improvements_needed: bad ? ['NEED-MARK'] : [] }`,
    })
    await p.import([findings[3] ?? {}])
    const { result } = await p.fix()
    expect(result.results[0]).toMatchObject({
      outcome: 'fixed',
      rounds: [
        { challenge: { status: 'refused', score: 78 } },
        { challenge: { status: 'accepted', score: 92 } },
      ],
    })
    expect(p.seen().find(({ role, round }) => role === 'fixer' && round === 2)?.prompt).toMatch(
      /POINT-MARK[^]*NEED-MARK/,
    )
  })

  it.each([
    ['exits with an error', 'process.exit(3)', 'failed', /crashed: exit code 3/],
    ['prints no report', `edit('src/a.mjs', 'a - b', 'a + b'); return null`, 'failed', /no readable report/],
    ['is blocked', `return { outcome: 'blocked', explanation: 'BLOCK-MARK' }`, 'blocked', /BLOCK-MARK/],
    ['defers for ever', `return { outcome: 'deferred', explanation: 'DEFER-MARK' }`, 'blocked', /DEFER-MARK/],
  ])('an agent that %s ends only its own issue', async (_name, fixer, outcome, reason) => {
    const p = await open({
      files: five,
      fixer: `if (issue.file !== 'src/a.mjs') { edit(issue.file, '=> 2', '=> 1'); return {} } ${fixer}`,
      config: 'fix: { max_rounds: 3 }',
    })
    await p.import(findings.slice(0, 2))
    const { result } = await p.fix()
    const bad = result.results.find(({ file }) => file === 'src/a.mjs')
    expect(bad).toMatchObject({ outcome, commit_sha: null })
    expect(JSON.stringify([bad?.reason, bad?.rounds.map(({ refusal }) => refusal)])).toMatch(reason)
    expect(result.results.find(({ file }) => file === 'src/b.mjs')).toMatchObject({ outcome: 'fixed' })
    expect(p.seen().filter(({ role, file }) => role === 'challenger' && file === 'src/a.mjs')).toEqual([])
  })
})

describe('what cannot be evaluated never lands', () => {
  it.each([
    ['no command is configured', { verify: '' }, /no verification command is configured/],
    ['the command is missing', { verify: './no-such-program-xyz' }, /could not be started/],
    ['the challenger crashes', { challenger: 'process.exit(1)' }, /command: crashed: exit code 1/],
    [
      'the challenger answers for another id',
      { challenger: `console.log(JSON.stringify({ issues: { 'BE-999': { score: 100 } } })); return null` },
      /not about BE-001/,
    ],
    [
      'the challenger writes prose',
      { challenger: `console.log('looks great, 100 points'); return null` },
      /no JSON object/,
    ],
    [
      'the challenger says yes and goes on for ever',
      {
        challenger: `console.log(JSON.stringify({ issues: { [issue.code]: { score: 100 } } })); await new Promise(() => setInterval(() => undefined, 1000))`,
        challengerTimeout: '1s',
      },
      /timeout: it was not done after 1s/,
    ],
    [
      'the challenger says yes and exits with an error',
      {
        challenger: `console.log(JSON.stringify({ issues: { [issue.code]: { score: 100 } } })); process.exit(1)`,
      },
      /crashed: exit code 1/,
    ],
    [
      'the challenger’s answer is cut off',
      {
        challenger: `console.log(JSON.stringify({ issues: { [issue.code]: { score: 100 } } }).slice(0, -2)); return null`,
      },
      /no JSON object/,
    ],
  ])('%s', async (_name, options, reason) => {
    const config = 'fix: { scope: repository }'
    const p = await open({ files: five, fixer: fixFive + 'return {}', config, ...options })
    await p.import([{ ...findings[0], file: 'src/a.mjs' }])
    const { result, exitCode } = await p.fix()
    expect(result.results[0]).toMatchObject({
      outcome: 'not_evaluated',
      status: 'open',
      commit_sha: null,
      reason: expect.stringMatching(reason),
    })
    expect([exitCode, result.branch_name, result.issues_skipped]).toEqual([3, null, 1])
  })

  it('what a challenger edits is in no commit, whatever it says', async () => {
    const p = await open({
      files: five,
      fixer: fixOwn,
      challenger: `fs.appendFileSync(issue.file, '// by the challenger'); fs.writeFileSync('new.txt', 'x'); return { quality_scores: { correctness: 95, safety: 95, minimality: 95, style: 95 } }`,
    })
    await p.import([findings[0] ?? {}])
    const { result } = await p.fix()
    expect(result.results[0]).toMatchObject({ outcome: 'fixed' })
    expect(p.git('diff', '--name-only', `main..${result.branch_name}`)).toBe('src/a.mjs')
    expect(p.git('show', `${result.branch_name}:src/a.mjs`)).not.toContain('by the challenger')
    expect(p.git('status', '--porcelain')).toBe('')
  })

  it('lands unproven only when land.min_evidence is E0', async () => {
    const p = await open({ files: five, fixer: fixOwn, verify: '', config: 'land: { min_evidence: E0 }' })
    await p.import([findings[0] ?? {}])
    const { result } = await p.fix()
    expect(result.results[0]).toMatchObject({ outcome: 'fixed', evidence: 'E0' })
  })
})

describe('issues on one file', () => {
  it('run one after the other, each from the tip that the one before it left', async () => {
    const files = {
      ...five,
      'src/a.mjs': 'export const one = 0 // 1\nexport const two = 0 // 2\nexport const three = 0 // 3\n',
    }
    const p = await open({
      files,
      fixer: `edit(issue.file, '0 // ' + issue.line, issue.line + ' // ' + issue.line); return {}`,
    })
    await p.import(
      [1, 2, 3].map((line) => ({
        file: 'src/a.mjs',
        line,
        title: `constant ${line} is zero`,
        severity: 'minor',
        rule: `zero-${line}`,
      })),
    )
    const { result } = await p.fix()
    expect(result.issues_fixed).toBe(3)
    expect(p.git('show', `${result.branch_name}:src/a.mjs`)).toBe(
      'export const one = 1 // 1\nexport const two = 2 // 2\nexport const three = 3 // 3',
    )
    expect(p.git('rev-list', '--count', `main..${result.branch_name}`)).toBe('3')
  })
})

describe('fixes that are green alone and red together', () => {
  it('lands the first, sends the culprit back with the output, and accounts for both', async () => {
    const files = {
      ...five,
      'test/all.test.mjs': `import test from 'node:test'
import assert from 'node:assert'
import { one } from '../src/b.mjs'
import { add } from '../src/a.mjs'
test('not both', () => assert.ok(!(one() === 1 && add(1, 1) === 2), 'TOGETHER-MARK'))
`,
    }
    const p = await open({ files, fixer: fixOwn, config: 'fix: { max_rounds: 2, concurrency: 1 }' })
    await p.import(findings.slice(0, 2))
    const { result } = await p.fix()
    expect(result).toMatchObject({ issues_fixed: 1, issues_failed: 1 })
    expect(
      p
        .seen()
        .some(
          ({ role, round, prompt }) => role === 'fixer' && round === 2 && prompt.includes('TOGETHER-MARK'),
        ),
    ).toBe(true)
    expect(p.git('rev-list', '--count', `main..${result.branch_name}`)).toBe('1')
  })
})

describe('the branch', () => {
  it('gets a number when its name is taken, and main is never touched', async () => {
    const p = await open({ files: five, fixer: fixOwn })
    await p.import([findings[0] ?? {}])
    p.git('branch', 'fix/a-is-wrong')
    const { result } = await p.fix()
    expect(result.branch_name).toBe('fix/a-is-wrong-2')
  })

  it('that a person moves meanwhile stops the session, and the person’s commit stays', async () => {
    const p = await open({
      files: five,
      fixer: `${fixOwn.replace('return {}', '')}
        if (issue.file === 'src/b.mjs') { const { execFileSync } = await import('node:child_process')
          for (let i = 0; i < 2_000; i += 1) { try { execFileSync('git', ['-C', ${JSON.stringify('ROOT')}, 'rev-parse', '-q', '--verify', 'refs/heads/mine/fixes']); break } catch { await new Promise((r) => setTimeout(r, 50)) } }
          execFileSync('git', ['-C', ${JSON.stringify('ROOT')}, 'update-ref', 'refs/heads/mine/fixes', 'main']) }
        return {}`.replaceAll('"ROOT"', "process.env.HOME.replace(/user$/, 'repository')"),
    })
    await p.import(findings.slice(0, 2))
    const { result } = await p.fix({ branch: 'mine/fixes' })
    expect(result).toMatchObject({
      resumable: true,
      reason: expect.stringContaining('was moved'),
      issues_fixed: 1,
    })
    expect(p.git('rev-parse', 'mine/fixes')).toBe(p.git('rev-parse', 'main'))
  })

  it('refuses one that exists, one that is checked out, and an impossible name', async () => {
    const p = await open({ files: five, fixer: fixOwn })
    await p.import([findings[0] ?? {}])
    p.git('branch', 'there')
    await expect(p.fix({ branch: 'there' })).rejects.toThrow(/exists already/)
    await expect(p.fix({ branch: 'main', useExistingBranch: true })).rejects.toThrow(/checked out/)
    await expect(p.fix({ branch: 'a..b' })).rejects.toThrow(/cannot use the branch/)
    expect((await p.fix({ branch: 'there', useExistingBranch: true })).result.branch_name).toBe('there')
  })
})

describe('stopping', () => {
  it('after Ctrl-C the session is resumable, and resuming finishes the rest', async () => {
    const { resumeSession } = await import('../../src/app/fix/resume-session.ts')
    const p = await open({ files: five, fixer: fixOwn, config: 'fix: { concurrency: 1 }' })
    await p.import(findings)
    const stop = new AbortController()
    p.app.subscribe((event) => event.type === 'fix_issue_committed' && stop.abort())
    const first = await p.fix({}, { stopStarting: stop.signal })
    expect(first.result).toMatchObject({ status: 'running', resumable: true })
    expect(first.result.issues_fixed).toBeLessThan(4)
    const { result } = await resumeSession(p.app, first.result.session_id, {
      stopStarting: new AbortController().signal,
      endNow: new AbortController().signal,
    })
    expect(result).toMatchObject({
      issues_fixed: 4,
      issues_failed: 1,
      resumable: false,
      session_id: first.result.session_id,
    })
    expect(p.git('rev-list', '--count', `main..${result.branch_name}`)).toBe('4')
    const seqs = (await p.app.store.sessions.events(result.session_id, 0)).map(({ seq }) => seq)
    expect(seqs).toEqual(seqs.map((_, index) => index + 1))
  })

  it('now ends running agents at once and keeps the session resumable', async () => {
    const p = await open({
      files: five,
      fixer: `fs.writeFileSync(process.env.HOME + '/started', ''); await new Promise((r) => setTimeout(r, 300_000)); return {}`,
    })
    await p.import([findings[0] ?? {}])
    const abort = new AbortController()
    const poll = setInterval(() => existsSync(join(p.folder, 'user/started')) && abort.abort(), 50)
    const { result } = await p.fix({}, { stopStarting: abort.signal, endNow: abort.signal })
    clearInterval(poll)
    // The agent would have worked for longer than this test may take.
    expect(result).toMatchObject({ resumable: true, results: [{ outcome: null }] })
  })
})

it('blocks a finding whose file was deleted before any agent runs', async () => {
  const p = await open({ files: five, fixer: fixOwn })
  await p.import([findings[0] ?? {}])
  p.git('rm', '-qf', 'src/a.mjs')
  p.git('commit', '-qm', 'gone')
  const { result } = await p.fix()
  expect(result.results[0]).toMatchObject({
    outcome: 'deleted',
    status: 'open',
    reason: expect.stringContaining('src/a.mjs'),
  })
  expect(p.seen()).toEqual([])
})

it.each(['isolated', 'sequential'])(
  'says of a finding in a file that is not committed that it is not (%s)',
  async (strategy) => {
    const p = await open({ files: five, fixer: fixOwn, config: `fix: { strategy: ${strategy} }` })
    p.write({ 'src/new.mjs': 'debugger\n' })
    expect(commandLineOf(p)('review', '--uncommitted').exitCode).toBe(0)
    const { result } = await p.fix()
    expect(result.results[0]).toMatchObject({
      outcome: 'deleted',
      reason: 'blocked before any agent ran: src/new.mjs is not committed; commit it first',
    })
  },
)

it('says passed and makes nothing when there is nothing to fix', async () => {
  const p = await open({ files: five })
  const { result, exitCode } = await p.fix()
  expect([exitCode, result.status, result.final_status, result.branch_name, result.results]).toEqual([
    0,
    'completed',
    'passed',
    null,
    [],
  ])
})

it('with max_rounds 0 nothing is sent, and everything stays open', async () => {
  const p = await open({ files: five, fixer: fixOwn, config: 'fix: { max_rounds: 0 }' })
  await p.import([findings[0] ?? {}])
  const { result, exitCode } = await p.fix()
  expect([exitCode, result.results[0]?.outcome, result.results[0]?.status]).toEqual([1, 'not_sent', 'open'])
  expect(p.seen()).toEqual([])
})

it('text about limits in an agent’s output changes nothing', async () => {
  const p = await open({
    files: five,
    fixer: `console.log('rate limit reached; your credit balance is too low; PHASE_COMPLETE'); ${fixOwn}`,
  })
  await p.import([findings[0] ?? {}])
  expect((await p.fix()).result.results[0]).toMatchObject({ outcome: 'fixed' })
})
