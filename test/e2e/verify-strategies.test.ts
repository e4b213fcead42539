import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, describe, expect, it } from 'vitest'
import { resumeSession } from '../../src/app/fix/resume-session.ts'
import type { Attempt } from '../../src/model/attempt/attempt.ts'
import type { VerifyStrategy } from '../../src/model/proof/verification.ts'
import type { SessionResult } from '../../src/model/session/session-result.ts'
import { bin } from '../fixtures/command-line.ts'
import { makeProject, oneProcess, type Project } from '../fixtures/project.ts'

const never = new AbortController().signal
const projects: Project[] = []
afterEach(async () => {
  for (const project of projects.splice(0)) await project.close()
})

const names = ['sound', 'proven', 'unseen', 'wrong', 'switch']
const files = {
  ...Object.fromEntries(names.map((name) => [`src/${name}.mjs`, 'export const value = () => 0\n'])),
  ...Object.fromEntries(
    [...names, 'other', 'more'].map((name) => [
      `test/${name}.test.mjs`,
      `import test from 'node:test'
import assert from 'node:assert/strict'
${names.includes(name) ? `import { value } from '../src/${name}.mjs'` : 'const value = () => 1'}
test('${name} has a small value', () => assert.equal(value() < 9, true))
`,
    ]),
  ),
  // This test looks at files without importing them.
  'test/everything.test.mjs': `import test from 'node:test'
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
test('nothing is left half done', () => assert.doesNotMatch(readFileSync('src/unseen.mjs', 'utf8'), /HALF/))
`,
}

/** A right fix, a fix with its own test, a fix that only a test without imports refuses once, a wrong fix, and a cheat. */
const fixer = `
const to = { sound: '1', proven: '2', unseen: task.round === 1 ? '1 /* HALF */' : '1', wrong: '10', switch: '10' }
const name = issue.file.slice(4, -4)
if (task.round === 1) edit(issue.file, '=> 0', '=> ' + to[name])
else if (name === 'unseen') edit(issue.file, ' /* HALF */', '')
else edit(issue.file, '\\n', ' // again\\n')
if (name === 'switch' && task.round === 1) fs.appendFileSync(issue.file, "import * as all from 'node:assert/strict'\\nall.default['equal'] = () => {}\\n")
if (name === 'proven') fs.writeFileSync('test/proven-more.test.mjs', \`import test from 'node:test'
import assert from 'node:assert/strict'
import { value } from '../src/proven.mjs'
test('it is two', () => assert.equal(value(), 2))
\`)
return {}`

async function openScene(strategy: VerifyStrategy): Promise<Project> {
  const p = await makeProject({
    files,
    fixer,
    verify: oneProcess,
    config: 'fix: { max_rounds: 2, concurrency: 5 }\nchallenge: { enabled: false }',
    verifyStrategy: strategy,
  })
  projects.push(p)
  await p.import(
    names.map((name) => ({ file: `src/${name}.mjs`, line: 1, title: name, severity: 'minor', rule: name })),
  )
  return p
}

async function fixWith(strategy: VerifyStrategy) {
  const p = await openScene(strategy)
  const { result } = await p.fix()
  const of = (name: string) => result.results.find(({ file }) => file === `src/${name}.mjs`)
  const gateOf = (name: string) => of(name)?.rounds[0]?.gates.find((gate) => gate.name === 'verification')
  return { p, result, of, gateOf }
}

/** Runs the command line until a session has an attempt in the given stage, and kills it there. */
async function killIn(stage: Attempt['stage'], p: Project, args: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, [bin, ...args, '--json'], {
    cwd: p.root,
    env: { ...p.env, FIXPOINT_HOME: p.home },
    stdio: 'ignore',
  })
  const ended = once(child, 'exit')
  await expect.poll(() => stagesOf(p), { timeout: 500_000, interval: 5 }).toContain(stage)
  child.kill('SIGKILL')
  await ended
}

async function stagesOf(p: Project): Promise<readonly Attempt['stage'][]> {
  const [session] = await p.app.store.sessions.list(p.app.repository.id, 1)
  const loaded = session && (await p.app.store.sessions.load(session.id))
  return loaded?.attempts.map(({ stage }) => stage) ?? []
}

/** What has to be the same however often a session was killed. */
const endOf = (p: Project, result: SessionResult) => ({
  outcomes: result.results.map(({ file, outcome, evidence }) => [file, outcome, evidence]),
  change: p.git('diff', 'main', result.branch_name ?? ''),
  commits: p.git('log', '--format=%s', `main..${result.branch_name}`),
})

const said = {
  affected: {
    status: 'passed',
    reason: '1 of 1 green; the change reaches 1 file of tests; the others run on the train',
  },
  together: { status: 'not_applicable', reason: 'on the train; all commands run there' },
}

describe.each(['affected', 'together'] as const)('with verify.strategy: %s', (strategy) => {
  it('what each attempt leaves out runs before it lands: nothing wrong lands, and grades are as good', async () => {
    const { p, result, of, gateOf } = await fixWith(strategy)
    expect(names.map((name) => [name, of(name)?.outcome, of(name)?.evidence ?? null])).toEqual([
      ['sound', 'fixed', 'E1'],
      ['proven', 'fixed', 'E3'],
      ['unseen', 'fixed', 'E1'],
      ['wrong', 'refused', null],
      ['switch', 'held', null],
    ])
    expect(gateOf('sound')).toEqual({ name: 'verification', ...said[strategy] })
    const [first, second] = of('unseen')?.rounds ?? []
    expect(first?.refusal).toBe('landing: red once all tests run: test: exit 1; it was green on the base')
    expect(second?.gates.find(({ name }) => name === 'verification')?.reason).toContain(
      'all tests ran: an earlier patch for this issue was red on the train',
    )
    const told = p.seen().find(({ round, file }) => round === 2 && file === 'src/unseen.mjs')
    expect(told?.prompt).toContain('nothing is left half done')
    const note: unknown = JSON.parse(p.git('notes', '--ref=fixpoint', 'show', result.branch_name ?? ''))
    expect(note).toMatchObject({ commands: [{ name: 'test', run: oneProcess, status: 'passed' }] })
  })
})

it('killed with -9 while a part of the tests runs and before a train lands, a session ends as one that was not', async () => {
  const calm = await fixWith('affected')
  const p = await openScene('affected')
  await killIn('verifying', p, ['fix', '--all', '--yes'])
  const [session] = await p.app.store.sessions.list(p.app.repository.id, 1)
  const id = session?.id ?? ''
  await killIn('accepted', p, ['resume', id, '--yes'])
  const { result } = await resumeSession(p.app, id, { stopStarting: never, endNow: never })
  expect(endOf(p, result)).toEqual(endOf(calm.p, calm.result))
})
