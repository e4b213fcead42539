import { afterEach, describe, expect, it } from 'vitest'
import { answerApproval } from '../../src/app/fix/answer-approval.ts'
import { answerQuestions } from '../../src/app/prepare/clarify-issues.ts'
import { reviewRepository } from '../../src/app/review/review-repository.ts'
import { resumeSession } from '../../src/app/fix/resume-session.ts'
import { makeProject, type Project, type ProjectOptions } from '../fixtures/project.ts'

/** The prompts that agents really read from their standard input. */

let project: Project | null = null
afterEach(async () => {
  await project?.close()
  project = null
})

const never = { stopStarting: new AbortController().signal, endNow: new AbortController().signal }
const head = "import test from 'node:test'\nimport assert from 'node:assert/strict'\n"
const files = {
  'package.json': '{ "name": "sample", "type": "module" }\n',
  'src/a.mjs': 'export const one = 1\nexport const half = (x) => x / 1\nexport const two = 2\n',
  'lib/c.mjs': 'export const c = 1\n',
  'test/a.test.mjs': `${head}import { half } from '../src/a.mjs'
for (let index = 0; index < 60; index += 1) test('passes ' + index, () => console.log('NOISE '.repeat(50)))
test('half is not larger', () => assert.ok(half(4) <= 4, 'FAILURE-MARK half(4) was ' + half(4)))
`,
}
const finding = { file: 'src/a.mjs', line: 2, title: 'half does not halve', rule: 'half', severity: 'major' }

async function open(options: Partial<ProjectOptions>): Promise<Project> {
  project = await makeProject({ files, ...options })
  await project.import([finding])
  return project
}
const promptsOf = (p: Project, role = 'fixer') => p.seen().filter((seen) => seen.role === role)
const outsideFences = (prompt: string): string => prompt.replaceAll(/^(`{3,})\w+\n[^]*?^\1$/gm, '(fence)')

describe('a fixer whose round was refused reads', () => {
  /** Round 1 adds two lines above and is wrong, round 2 is wrong otherwise, round 3 is right. */
  const fixer = `if (task.round === 1) { edit('src/a.mjs', 'export const one', '// ROUND-ONE\\n// SECOND-LINE\\nexport const one'); edit('src/a.mjs', 'x / 1', 'x * 3') }
    if (task.round === 2) edit('src/a.mjs', 'x * 3', 'x * 4')
    if (task.round === 3) edit('src/a.mjs', 'x * 4', 'x / 2')
    return {}`

  it('the failing test first, with what it said, and not the whole log', async () => {
    const p = await open({ fixer })
    await p.fix()
    const { prompt = '', task } = promptsOf(p)[1] ?? {}
    expect(prompt).toMatch(
      /Verification command "test" failed \(exit code 1\)[^]*Failing tests:\n\n- half is not larger\n {4}.*FAILURE-MARK half\(4\) was 12[^]*The end of its output:/,
    )
    const told = /Round 1 was refused at verification:\n\n(`{3,}text\n[^]*?)\n`{3,}\n/.exec(prompt)?.[1] ?? ''
    expect(told.length).toBeLessThan(2_500)
    expect(told).not.toMatch(/passes \d/)
    expect(task).toMatchObject({ feedback: [{ stage: 'verification' }] })
  })

  it("paths of the repository, and none of the checks' own folder", async () => {
    const p = await open({ fixer })
    const { result } = await p.fix()
    for (const { prompt } of promptsOf(p)) expect(prompt).not.toContain(p.home)
    expect(promptsOf(p)[1]?.prompt).toMatch(/\(test\/a\.test\.mjs:\d+:\d+\)/)
    expect(JSON.stringify(result.results[0]?.rounds)).not.toContain(p.home)
  })

  it('what the last round changed, the code at its present lines, and all that is in the workspace', async () => {
    const p = await open({ fixer })
    expect((await p.fix()).result).toMatchObject({ issues_fixed: 1 })
    const [, second, third] = promptsOf(p)
    expect(second?.prompt).toContain('Place: `src/a.mjs`, line 4')
    expect(second?.prompt).toMatch(/> 4 \| export const half = \(x\) => x \* 3/)
    const [, changed = '', held = ''] =
      /What round 2 changed:\n([^]*)Your workspace is as round 2 left it([^]*)## Your answer/.exec(
        third?.prompt ?? '',
      ) ?? []
    expect(changed).toContain('+export const half = (x) => x * 4')
    expect(changed).not.toMatch(/^\+.*ROUND-ONE/m)
    expect(held).toMatch(/^\+\/\/ ROUND-ONE[^]*^\+export const half = \(x\) => x \* 4/m)
    expect(third?.task).toMatchObject({ diff: expect.not.stringMatching(/^\+.*ROUND-ONE/m) })
  })

  it("what Fixpoint and the person ask of it as theirs, and the refusal's own text as data", async () => {
    const p = await open({
      fixer:
        "edit('src/a.mjs', 'x / 1', 'x / 2'); if (task.round === 1) edit('lib/c.mjs', '1', '2'); return {}",
      config: 'workspace: { path: src }',
    })
    const { result } = await p.fix({ attended: true })
    await answerApproval(p.app, {
      sessionId: result.session_id,
      codes: [],
      answer: { reject: 'PERSON-MARK: leave lib alone' },
    })
    expect((await resumeSession(p.app, result.session_id, never)).result).toMatchObject({ issues_fixed: 1 })
    const outside = outsideFences(promptsOf(p)[1]?.prompt ?? '')
    expect(outside).toContain('The person who asked says about it:\n\n> PERSON-MARK: leave lib alone')
    expect(outside).toContain('Your workspace is not as round 1 left it.')
    expect(outside).not.toContain('lib/c.mjs')
  })
})

describe('a fixer of one issue of a group', () => {
  it('reads what else the reviewer put under the topic, and a reviewer reads the categories', async () => {
    const answer = (file: string, title: string) => ({
      file,
      line: '1',
      title,
      issue: title,
      severity: 'major',
      category: 'Type hints',
    })
    const groups = [
      {
        description: 'TOPIC-MARK',
        findings: [answer('src/a.mjs', 'first of the topic'), answer('lib/c.mjs', 'second of the topic')],
      },
      { description: 'OTHER-TOPIC', findings: [answer('package.json', 'has no topic in common')] },
    ]
    const coverage = { reviewed: Object.keys(files), partly: [], skipped: [] }
    const p = await open({
      reviewers: [`console.log(JSON.stringify(${JSON.stringify({ groups, coverage })})); return null`],
      fixer: "fs.appendFileSync(issue.file, '// x\\n'); return {}",
      verify: 'true',
    })
    await reviewRepository(p.app, { paths: [] }, never.endNow)
    const [asked] = p.seen().filter(({ role }) => role === 'reviewer')
    expect(asked?.prompt).toContain(
      'spec_gap, library_standards, clean_code, type_hints, testing, data_model',
    )
    expect(asked?.task).toMatchObject({ output_schema: { required: ['groups', 'coverage'] } })
    await p.fix()
    const prompt = promptsOf(p).find((seen) => seen.prompt.includes('first of the topic\n'))?.prompt ?? ''
    expect(prompt).toMatch(/Category: `type_hints`\nGroup: `TOPIC-MARK`/)
    expect(prompt).toMatch(/## The rest of its group[^]*- BE-\d+, `lib\/c\.mjs`: `second of the topic`/)
    expect(prompt).not.toContain('has no topic in common')
  })
})

describe('a clarifier', () => {
  it('that asks again what was answered has nothing left to wait for', async () => {
    const p = await open({
      fixer: `if (task.role === 'clarifier') {
          console.log(JSON.stringify({ ready_to_fix: false, questions: [{ issue_code: issue.code, question: task.clarifications[issue.code].length > 0 ? 'round it, UP?' : 'Round it up?' }] }))
          return null
        }
        edit('src/a.mjs', 'x / 1', 'x / 2'); return {}`,
      config: 'fix: { clarify: ask }',
    })
    const { result } = await p.fix()
    expect(result).toMatchObject({ status: 'awaiting_clarification' })
    await answerQuestions(p.app, new Map([['BE-001-q1', 'ANSWER-MARK']]))
    expect((await resumeSession(p.app, result.session_id, never)).result).toMatchObject({ issues_fixed: 1 })
    expect(p.seen().map(({ role }) => role)).toEqual(['clarifier', 'clarifier', 'fixer', 'challenger'])
    expect(promptsOf(p, 'clarifier')[1]?.prompt).toContain('> ANSWER-MARK')
    expect(promptsOf(p)[0]?.prompt).toContain('> ANSWER-MARK')
  })
})

describe('a challenger', () => {
  it('of a change that is too long to be shown reads how long it is, and all its files', async () => {
    const p = await open({
      fixer: `edit('src/a.mjs', 'x / 1', 'x / 2')
        fs.appendFileSync('src/a.mjs', 'export const more = [\\n' + '  "a long line of text",\\n'.repeat(5000) + ']\\n'); return {}`,
      config: 'challenge: { threshold: 87 }',
    })
    await p.fix({ notes: 'NOTE-MARK' })
    const { prompt = '' } = promptsOf(p, 'challenger')[0] ?? {}
    const [, shown = '0', all = '0'] =
      /\(Cut here: the first (\d+) of (\d+) characters are shown\.\)/.exec(prompt) ?? []
    expect(Number(shown)).toBeLessThanOrEqual(60_000)
    expect(Number(all)).toBeGreaterThan(120_000)
    expect(prompt).toMatch(/Read the rest in your copy\. These files are changed:\n\n```text\nsrc\/a\.mjs/)
    expect(prompt).toMatch(
      /before the change[^]*> 2 \| export const half = \(x\) => x \/ 1[^]*after the change[^]*> +2 \| export const half = \(x\) => x \/ 2/,
    )
    expect(p.seen().find(({ role }) => role === 'challenger')?.task).toMatchObject({ notes: 'NOTE-MARK' })
    for (const said of ['> NOTE-MARK', '87 of 100 are needed', '"merge" | "reject"'])
      expect(prompt).toContain(said)
  })
})
