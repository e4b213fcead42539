import { afterEach, describe, expect, it } from 'vitest'
import { answerQuestions } from '../../src/app/prepare/clarify-issues.ts'
import { resumeSession } from '../../src/app/fix/resume-session.ts'
import { makeProject, type Project } from '../fixtures/project.ts'

let project: Project | null = null
afterEach(async () => {
  await project?.close()
  project = null
})

const files = { 'src/a.mjs': 'export const a = 1\n', 'src/b.mjs': 'export const b = 1\n' }
const never = { stopStarting: new AbortController().signal, endNow: new AbortController().signal }
/** Asks about the first issue once; then it is ready. */
const asks = `if (task.role === 'clarifier') {
  const known = task.clarifications[issue.code]
  console.log(JSON.stringify(known.length > 0
    ? { ready_to_fix: true, questions: [] }
    : { ready_to_fix: false, questions: [{ issue_code: issue.code, question: 'QUESTION-MARK?', context: 'why', options: ['x', 'y'], assumption: 'ASSUMED-MARK' }] }))
  return null
}
edit(issue.file, '= 1', '= 2'); return {}`

async function open(fixer: string, mode: string, more = ''): Promise<Project> {
  const config = `fix: { clarify: ${mode}${more && `, ${more}`} }`
  project = await makeProject({ files, fixer, verify: 'true', config })
  await project.import(
    ['a', 'b'].map((name) => ({ file: `src/${name}.mjs`, line: 1, title: name, rule: name })),
  )
  return project
}
const fixerPrompt = (p: Project, file: string) =>
  p.seen().find(({ role, file: of }) => role === 'fixer' && of === file)?.prompt ?? ''

describe('a fixer that may ask', () => {
  it('stops before anything is begun, and goes on with the answers it was given', async () => {
    const p = await open(asks, 'ask')
    const first = await p.fix()
    expect(first.exitCode).toBe(5)
    expect(first.result).toMatchObject({ status: 'awaiting_clarification', resumable: true })
    expect(p.seen().map(({ role }) => role)).toEqual(['clarifier'])
    expect(p.events.at(-1)).toMatchObject({
      type: 'fix_clarification_needed',
      details: { questions: [{ id: 'BE-001-q1', issue_code: 'BE-001', question: 'QUESTION-MARK?' }] },
    })
    expect((await resumeSession(p.app, first.result.session_id, never)).exitCode).toBe(5)
    await expect(answerQuestions(p.app, new Map([['BE-001-q1', ' \n']]))).rejects.toThrow(
      'the answer to "BE-001-q1" is empty',
    )
    expect((await resumeSession(p.app, first.result.session_id, never)).exitCode).toBe(5)
    await answerQuestions(p.app, new Map([['BE-001-q1', 'FIRST-ANSWER']]))
    await answerQuestions(p.app, new Map([['BE-001-q1', 'ANSWER-MARK']]))
    const resumed = await resumeSession(p.app, first.result.session_id, never)
    expect(resumed.result).toMatchObject({ status: 'completed', issues_fixed: 2 })
    expect(fixerPrompt(p, 'src/a.mjs')).toMatch(
      /QUESTION-MARK\?\n```\n\nThe person who asked for the fix answered:\n\n> ANSWER-MARK/,
    )
    expect(fixerPrompt(p, 'src/a.mjs')).not.toContain('FIRST-ANSWER')
    expect(fixerPrompt(p, 'src/b.mjs')).not.toContain('ANSWER-MARK')
  })

  it('goes on with its own assumption where nobody is to be asked', async () => {
    const p = await open(asks, 'assume')
    expect((await p.fix()).result).toMatchObject({ status: 'completed', issues_fixed: 2 })
    expect(fixerPrompt(p, 'src/a.mjs')).toMatch(
      /QUESTION-MARK\?\n```\n\nNobody answered. Assumed:\n\n```guidance\nASSUMED-MARK/,
    )
    const [issue] = await p.app.store.issues.byCode(p.app.repository.id, ['BE-001'])
    expect(issue?.clarifications).toMatchObject([{ assumed: true, answer: 'ASSUMED-MARK' }])
  })

  it.each([
    ['prose', "console.log('I am ready to fix!')"],
    [
      'about another issue',
      "console.log(JSON.stringify({ ready_to_fix: true, questions: [{ issue_code: 'BE-999', question: 'x' }] }))",
    ],
    ['without the word', 'console.log(JSON.stringify({ questions: [] }))'],
  ])('is not ready when its answer is %s', async (_name, says) => {
    const p = await open(`if (task.role === 'clarifier') { ${says}; return null } return {}`, 'ask')
    const outcome = await p.fix()
    expect(outcome.exitCode).toBe(3)
    expect(outcome.result).toMatchObject({ status: 'parked', resumable: true })
    expect(p.seen().map(({ role }) => role)).toEqual(['clarifier', 'clarifier'])
  })

  it('counts what asking costs, against the budget too', async () => {
    const priced = asks.replace(
      '{ ready_to_fix: true',
      '{ usage: { tokens: 10, cost_usd: 2 }, ready_to_fix: true',
    )
    const p = await open(priced, 'assume', 'budget_usd: 1')
    const { exitCode, result } = await p.fix()
    expect(exitCode).toBe(4)
    expect(result).toMatchObject({ status: 'parked', cost_usd: 2, tokens: 10, issues_fixed: 0 })
    expect(p.seen().every(({ role }) => role === 'clarifier')).toBe(true)
  })

  it.each([
    ['billing', 'failed'],
    ['quota', 'parked'],
  ])('that fails by %s ends as any agent would', async (kind, status) => {
    const p = await open(
      `console.log(JSON.stringify({ failure: { kind: '${kind}', message: 'REASON-MARK' } })); process.exit(1)`,
      'ask',
    )
    const { exitCode, result } = await p.fix()
    expect(exitCode).toBe(4)
    expect(result).toMatchObject({ status, reason: expect.stringContaining('REASON-MARK') as string })
  })

  it('that has nothing to ask begins at once', async () => {
    const p = await open(
      "if (task.role === 'clarifier') { console.log(JSON.stringify({ ready_to_fix: true, questions: [] })); return null } edit(issue.file, '= 1', '= 2'); return {}",
      'ask',
    )
    expect((await p.fix()).result).toMatchObject({ issues_fixed: 2 })
  })
})
