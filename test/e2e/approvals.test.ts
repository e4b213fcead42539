import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { answerApproval } from '../../src/app/fix/answer-approval.ts'
import { chooseIssues } from '../../src/app/fix/choose-issues.ts'
import { fixIssues } from '../../src/app/fix/fix-issues.ts'
import { resumeSession } from '../../src/app/fix/resume-session.ts'
import type { FixOutcome } from '../../src/app/fix/stored-session.ts'
import { envOf, fixpointIn } from '../fixtures/command-line.ts'
import { makeProject, type Project, type ProjectOptions } from '../fixtures/project.ts'

let project: Project | null = null
afterEach(async () => {
  await project?.close()
  project = null
})

const files = {
  'src/a.mjs': 'export const add = (a, b) => a - b\n',
  'src/b.mjs': 'export const one = () => 2\n',
  'test/a.test.mjs': `import test from 'node:test'
import assert from 'node:assert/strict'
import { add } from '../src/a.mjs'
test('adds nothing', () => {
  assert.equal(add(0, 0), 0)
  assert.equal(typeof add(1, 2), 'number')
})
`,
  'package.json':
    '{ "name": "sample", "type": "module", "scripts": { "test": "node --test --test-isolation=none" } }\n',
}
const findings = ['a', 'b'].map((name) => ({
  file: `src/${name}.mjs`,
  line: 1,
  title: `${name} is wrong`,
  severity: 'major',
  rule: name,
}))
const honest = "if (issue.file === 'src/b.mjs') { edit('src/b.mjs', '=> 2', '=> 1'); return {} }"
const fix = "edit('src/a.mjs', 'a - b', 'a + b');"
const token = ['ghp', 'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8'].join('_')

async function open(fixer: string, options: Partial<ProjectOptions> = {}): Promise<Project> {
  project = await makeProject({ files, fixer: `${honest} ${fixer}`, ...options })
  await project.import(findings)
  return project
}
const of = ({ result }: FixOutcome, file: string) => result.results.find((issue) => issue.file === file)
const never = { stopStarting: new AbortController().signal, endNow: new AbortController().signal }

it('a new test is welcome', async () => {
  const p = await open(
    `${fix} fs.writeFileSync('test/new.test.mjs', "import test from 'node:test'\\nimport assert from 'node:assert/strict'\\nimport { add } from '../src/a.mjs'\\ntest('adds', () => assert.equal(add(1, 2), 3))\\n"); return {}`,
  )
  expect((await p.fix()).result).toMatchObject({ issues_fixed: 2 })
})

describe('a person', () => {
  const loosen = `${fix} edit('test/a.test.mjs', /  assert.equal\\(typeof.*\\n/, '')`

  it('approves exactly the files that were asked about, and the fix lands', async () => {
    const p = await open(`${loosen}; return {}`)
    const { result } = await p.fix()
    await answerApproval(p.app, { sessionId: result.session_id, codes: [], answer: { approve: true } })
    const resumed = await resumeSession(p.app, result.session_id, never)
    expect(resumed.exitCode).toBe(0)
    expect(of(resumed, 'src/a.mjs')).toMatchObject({ outcome: 'fixed' })
    expect(JSON.stringify(of(resumed, 'src/a.mjs')?.rounds)).toContain('approved by Ada: test/a.test.mjs')
    expect(
      p.git('show', '--name-only', '--format=', of(resumed, 'src/a.mjs')?.commit_sha ?? '').split('\n'),
    ).toEqual(['src/a.mjs', 'test/a.test.mjs'])
  })

  it('rejects, and the next round starts without those changes', async () => {
    const p = await open(`${fix} if (task.round === 1) { ${loosen.replace(fix, '')} } return {}`)
    const { result } = await p.fix()
    await answerApproval(p.app, {
      sessionId: result.session_id,
      codes: ['BE-001'],
      answer: { reject: 'REASON-MARK' },
    })
    const resumed = await resumeSession(p.app, result.session_id, never)
    expect(of(resumed, 'src/a.mjs')).toMatchObject({ outcome: 'fixed' })
    expect(p.git('show', '--name-only', '--format=', of(resumed, 'src/a.mjs')?.commit_sha ?? '')).toBe(
      'src/a.mjs',
    )
    expect(
      p.seen().find(({ role, round, file }) => role === 'fixer' && round === 2 && file === 'src/a.mjs')
        ?.prompt,
    ).toContain('REASON-MARK')
  })

  it('is told how to decide, and never to resume what waits for that', async () => {
    const p = await open(`${loosen}; return {}`)
    const { result } = await p.fix()
    const id = result.session_id
    expect(result.reason).toContain(`fixpoint reject ${id} --reason TEXT`)
    const decide = `Decide: fixpoint approve ${id}, or fixpoint reject ${id} --reason TEXT`
    for (const args of [
      ['sessions', 'show', id],
      ['answer', id],
    ]) {
      const { stdout } = fixpointIn(p.root, envOf(p), args)
      expect(stdout).toContain(decide)
      expect(stdout).not.toContain('fixpoint resume')
    }
    const { stdout } = fixpointIn(p.root, envOf(p), ['sessions', 'list'])
    expect(stdout).toContain('waits: fixpoint approve or fixpoint reject')
  })

  it('need not name the only session that waits, and is given the commands where several do', async () => {
    const both =
      "edit(issue.file, /=> .*/, '=> 1'); edit('test/a.test.mjs', /  assert.equal.typeof.*\\n/, '')"
    project = await makeProject({ files, fixer: `${both}; return {}` })
    const p = project
    await p.import(findings)
    const ask = (...args: string[]) => fixpointIn(p.root, envOf(p), args)
    const fixOne = async (code: string) => {
      const issues = await chooseIssues(p.app, { codes: [code] })
      return (await fixIssues(p.app, { issues }, never)).result.session_id
    }
    const refusal = (...args: string[]) => {
      const { exitCode, stderr } = ask(...args)
      return { exitCode, stderr }
    }
    const refused = (text: string) => ({ exitCode: 2, stderr: expect.stringContaining(text) })
    expect(refusal('approve')).toEqual(refused('no session of this repository waits for an answer'))
    const first = await fixOne('BE-001')
    expect(refusal('approve', 'BE-002')).toEqual(refused('waits for an answer about BE-002'))
    const second = await fixOne('BE-002')
    const approving = `Say which: fixpoint approve ${second} BE-002, or fixpoint approve ${first} BE-001`
    expect(refusal('approve')).toEqual(refused(approving))
    expect(refusal('cancel')).toEqual(refused(`fixpoint cancel ${second}, or fixpoint cancel ${first}`))
    expect(ask('approve', 'be-001')).toMatchObject({
      exitCode: 0,
      stdout: `BE-001: may change test/a.test.mjs\nGo on: fixpoint resume ${first}\n`,
    })
    expect(ask('reject', '--reason', 'no')).toMatchObject({
      exitCode: 0,
      stdout: `BE-002: these changes are taken back; the fixer will read: no\nGo on: fixpoint resume ${second}\n`,
    })
    expect(ask('cancel', first).exitCode).toBe(0)
    expect(ask('cancel', '--json').json()).toMatchObject({ session_id: second, status: 'cancelled' })
    expect(refusal('cancel')).toEqual(refused('no session of this repository is left to cancel'))
  })

  it('is asked about a dispute, and told what the answer made of the issue', async () => {
    project = await makeProject({
      files,
      fixer: "return { outcome: 'false_positive', explanation: 'wanted' }",
      challenger: 'return { score: 10, feedback: "no" }',
    })
    const p = project
    await p.import(findings)
    const ask = (...args: string[]) => fixpointIn(p.root, envOf(p), args)
    const { exitCode, stdout } = ask('fix', '--all', '--yes')
    const [, id] = /Decide: fixpoint approve (ses_\w+), or fixpoint reject/.exec(stdout) ?? []
    expect({ exitCode, id }).toEqual({ exitCode: 5, id: expect.stringContaining('ses_') })
    expect(ask('approve', 'BE-001').stdout).toBe('BE-001: ignored, as a false positive\n')
    expect(ask('reject', 'BE-002', '--reason', 'it is wrong').stdout).toBe(
      'BE-002: stays open; the next fixer will read: it is wrong\n',
    )
    expect(ask('sessions', 'show', id ?? '').stdout).not.toContain('Decide:')
  })

  it('is told what waits when the answer fits nothing', async () => {
    const p = await open(`${loosen}; return {}`)
    const { result } = await p.fix()
    const answer = { approve: true } as const
    await expect(
      answerApproval(p.app, { sessionId: result.session_id, codes: ['BE-002'], answer }),
    ).rejects.toThrow(/BE-002 does not wait/)
    await expect(answerApproval(p.app, { sessionId: 'ses_0', codes: [], answer })).rejects.toThrow(
      /no session/,
    )
  })

  it('is not asked with fix.unattended: reject', async () => {
    const p = await open(`${loosen}; return {}`, { config: 'fix: { unattended: reject, max_rounds: 1 }' })
    const outcome = await p.fix()
    expect(of(outcome, 'src/a.mjs')).toMatchObject({
      outcome: 'refused',
      reason: expect.stringContaining('tamper'),
    })
  })
})

describe('a file that a verification command runs', () => {
  const runs = { verify: 'sh -c "node src/b.mjs && node ci/lint"', files: { ...files, 'ci/lint.js': '' } }

  it('is held, also where the finding is in it, with why; a person who approves it lets it land', async () => {
    const p = await open(`${fix} return {}`, runs)
    const { result } = await p.fix()
    const held = result.results.find(({ file }) => file === 'src/b.mjs')
    expect(held).toMatchObject({
      outcome: 'held',
      reason: expect.stringMatching(/src\/b\.mjs .*a verification command runs it, so .*approve/),
    })
    expect(result.results.find(({ file }) => file === 'src/a.mjs')).toMatchObject({ outcome: 'fixed' })
    await answerApproval(p.app, { sessionId: result.session_id, codes: [], answer: { approve: true } })
    const resumed = await resumeSession(p.app, result.session_id, never)
    expect(of(resumed, 'src/b.mjs')).toMatchObject({ outcome: 'fixed' })
  })

  it('is not changed on the way, however the command names it', async () => {
    const p = await open(`${fix} fs.writeFileSync('ci/lint.js', '// nothing to see'); return {}`, runs)
    expect(of(await p.fix(), 'src/a.mjs')).toMatchObject({
      outcome: 'held',
      reason: expect.stringContaining('ci/lint.js'),
    })
  })
})

describe('secrets', () => {
  it('are in no commit message and in no artifact, whatever an agent says', async () => {
    const p = await open(`${fix} return { explanation: 'use ${token}' }`)
    const { result } = await p.fix()
    expect(p.git('log', '--format=%B', result.branch_name ?? '')).not.toContain(token)
    const artifacts = join(p.home, 'artifacts')
    const kept = readdirSync(artifacts, { recursive: true, encoding: 'utf8' }).filter((name) =>
      statSync(join(artifacts, name)).isFile(),
    )
    expect(kept.filter((name) => readFileSync(join(artifacts, name), 'utf8').includes(token))).toEqual([])
  })
})
