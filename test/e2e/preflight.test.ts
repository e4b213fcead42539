import { afterEach, describe, expect, it } from 'vitest'
import { commandLineOf, envOf, fixpointIn } from '../fixtures/command-line.ts'
import { hasJail } from '../fixtures/jail.ts'
import { makeProject, type Project } from '../fixtures/project.ts'

let project: Project | null = null
afterEach(async () => {
  await project?.close()
  project = null
})

async function open(verify: string, files: Readonly<Record<string, string>> = {}): Promise<Project> {
  const p = (project = await makeProject({
    files: { 'a.mjs': 'export const a = 1\n', ...files },
    verify,
    fixer: "edit(issue.file, '= 1', '= 2'); return {}",
    config: 'challenge: { enabled: false }',
  }))
  await p.import([{ file: 'a.mjs', line: 1, title: 'a is one', rule: 'a' }])
  return p
}

const redTest = "import test from 'node:test'\ntest('always red', () => { throw new Error('no') })\n"

describe('before any agent runs', () => {
  it('a check whose program is not there is named, with what to do; nothing is claimed', async () => {
    const p = await open('no-such-runner --all')
    const ran = commandLineOf(p)('fix', 'BE-001', '--yes', '--json')
    expect([ran.exitCode, ran.json()]).toMatchObject([
      3,
      {
        code: 'not_evaluated',
        message: 'the checks cannot run: test (no-such-runner --all): no-such-runner is not on PATH',
        hint: 'Install what is missing, put it on PATH, or correct verify.commands in fixpoint.yaml.',
      },
    ])
    expect(p.seen()).toEqual([])
    expect(await p.app.store.sessions.list(p.app.repository.id, 1)).toEqual([])
    const doctor = commandLineOf(p)('doctor', '--json')
    expect(doctor.exitCode).toBe(3)
    expect(doctor.json<{ checks: readonly object[] }>().checks).toContainEqual(
      expect.objectContaining({
        name: 'verification',
        status: 'error',
        message: 'test (no-such-runner --all): no-such-runner is not on PATH',
      }),
    )
  })

  it('a check that the shell cannot start ends the session, and the issue is open again', async () => {
    const p = await open('./missing-program')
    const { result, exitCode } = await p.fix()
    expect(exitCode).toBe(3)
    expect(result).toMatchObject({ status: 'failed', issues_skipped: 1, branch_name: null })
    expect(result.results[0]).toMatchObject({ outcome: 'not_evaluated', status: 'open' })
    expect(result.reason).toMatch(/no agent was asked: test: \.\/missing-program: it could not be started/)
    expect(p.seen()).toEqual([])
    expect(p.events.at(-1)).toMatchObject({ type: 'fix_session_error' })
    expect(p.events.filter(({ type }) => type === 'fix_session_error')).toHaveLength(1)
  })

  it('tests that are red without names end the session', async () => {
    const p = await open('sh test.sh', { 'test.sh': 'echo something is wrong; exit 1\n' })
    const { result, exitCode } = await p.fix()
    expect([exitCode, p.seen()]).toEqual([3, []])
    expect(result.reason).toMatch(/is red on the base \(exit 1\) and does not name the failing tests/)
    expect(result.reason).toContain('It says: something is wrong')
  })

  it('tests that are red with names, and a red linter, are a warning, and it goes on', async () => {
    const named = await open('node --test', { 'x.test.mjs': redTest })
    const { result } = await named.fix()
    expect(named.seen().length).toBeGreaterThan(0)
    expect(result.warnings).toEqual([
      expect.stringMatching(/^test: red on the base \(exit 1\): .*always red/),
    ])
    await named.close()
    const linter = await open('node lint.mjs', { 'lint.mjs': 'process.exit(1)\n' })
    const linted = await linter.fix()
    expect(linter.seen().length).toBeGreaterThan(0)
    expect(linted.result.warnings).toEqual([
      expect.stringMatching(/^test: red on the base \(exit 1\) and names nothing that failed;/),
    ])
  })

  it.skipIf(!hasJail)('a check that is red only in the jail is told what opens it', async () => {
    const p = await open('node lint.mjs', {
      'lint.mjs':
        "fetch('http://registry.example').catch(({ cause }) => { console.error(cause.message); process.exit(1) })\n",
    })
    const env = envOf(p, { FIXPOINT_SANDBOX: 'required' })
    const told = (...args: string[]) =>
      JSON.stringify(fixpointIn(p.root, env, [...args, '--yes', '--json']).json())
    const opens = 'Maybe it is the jail: it asks for the network, which the jail keeps from it; network: true'
    expect(told('doctor', '--checks')).toContain(opens)
    expect(told('fix', '--all')).toContain(opens)
  })

  it('doctor --checks and init --run tell the same', async () => {
    const p = await open('node --test', { 'x.test.mjs': redTest })
    type Checks = {
      readonly checks: readonly { readonly name: string; readonly status: string; readonly message: string }[]
    }
    const ofChecks = ({ checks }: Checks) => checks.filter(({ name }) => name === 'check')
    const fixpoint = commandLineOf(p)
    const red = fixpoint('doctor', '--checks', '--yes', '--json')
    expect(ofChecks(red.json<Checks>())).toMatchObject([
      { status: 'warning', message: expect.stringMatching(/^test: red on the base \(exit 1\)/) as string },
    ])
    p.write({ 'package.json': '{ "scripts": { "test": "exit 3" } }' })
    p.commitAll('a test script that only fails')
    const found = fixpoint('init', '--force', '--run', '--yes', '--json')
    expect(found.exitCode).toBe(3)
    expect(ofChecks(found.json<Checks>())).toMatchObject([
      { status: 'error', message: expect.stringContaining('does not name the failing tests') as string },
    ])
  })
})
