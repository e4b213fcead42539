import { afterEach, describe, expect, it } from 'vitest'
import { answerApproval } from '../../src/app/fix/answer-approval.ts'
import { resumeSession } from '../../src/app/fix/resume-session.ts'
import { makeProject, type Project, type ProjectOptions } from '../fixtures/project.ts'

/** What agents really read, from their own standard input. */

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
    expect(told.length).toBeLessThan(4_500)
    expect(told).not.toMatch(/passes 3\b/)
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
