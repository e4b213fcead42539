import { afterEach, describe, expect, it } from 'vitest'
import { commandLineOf } from '../fixtures/command-line.ts'
import { makeProject, type Project } from '../fixtures/project.ts'

let project: Project
afterEach(() => project.close())

const longReason = `The answer lies in ${'a place that is far away and '.repeat(20)}THE-END`

async function open(fixer: string, config = ''): Promise<Project> {
  project = await makeProject({
    files: { 'src/a.mjs': 'export const a = 1\n', 'src/b.mjs': 'export const b = 1\n' },
    verify: 'true',
    fixer,
    config,
  })
  await project.import(
    ['a', 'b'].map((name) => ({ file: `src/${name}.mjs`, line: 1, title: `${name} is one`, rule: name })),
  )
  return project
}

describe('what fix prints', () => {
  it('holds the whole reason of what did not land', async () => {
    const p = await open(`return { outcome: 'blocked', explanation: ${JSON.stringify(longReason)} }`)
    const { stdout, exitCode } = commandLineOf(p)('fix', 'BE-001', '--yes')
    expect(exitCode).toBe(1)
    expect(stdout).toContain(longReason)
  })

  it('says of an earlier result that it is one, of which session and on which branch', async () => {
    const p = await open("edit(issue.file, '= 1', '= 2'); return {}", 'challenge: { enabled: false }')
    const fixpoint = commandLineOf(p)
    const first = fixpoint('fix', 'BE-001', '--yes', '--json').json<Record<string, string>>()
    expect(first).toMatchObject({ status: 'completed', earlier: false })
    expect(fixpoint('fix', 'BE-001', '--yes', '--json').json()).toMatchObject({
      session_id: first['session_id'],
      earlier: true,
    })
    const { stdout } = fixpoint('fix', 'BE-001', '--yes')
    expect(stdout).toContain(
      `This is an earlier result, of ${first['session_id']}: the same issues were fixed from the same base within the hour, on ${first['branch_name']}.`,
    )
    expect(fixpoint('sessions', '--json').json()).toMatchObject({
      schema: 'fixpoint.sessions.v1',
      sessions: [{ session_id: first['session_id'] }],
    })
  })

  it('says that there is nothing to fix, and keeps no session of it', async () => {
    const p = await open('return {}')
    const fixpoint = commandLineOf(p)
    fixpoint('issues', 'ignore', 'BE-001', 'BE-002', '--reason', 'not now')
    const { stdout, exitCode } = fixpoint('fix', '--all', '--yes')
    expect([exitCode, stdout]).toEqual([0, 'Nothing to fix: no session was made.\n'])
    expect(fixpoint('fix', '--all', '--yes', '--json').json()).toMatchObject({
      schema: 'fixpoint.session.v1',
      session_id: null,
      final_status: 'passed',
      issues_requested: 0,
    })
    expect(fixpoint('sessions', 'list', '--json').json()).toMatchObject({ sessions: [] })
  })
})
