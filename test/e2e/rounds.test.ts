import { afterEach, describe, expect, it } from 'vitest'
import { answerApproval } from '../../src/app/fix/answer-approval.ts'
import { resumeSession } from '../../src/app/fix/resume-session.ts'
import { loadSession, type FixOutcome } from '../../src/app/fix/stored-session.ts'
import { sessionResult } from '../../src/model/session/session-result.ts'
import { makeProject, type Project, type ProjectOptions } from '../fixtures/project.ts'

let project: Project | null = null
afterEach(async () => {
  await project?.close()
  project = null
})

const files = {
  'src/a.mjs': 'export const add = (a, b) => a - b\n',
  'src/b.mjs': 'export const one = () => 2\n',
  'lib/c.mjs': 'export const two = 2\n',
  'test/a.test.mjs': `import test from 'node:test'
import assert from 'node:assert/strict'
import { add } from '../src/a.mjs'
test('adds nothing', () => assert.equal(add(0, 0), 0))
`,
  'package.json': '{ "name": "sample", "type": "module" }\n',
}
const findings = ['a', 'b'].map((name) => ({
  file: `src/${name}.mjs`,
  line: 1,
  title: `${name} is wrong`,
  rule: name,
}))
const honest = "if (issue.file === 'src/b.mjs') { edit('src/b.mjs', '=> 2', '=> 1'); return {} }"

async function open(fixer: string, options: Partial<ProjectOptions> = {}): Promise<Project> {
  project = await makeProject({ files, fixer: `${honest} ${fixer}`, ...options })
  await project.import(findings)
  return project
}
const of = ({ result }: FixOutcome, file: string) => result.results.find((issue) => issue.file === file)
const never = { stopStarting: new AbortController().signal, endNow: new AbortController().signal }
const scored = (value: number): string =>
  `return { feedback: 'VERDICT', quality_scores: { correctness: ${value}, safety: ${value}, minimality: ${value}, style_consistency: ${value} } }`
const claim = "return { outcome: 'false_positive', explanation: 'STORY-OF-THE-FIXER' }"

describe('a finding that the fixer calls a false positive', () => {
  it('is ignored when the challenger agrees, without having heard the reason', async () => {
    const p = await open(claim, { challenger: scored(96) })
    const outcome = await p.fix()
    expect(outcome.exitCode).toBe(0)
    expect(of(outcome, 'src/a.mjs')).toMatchObject({
      outcome: 'false_positive',
      status: 'ignored',
      false_positive: true,
      commit_sha: null,
    })
    expect(outcome.result).toMatchObject({ issues_fixed: 1, issues_skipped: 1 })
    const asked = p.seen().find(({ role, file }) => role === 'challenger' && file === 'src/a.mjs')
    expect(asked?.prompt).toContain('false positive')
    expect(JSON.stringify(asked)).not.toContain('STORY-OF-THE-FIXER')
    await p.import(findings)
    const [issue] = await p.app.store.issues.byCode(p.app.repository.id, ['BE-001'])
    expect(issue).toMatchObject({ status: 'ignored', ignored: { until: null } })
  })

  it('is disputed when the challenger disagrees, and a person may agree with the fixer', async () => {
    const p = await open(claim, {
      challenger: `if (issue.file === 'src/b.mjs') { ${scored(95)} } ${scored(30)}`,
    })
    const outcome = await p.fix()
    expect(outcome.exitCode).toBe(5)
    expect(of(outcome, 'src/a.mjs')).toMatchObject({ outcome: 'disputed', status: 'open' })
    expect(of(outcome, 'src/a.mjs')?.reason).toContain('VERDICT')
    await answerApproval(p.app, {
      sessionId: outcome.result.session_id,
      codes: ['be-001'],
      answer: { approve: true },
    })
    const [issue] = await p.app.store.issues.byCode(p.app.repository.id, ['BE-001'])
    expect(issue).toMatchObject({
      status: 'ignored',
      ignored: { reason: expect.stringContaining('agreed by Ada') },
    })
    const { session, attempts } = await loadSession(p.app, outcome.result.session_id)
    const [result] = sessionResult(session, attempts, issue ? [issue] : []).results
    expect(result?.reason).toMatch(/VERDICT.* A person decided: the issue is ignored\.$/)
  })

  it('is disputed when no challenger can be read', async () => {
    const p = await open(claim, { challenger: "console.log('I agree, 100 points'); return null" })
    expect(of(await p.fix(), 'src/a.mjs')).toMatchObject({ outcome: 'disputed', status: 'open' })
  })
})

describe('rounds that go nowhere end early', () => {
  it('when another change fails in exactly the same way', async () => {
    const p = await open(
      "fs.appendFileSync('src/a.mjs', `// round ${task.round}\\n`); edit('src/a.mjs', 'a - b', '1'); return {}",
      { config: 'fix: { max_rounds: 5 }' },
    )
    const result = of(await p.fix(), 'src/a.mjs')
    expect(result).toMatchObject({ outcome: 'refused' })
    expect(result?.reason).toContain('round 2 failed exactly as round 1 did')
    expect(result?.rounds).toHaveLength(2)
  })

  it('when it goes from A to B and back to A', async () => {
    const p = await open(
      "fs.writeFileSync('src/a.mjs', `export const add = () => ${task.round % 2 === 1 ? 1 : 7}\\n`); return {}",
      { config: 'fix: { max_rounds: 5 }' },
    )
    const result = of(await p.fix(), 'src/a.mjs')
    expect(result?.reason).toContain('the tree that was refused in round 1')
    expect(result?.rounds).toHaveLength(3)
  })
})

describe('a scope violation, with a person there', () => {
  const outside = "edit('src/a.mjs', 'a - b', 'a + b'); edit('lib/c.mjs', '2', '3'); return {}"
  const config = 'workspace: { path: src }'

  it('waits, and lands when exactly these files are approved', async () => {
    const p = await open(outside, { config })
    const { result } = await p.fix({ attended: true })
    expect(result).toMatchObject({ status: 'awaiting_approval' })
    await answerApproval(p.app, { sessionId: result.session_id, codes: [], answer: { approve: true } })
    const resumed = await resumeSession(p.app, result.session_id, never)
    const fixed = of(resumed, 'src/a.mjs')
    expect(fixed).toMatchObject({ outcome: 'fixed' })
    expect(p.git('show', '--name-only', '--format=', fixed?.commit_sha ?? '').split('\n')).toEqual([
      'lib/c.mjs',
      'src/a.mjs',
    ])
  })

  it('is taken back when rejected, and the other issues keep what they have', async () => {
    const p = await open(outside, { config: `${config}\nfix: { max_rounds: 1 }` })
    const { result } = await p.fix({ attended: true })
    await answerApproval(p.app, { sessionId: result.session_id, codes: [], answer: { reject: 'no' } })
    const resumed = await resumeSession(p.app, result.session_id, never)
    expect(of(resumed, 'src/a.mjs')).toMatchObject({ outcome: 'refused' })
    expect(of(resumed, 'src/b.mjs')).toMatchObject({ outcome: 'fixed' })
    expect(p.git('show', `${resumed.result.branch_name}:lib/c.mjs`)).toContain('two = 2')
  })

  it('goes back to the fixer once when nobody is there, and is then held', async () => {
    const p = await open(outside, { config })
    const outcome = await p.fix()
    expect(outcome.exitCode).toBe(5)
    expect(of(outcome, 'src/a.mjs')).toMatchObject({ outcome: 'held' })
    const told = p
      .seen()
      .find(({ role, round, file }) => role === 'fixer' && round === 2 && file === 'src/a.mjs')
    expect(told?.prompt).toContain('Leave these files alone, or say why the fix needs them.')
  })

  it('is refused when nobody is there and nobody is to be asked', async () => {
    const p = await open(outside, { config: `${config}\nfix: { max_rounds: 1, unattended: reject }` })
    expect(of(await p.fix(), 'src/a.mjs')).toMatchObject({ outcome: 'refused' })
  })
})
