import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { resumeSession } from '../../src/app/fix/resume-session.ts'
import { bin } from '../fixtures/command-line.ts'
import { makeProject, type Project } from '../fixtures/project.ts'
import { makeFolder } from '../fixtures/repositories.ts'

const never = new AbortController().signal
const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

interface Scene {
  readonly p: Project
  /** The trees that the checks ran on so far, each as the first letters of its fixes. */
  readonly runs: () => readonly string[]
  /** Lets every check end immediately. */
  readonly release: () => void
}

/** Three issues: `a` lands first, because `c` waits for it; `b` is fixed while the checks of `a` run. */
async function openScene({ isBad = false } = {}): Promise<Scene> {
  const { folder, dispose } = makeFolder()
  closing.push(dispose)
  const runsFile = join(folder, 'runs')
  const releaseFile = join(folder, 'release')
  const until = `const until = async (is) => { for (let at = 0; at < 6000; at += 1) { if (fs.existsSync(${JSON.stringify(releaseFile)}) || is()) return; await new Promise((go) => setTimeout(go, 20)) } throw new Error('it never came') }
const runs = () => fs.existsSync(${JSON.stringify(runsFile)}) ? fs.readFileSync(${JSON.stringify(runsFile)}, 'utf8').split('\\n') : []`
  const p = await makeProject({
    files: {
      'a.mjs': 'export const a = 0\n\n\n\n\n\n\n\nexport const c = 0\n',
      'b.mjs': 'export const b = 0\n',
      'x.test.mjs': `import assert from 'node:assert/strict'
import fs from 'node:fs'
import test from 'node:test'
${until}
test('the fixes go together', async () => {
  const text = fs.readFileSync('a.mjs', 'utf8') + fs.readFileSync('b.mjs', 'utf8')
  const fixes = ['a', 'b', 'c'].filter((name) => text.includes(name + ' = 1')).join('')
  fs.appendFileSync(${JSON.stringify(runsFile)}, fixes + '\\n')
  if (fixes === 'a') await until(() => runs().includes('ab'))
  assert.ok(${isBad ? "!fixes.includes('a')" : 'true'})
})
`,
    },
    fixer: `${until}
const name = issue.title[0]
if (name === 'b') await until(() => runs().includes('a'))
edit(issue.file, name + ' = 0', name + ' = 1'); return {}`,
    verifyStrategy: 'together',
    config: `fix: { concurrency: 2, max_rounds: 1 }\nchallenge: { enabled: false }`,
  })
  closing.push(() => p.close())
  const issues = [
    { file: 'a.mjs', line: 1, title: 'a is zero', severity: 'critical', rule: 'a' },
    { file: 'b.mjs', line: 1, title: 'b is zero', severity: 'major', rule: 'b' },
    { file: 'a.mjs', line: 9, title: 'c is zero', severity: 'minor', rule: 'c' },
  ]
  await p.import(issues)
  return {
    p,
    runs: () => (existsSync(runsFile) ? readFileSync(runsFile, 'utf8').split('\n').slice(0, -1) : []),
    release: () => writeFileSync(releaseFile, ''),
  }
}

/** The changes of the branch, in their order. */
const changesOf = (p: Project, branch: string | null): string =>
  p.git('log', '-p', '--format=%s', `main..${branch}`)

describe('while a train is checked, the next one is checked on top of it', () => {
  it('its result is there when it is asked for, and nothing is checked twice', async () => {
    const { p, runs } = await openScene()
    const { result } = await p.fix()
    expect(result).toMatchObject({ issues_fixed: 3, issues_failed: 0 })
    // The checks of `a` end only once those of `ab` have begun.
    expect(runs().slice(0, 3)).toEqual(['', 'a', 'ab'])
    expect(runs().filter((run) => run === 'ab')).toHaveLength(1)
  })

  it('a wrong guess changes nothing of what lands', async () => {
    const guessed = await openScene({ isBad: true })
    const first = await guessed.p.fix()
    expect(guessed.runs()).toContain('ab')
    const plain = await openScene({ isBad: true })
    plain.release()
    const second = await plain.p.fix()
    for (const { result } of [first, second])
      expect(result).toMatchObject({ issues_fixed: 2, issues_failed: 1 })
    expect(changesOf(guessed.p, first.result.branch_name)).toBe(changesOf(plain.p, second.result.branch_name))
  })

  it('killed with -9 in the middle of it, a session goes on and loses nothing', async () => {
    const { p, runs, release } = await openScene()
    const child = spawn(process.execPath, [bin, 'fix', '--all', '--yes', '--json'], {
      cwd: p.root,
      env: { ...p.env, FIXPOINT_HOME: p.home },
      stdio: 'ignore',
    })
    const ended = once(child, 'exit')
    await expect.poll(runs, { timeout: 100_000 }).toContain('ab')
    child.kill('SIGKILL')
    await ended
    release()
    const [session] = await p.app.store.sessions.list(p.app.repository.id, 1)
    const { result } = await resumeSession(p.app, session?.id ?? '', { stopStarting: never, endNow: never })
    expect(result).toMatchObject({ issues_fixed: 3, issues_failed: 0 })
  })
})
