import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { commandLineOf, envOf } from '../fixtures/command-line.ts'
import { makeProject, type Project } from '../fixtures/project.ts'
import { hasTmux, openTmux, type TmuxTerminal } from '../fixtures/tmux.ts'

beforeEach(({ skip }) => skip(!hasTmux, 'tmux is not installed on this machine'))

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end()
})

const testOf = (name: string): string => `import test from 'node:test'
import assert from 'node:assert/strict'
import { ${name} } from '../src/${name}.mjs'
test('${name} is a number', () => {
  assert.equal(typeof ${name}(), 'number')
  assert.ok(${name}() > 0)
})
`
const files = {
  'src/a.mjs': 'export const a = () => 1\n',
  'src/b.mjs': 'export const b = () => 2\n',
  'src/c.mjs': 'export const c = () => 3\n',
  'test/a.test.mjs': testOf('a'),
  'test/b.test.mjs': testOf('b'),
}
/** A fixer that adds seven to the value of the file, after it has waited until the file `wait` beside it is gone. */
const honest = `console.log('LOOKS-AT ' + issue.file)
while (fs.existsSync(import.meta.dirname + '/wait')) await new Promise((done) => setTimeout(done, 20))
edit(issue.file, '=> ', '=> 7 + ')`
/** A fixer that weakens the tests of `a` and `b` in its first round. */
const cheating = `${honest}
const test = issue.file.replace('src', 'test').replace('.mjs', '.test.mjs')
if (task.round === 1 && fs.existsSync(test)) edit(test, /  assert.ok.*\\n/, '')
return {}`

interface Place {
  readonly project: Project
  readonly terminal: TmuxTerminal
}

async function open(fixer: string, names: readonly string[], config = ''): Promise<Place> {
  const project = await makeProject({ files, fixer, config, fixerTimeout: '2m' })
  ends.push(() => project.close())
  await project.import(
    names.map((name) => ({
      file: `src/${name}.mjs`,
      line: 1,
      title: `${name} is wrong`,
      severity: 'major',
      rule: name,
    })),
  )
  const terminal = await openTmux({ cwd: project.root, env: envOf(project) })
  ends.push(() => terminal.end())
  return { project, terminal }
}

const sessionOf = ({ project }: Place): Record<string, unknown> =>
  commandLineOf(project)('sessions', 'list', '--json').json<{ sessions: Record<string, unknown>[] }>()
    .sessions[0] ?? {}

/** Whether the screen shows one whole frame of exactly this size, without repeated or leftover rows. */
const isWholeFrame =
  (columns: number, rows: number) =>
  (screen: string): boolean => {
    const lines = screen.split('\n')
    const rules = lines.filter((line) => line.startsWith('── '))
    return (
      lines.length === rows &&
      rules.length === 2 &&
      rules.every((line) => line.length === columns) &&
      lines.filter((line) => line.startsWith('Fixpoint ●')).length === 1 &&
      lines[0]?.startsWith('Fixpoint ●') === true &&
      lines.filter((line) => line.startsWith('q quit')).length === 1 &&
      lines.at(-1)?.startsWith('q quit') === true
    )
  }

const patient = { timeout: 600_000 }

describe('fixpoint fix under tmux', patient, () => {
  it('shows lanes, log and diff in every size, takes a rejection and an approval by key, and ends on a clean prompt', async () => {
    const place = await open(cheating, ['a', 'b', 'c'])
    const { terminal, project } = place
    terminal.fixpoint('fix --all --yes')
    await terminal.shows('Issues (3)')
    await terminal.shows('● awaiting approval')
    await terminal.shows(/› ! BE-001 .*held[^]* {2}! BE-002 .*held[^]* {2}✓ BE-003 .*fixed/)
    await terminal.shows(/── Log BE-001 .*a is wrong[^]*LOOKS-AT src\/a\.mjs/)
    terminal.type('d')
    await terminal.shows(/── Diff BE-001 [^]*\n- {2}assert\.ok\(a\(\) > 0\)/)
    for (const [columns, rows] of [
      [60, 20],
      [140, 40],
      [84, 16],
    ] as const) {
      terminal.resize(columns, rows)
      expect(await terminal.shows(isWholeFrame(columns, rows))).toContain('Diff BE-001')
    }
    terminal.type('l')
    await terminal.shows('── Log BE-001')
    terminal.press('Down')
    await terminal.shows(/› ! BE-002/)
    terminal.type('r')
    await terminal.shows('Reject BE-002: why?')
    terminal.type('REASON-MARK')
    await terminal.shows('> REASON-MARK')
    terminal.press('Enter')
    await terminal.shows('BE-002 rejected')
    terminal.press('Up')
    await terminal.shows(/› ! BE-001/)
    terminal.type('a')
    await terminal.shows('Approve exactly these files of BE-001: test/a.test.mjs?')
    terminal.type('y')
    await terminal.shows('exit=0')
    expect(await terminal.isClean()).toBe(true)
    expect(sessionOf(place)).toMatchObject({ status: 'completed', issues_fixed: 3 })
    const again = project.seen().find(({ role, round }) => role === 'fixer' && round === 2)
    expect([again?.code, again?.prompt]).toEqual(['BE-002', expect.stringContaining('REASON-MARK')])
  })

  it('asks the question of the fixer, stops on Ctrl-C with a clean prompt, and goes on where it stopped', async () => {
    const asking = `if (task.role === 'clarifier') {
      const isAnswered = (task.clarifications['BE-001'] ?? []).length > 0
      const question = { issue_code: 'BE-001', question: 'WHICH-WAY?', context: null, options: ['left', 'RIGHT-MARK'], assumption: 'left' }
      console.log(JSON.stringify({ ready_to_fix: isAnswered, questions: isAnswered ? [] : [question] }))
      return null
    }
    ${honest}; return {}`
    const place = await open(asking, ['a'], 'fix: { clarify: ask }')
    const { terminal, project } = place
    const wait = join(project.folder, 'wait')
    writeFileSync(wait, '')
    terminal.fixpoint('fix --all --yes')
    await terminal.shows('a question about BE-001 (e)')
    terminal.type('e')
    await terminal.shows(/WHICH-WAY\?[^]*1\) left +2\) RIGHT-MARK[^]*without an answer: left/)
    terminal.type('2')
    await terminal.shows('> 2')
    terminal.press('Enter')
    await terminal.shows('LOOKS-AT src/a.mjs')
    terminal.press('C-c')
    await terminal.shows('stopping: running steps finish first')
    expect(existsSync(wait)).toBe(true)
    rmSync(wait)
    await terminal.shows('exit=130')
    expect(await terminal.isClean()).toBe(true)
    expect(sessionOf(place)).toMatchObject({ resumable: true, issues_fixed: 0 })
    terminal.fixpoint('resume --yes')
    await terminal.shows('exit=0')
    expect(await terminal.isClean()).toBe(true)
    expect(sessionOf(place)).toMatchObject({ status: 'completed', issues_fixed: 1 })
    const fixers = project.seen().filter(({ role }) => role === 'fixer')
    expect(fixers.map(({ prompt }) => prompt.includes('RIGHT-MARK'))).toEqual([true])
  })
})

describe('fixpoint watch under tmux', patient, () => {
  it('shows a session at work and takes its answer once it rests, while q and Ctrl-C leave it resumable', async () => {
    const place = await open(cheating, ['a'])
    const { terminal, project } = place
    const wait = join(project.folder, 'wait')
    writeFileSync(wait, '')
    const watching = await openTmux({ cwd: project.root, env: envOf(project), columns: 90, rows: 24 })
    ends.push(() => watching.end())
    terminal.fixpoint('fix --all --yes')
    await terminal.shows('LOOKS-AT src/a.mjs')
    watching.fixpoint('watch')
    await watching.shows(/● running[^]*› . BE-001 .*fixing/)
    watching.press('C-c')
    await watching.shows(/goes on; fixpoint watch shows it again[^]*exit=130/)
    expect(await watching.isClean()).toBe(true)
    rmSync(wait)
    await terminal.shows('the session waits for you; q leaves it for later')
    terminal.type('q')
    await terminal.shows('exit=5')
    expect(await terminal.isClean()).toBe(true)
    watching.fixpoint('watch')
    await watching.shows('BE-001 needs you (tamper)')
    watching.resize(50, 18)
    await watching.shows(isWholeFrame(50, 18))
    watching.type('a')
    await watching.shows('Approve exactly')
    watching.type('y')
    await watching.shows('BE-001 approved')
    watching.type('q')
    await watching.shows(/goes on[^]*exit=1$/m)
    expect(await watching.isClean()).toBe(true)
    expect(sessionOf(place)).toMatchObject({ resumable: true, issues_fixed: 0 })
    watching.fixpoint('resume --yes')
    await watching.shows('exit=0')
    expect(sessionOf(place)).toMatchObject({ status: 'completed', issues_fixed: 1 })
  })
})
