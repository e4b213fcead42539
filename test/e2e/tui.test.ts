import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { chooseIssues } from '../../src/app/fix/choose-issues.ts'
import { fixIssues } from '../../src/app/fix/fix-issues.ts'
import { followSession } from '../../src/cli/session/follow-session.ts'
import { listenForInterrupts, type Interrupts } from '../../src/cli/command/interrupts.ts'
import { createOutput } from '../../src/cli/command/output.ts'
import { screenDisplay } from '../../src/cli/session/screen-display.ts'
import { watchScreen } from '../../src/cli/commands/sessions/watch.ts'
import { watchStore } from '../../src/cli/watch/watch-store.ts'
import { makeProject, type Project, type ProjectOptions } from '../fixtures/project.ts'
import { makeTerminal, type FakeTerminal } from '../fixtures/terminal.ts'

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

const files = {
  'src/a.mjs': 'export const a = (x, y) => x - y\n',
  'src/b.mjs': 'export const b = () => 2\n',
  'test/a.test.mjs': `import test from 'node:test'
import assert from 'node:assert/strict'
import { a } from '../src/a.mjs'
test('adds nothing', () => {
  assert.equal(a(0, 0), 0)
  assert.equal(typeof a(1, 2), 'number')
})
`,
}
const honest = "if (issue.file === 'src/b.mjs') { edit('src/b.mjs', '=> 2', '=> 1'); return {} }"
/** A fixer that weakens a test in its first round, and prints control sequences. */
const cheating = `${honest}
console.log('TALK \\u001b[2J\\u001b]52;c;aGk=\\u0007\\u001b]0;owned\\u0007\\u009b31m\\u202e MARK')
edit('src/a.mjs', 'x - y', 'x + y')
if (task.round === 1) edit('test/a.test.mjs', /  assert.equal\\(typeof.*\\n/, '')
return {}`

async function open(fixer: string, options: Partial<ProjectOptions> = {}): Promise<Project> {
  const project = await makeProject({ files, fixer, ...options })
  ends.push(() => project.close())
  const findings = ['a', 'b'].map((name) => ({
    file: `src/${name}.mjs`,
    line: 1,
    title: `${name} is \u001B[31mwrong`,
    severity: 'major',
    rule: name,
  }))
  await project.import(findings)
  return project
}

const silent = createOutput('json', { ...process, env: {} })

function interruptsOf(): Interrupts {
  const interrupts = listenForInterrupts(() => undefined)
  ends.push(() => interrupts[Symbol.dispose]())
  return interrupts
}

/** `fixpoint fix --all` on a terminal. */
async function fixOn(terminal: FakeTerminal, { app }: Project, interrupts = interruptsOf()) {
  const display = screenDisplay(app, silent, { ...terminal, hasColor: false })
  const issues = await chooseIssues(app, { all: true })
  return followSession(app, { display, interrupts }, (signals) =>
    fixIssues(app, { issues, attended: true }, signals),
  )
}

function expectRestored(terminal: FakeTerminal): void {
  expect({
    alternate: terminal.isAlternate(),
    cursor: terminal.isCursorShown(),
    raw: terminal.isRaw(),
    left: terminal.screen().trim(),
  }).toEqual({ alternate: false, cursor: true, raw: false, left: '' })
}

describe('fixpoint fix on a terminal', () => {
  it('shows the lanes, the held patch and its diff, and lands it once a person approves it by key', async () => {
    const terminal = makeTerminal()
    const running = fixOn(terminal, await open(cheating))
    await terminal.shows(/needs you \(tamper\)/)
    expect(terminal.isAlternate()).toBe(true)
    await terminal.shows(/BE-002 .*fixed/)
    await terminal.shows('awaiting approval')
    terminal.type('d')
    await terminal.shows("-  assert.equal(typeof a(1, 2), 'number')")
    terminal.type('a')
    await terminal.shows('Approve exactly these files of BE-001: test/a.test.mjs?')
    terminal.type('y')
    const { result } = await running
    expect(result).toMatchObject({ status: 'completed', issues_fixed: 2 })
    expectRestored(terminal)
  })

  it('sends a patch back with the reason that was typed, and lets no control sequence through', async () => {
    const terminal = makeTerminal(60, 24)
    const project = await open(cheating)
    const running = fixOn(terminal, project)
    await terminal.shows('awaiting approval')
    await terminal.shows(/TALK .*MARK/)
    terminal.type('r')
    await terminal.shows('Reject BE-001: why?')
    terminal.type('REASON-MARX')
    await terminal.shows('> REASON-MARX')
    terminal.type('\u007F')
    terminal.type('K')
    await terminal.shows('> REASON-MARK')
    terminal.type('\r')
    expect((await running).result).toMatchObject({ issues_fixed: 2 })
    expect(project.seen().find(({ round, role }) => role === 'fixer' && round === 2)?.prompt).toContain(
      'REASON-MARK',
    )
    expect(terminal.written()).not.toMatch(/\u0007|\u009B|\u202E|\u001B\]|owned/)
    expectRestored(terminal)
  })

  it('asks the questions of the fixer and goes on with the option that was chosen', async () => {
    const asks = `if (task.role === 'clarifier') {
      const known = task.clarifications['BE-001'] ?? []
      console.log(JSON.stringify(known.length > 0 ? { ready_to_fix: true, questions: [] } : { ready_to_fix: false, questions: [
        { issue_code: 'BE-001', question: 'WHICH-WAY?', context: 'why', options: ['first', 'SECOND-MARK'], assumption: null }] }))
      return null
    }
    edit(issue.file, /=> .*/, '=> 1'); return {}`
    const project = await open(asks, { verify: 'true', config: 'fix: { clarify: ask }' })
    const terminal = makeTerminal()
    const running = fixOn(terminal, project)
    await terminal.shows('a question about BE-001 (e)')
    terminal.type('e')
    await terminal.shows('2) SECOND-MARK')
    terminal.type('2')
    await terminal.shows('> 2')
    terminal.type('\r')
    expect((await running).result).toMatchObject({ status: 'completed', issues_fixed: 2 })
    expect(project.seen().find(({ role, code }) => role === 'fixer' && code === 'BE-001')?.prompt).toContain(
      'SECOND-MARK',
    )
  })

  it('leaves a held patch for later with q, and stops after the running steps with Ctrl-C', async () => {
    const held = makeTerminal()
    const resting = fixOn(held, await open(cheating))
    await held.shows('awaiting approval')
    held.type('q')
    expect((await resting).result).toMatchObject({ status: 'awaiting_approval', resumable: true })
    expectRestored(held)

    const slow = `while (!fs.existsSync(import.meta.dirname + '/go')) await new Promise((done) => setTimeout(done, 20)); ${cheating}`
    const stopped = makeTerminal()
    const interrupts = interruptsOf()
    const project = await open(slow)
    const running = fixOn(stopped, project, interrupts)
    await stopped.shows('the fixer is at work')
    stopped.type('\u0003')
    await expect.poll(() => interrupts.stopStarting.aborted, { timeout: 200_000 }).toBe(true)
    writeFileSync(join(project.folder, 'go'), '')
    expect((await running).result).toMatchObject({ status: 'running', resumable: true, issues_fixed: 0 })
    expect(interrupts.exitCode()).toBe(130)
    expectRestored(stopped)
  })

  it('cancels after a confirmation', async () => {
    const slow = `await new Promise((resolve) => setTimeout(resolve, 300_000)); return {}`
    const terminal = makeTerminal()
    const running = fixOn(terminal, await open(slow))
    await terminal.shows('the fixer is at work')
    terminal.type('c')
    await terminal.shows('The session ends now')
    terminal.type('y')
    expect((await running).result).toMatchObject({ status: 'cancelled' })
    expectRestored(terminal)
  })
})

describe('fixpoint watch on a terminal', () => {
  it('shows the end of a session, survives every size, and leaves the session alone', async () => {
    const project = await open(cheating)
    const { result } = await project.fix()
    const terminal = makeTerminal()
    const watched = await watchStore(project.app, silent, undefined)
    expect(watched.id).toBe(result.session_id)
    const leaving = new AbortController()
    const watching = watchScreen(watched, silent, {
      terminal: { ...terminal, hasColor: true },
      leaving,
      onInterrupt: () => leaving.abort(),
    })
    await terminal.shows('awaiting approval')
    await terminal.shows(/› ! BE-001 .*held/)
    for (const [columns, rows] of [
      [60, 20],
      [20, 6],
      [5, 2],
      [160, 50],
    ] as const) {
      terminal.resize(columns, rows)
      await terminal.shows('Fix')
      const lines = terminal.screen().split('\n')
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns)
    }
    terminal.type('\u001B[B')
    await terminal.shows(/› ✓ BE-002/)
    terminal.type('q')
    expect(await watching).toBe(5)
    expectRestored(terminal)
    expect((await project.app.store.sessions.load(result.session_id))?.session.status).toBe(
      'awaiting_approval',
    )
  })
})
