import { afterEach, describe, expect, it } from 'vitest'
import { commandLineOf } from '../fixtures/command-line.ts'
import { makeProject, type Project } from '../fixtures/project.ts'
import { startTestServer, type TestServer } from '../fixtures/server.ts'

let project: Project
let server: TestServer | null = null
afterEach(async () => {
  await server?.end()
  server = null
  await project.close()
})

/** Asks about the first issue once, plans in a few words, fixes. */
const agent = `if (task.role === 'clarifier') {
  console.log(JSON.stringify(task.clarifications[issue.code].length > 0
    ? { ready_to_fix: true, questions: [] }
    : { ready_to_fix: false, questions: [{ issue_code: issue.code, question: 'Strict or loose?' }] }))
  return null
}
if (task.role === 'planner') {
  console.log(JSON.stringify({ issues: { [issue.code]: { approach: 'APPROACH-MARK', steps: ['one'] } } }))
  return null
}
edit(issue.file, '= 1', '= 2')
return { self_evaluation: { confidence: 72, completeness: 'partly', risks: ['RISK-MARK'] } }`

async function open(fixer = agent, config = ''): Promise<Project> {
  project = await makeProject({
    files: { 'a.mjs': 'export const a = 1\n', 'b.mjs': 'export const b = 1\n' },
    verify: 'true',
    fixer,
    config: `challenge: { enabled: false }\n${config}`,
  })
  await project.import(['a', 'b'].map((name) => ({ file: `${name}.mjs`, line: 1, title: name, rule: name })))
  return project
}

const questionsOf = (said: { json<Value>(): Value }) =>
  said.json<{ questions: readonly { id: string }[] }>().questions.map(({ id }) => id)

describe('what was asked before', () => {
  it('is answered by the ids that clarify printed, which stay', async () => {
    const fixpoint = commandLineOf(await open())
    const asked = fixpoint('clarify', 'BE-001', '--yes', '--json')
    expect([asked.exitCode, questionsOf(asked)]).toEqual([5, ['BE-001-q1']])
    expect(questionsOf(fixpoint('clarify', 'BE-001', '--yes', '--json'))).toEqual(['BE-001-q1'])
    expect(asked.json()).toMatchObject({
      has_questions: true,
      message: '1 question waits for an answer: BE-001-q1 "Strict or loose?"',
    })
    const shown = () => fixpoint('issues', 'show', 'BE-001').stdout
    expect(shown()).toContain('BE-001-q1  Strict or loose?\n    no answer yet: fixpoint answer BE-001-q1')
    expect(questionsOf(fixpoint('answer', 'BE-001-q1', 'strict', '--json'))).toEqual([])
    expect(shown()).toContain('BE-001-q1  Strict or loose?\n    answered: strict')
    expect(fixpoint('clarify', 'BE-001', '--yes', '--json').json()).toMatchObject({
      has_questions: false,
      message: 'Nothing is left to ask: ready to fix.',
      ready_to_fix: true,
    })
    expect(fixpoint('fix', 'BE-001', '--yes', '--json').json()).toMatchObject({ issues_fixed: 1 })
    expect(project.seen().at(-1)?.prompt).toContain('> strict')
  })

  it('stops a later fix until it is answered; nobody is asked anew', async () => {
    const fixpoint = commandLineOf(await open())
    fixpoint('clarify', 'BE-001', '--yes')
    const stopped = fixpoint('fix', 'BE-001', '--yes', '--json')
    expect([stopped.exitCode, stopped.json()]).toMatchObject([
      5,
      {
        status: 'awaiting_clarification',
        reason: expect.stringContaining(
          '1 question waits for an answer: BE-001-q1 "Strict or loose?"',
        ) as string,
      },
    ])
    fixpoint('answer', 'BE-001-q1', 'loose')
    expect(fixpoint('resume', '--yes', '--json').json()).toMatchObject({ issues_fixed: 1 })
    expect(project.seen().map(({ role }) => role)).toEqual(['clarifier', 'fixer'])
  })

  it('stops nothing when it is said to go on without', async () => {
    const fixpoint = commandLineOf(await open())
    fixpoint('clarify', 'BE-001', '--yes')
    const gone = fixpoint('fix', 'BE-001', '--clarify', 'off', '--yes', '--json')
    expect([gone.exitCode, gone.json()]).toMatchObject([0, { issues_fixed: 1 }])
  })
})

it('a plan without codes is of all open issues, and never of resolved ones', async () => {
  const fixpoint = commandLineOf(await open())
  const codesOf = (...args: string[]) =>
    fixpoint('plan', ...args, '--json')
      .json<{ execution_steps: readonly { issues: readonly { code: string }[] }[] }>()
      .execution_steps.flatMap(({ issues }) => issues.map(({ code }) => code))
  expect(codesOf()).toEqual(['BE-001', 'BE-002'])
  fixpoint('issues', 'resolve', 'BE-001', '--note', 'by hand')
  expect(codesOf()).toEqual(['BE-002'])
  expect(codesOf('BE-001', 'BE-002')).toEqual(['BE-002'])
  expect(fixpoint('plan', 'BE-001').stderr).toContain('BE-001 (resolved)')
})

it('the fixer’s own opinion of its work is shown, and events say when it begins and how all ended', async () => {
  const p = await open()
  const { result } = await p.fix()
  const told = 'confidence 72 of 100, completeness: partly, risks: RISK-MARK'
  expect(result.results[0]?.rounds[0]?.self_evaluation).toEqual({
    confidence: 72,
    completeness: 'partly',
    risks: ['RISK-MARK'],
  })
  expect(commandLineOf(p)('issues', 'show', 'BE-001').stdout).toContain(`the fixer says: ${told}`)
  expect(commandLineOf(p)('sessions', 'report', result.session_id).stdout).toContain(
    `It says of its work: ${told}.`,
  )
  const types = p.events.filter(({ issue_code }) => issue_code === 'BE-001').map(({ type }) => type)
  expect(types.indexOf('fix_issue_generating')).toBeLessThan(types.indexOf('fix_agent_invoked'))
  expect(p.events.at(-1)).toMatchObject({
    type: 'fix_session_completed',
    details: { issues_requested: 2, issues_fixed: 2, issues_failed: 0, issues_skipped: 0 },
  })
})

it('a fixer that does not report is told so, and not that it deferred', async () => {
  const p = await open(
    "if (task.round === 1) { console.log(JSON.stringify({ issues: {} })); return null } return { outcome: 'blocked', explanation: 'no' }",
  )
  await p.fix()
  const second = p.seen().find(({ round, code }) => round === 2 && code === 'BE-001')
  expect(second?.prompt).toContain('Your answer held no report on this issue')
  expect(second?.prompt).not.toContain('You deferred')
})

it('a weak excuse is refused once, with that reason', async () => {
  const p = await open(
    "return { outcome: task.round === 1 ? 'deferred' : 'blocked', explanation: task.round === 1 ? 'this is out of scope' : 'no' }",
  )
  await p.fix()
  expect(p.seen().find(({ round }) => round === 2)?.prompt).toContain('"out of scope" is no reason to defer')
})

it('the server lets the planner run on request, after what was asked', { timeout: 600_000 }, async () => {
  const p = await open()
  server = await startTestServer(p)
  const repository_id = p.app.repository.id
  const issues = await p.app.store.issues.byCode(repository_id, ['BE-001'])
  const post = async (path: string, body: object) =>
    (
      await server?.ask(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ repository_id, issue_ids: issues.map(({ id }) => id), ...body }),
      })
    )?.json()
  const asked = await post('/api/fix/clarify', {})
  expect(asked).toMatchObject({ message: '1 question waits for an answer: BE-001-q1 "Strict or loose?"' })
  const planned = await post('/api/fix/plan', { planner: true, clarify_session_id: asked?.['session_id'] })
  expect(planned).toMatchObject({ approaches: { 'BE-001': { approach: 'APPROACH-MARK' } } })
  expect(await post('/api/fix/plan', {})).toMatchObject({ approaches: { 'BE-001': { steps: ['one'] } } })
  expect(p.seen().map(({ role }) => role)).toEqual(['clarifier', 'planner'])
})
