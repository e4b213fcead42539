import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { resumeSession } from '../../src/app/fix/resume-session.ts'
import { makeProject, type Project, type ProjectOptions } from '../fixtures/project.ts'
import { snapshotOf } from '../fixtures/repositories.ts'

const projects: Project[] = []
afterEach(async () => {
  for (const project of projects.splice(0)) await project.close()
})

async function open(options: ProjectOptions): Promise<Project> {
  const project = await makeProject(options)
  projects.push(project)
  return project
}

const never = new AbortController().signal
const signals = { stopStarting: never, endNow: never }

const names = (count: number) => Array.from({ length: count }, (_, at) => `m${String(at).padStart(2, '0')}`)
const modules = (count: number) =>
  Object.fromEntries(names(count).map((name) => [`src/${name}.mjs`, 'export const value = 0\n']))
const finding = (file: string) => ({
  file,
  line: 1,
  title: `${file} is wrong`,
  severity: 'minor',
  rule: file,
})
const findings = (count: number) => names(count).map((name) => finding(`src/${name}.mjs`))
const test1 = {
  'x.test.mjs': "import test from 'node:test'\ntest('runs', () => {})\n",
}

/** A check that is red once the first module is fixed together with a bad one, so that each fix is green alone. */
const checkTogether = (bad: readonly string[]) => `import { readFileSync } from 'node:fs'
const value = (name) => readFileSync('src/' + name + '.mjs', 'utf8').includes('= 1')
const broken = value('m00') ? ${JSON.stringify(bad)}.filter(value) : []
if (broken.length > 0) { console.log('TOGETHER-MARK ' + broken.length + ' broken'); process.exit(1) }
`
const fixOwn = "edit(issue.file, '= 0', '= 1'); return {}"

describe('a train of patches that are green alone', () => {
  it('lands all but the culprits, which are named with the failing output', async () => {
    const bad = ['m03', 'm07']
    const p = await open({
      files: { ...modules(10), 'check.mjs': checkTogether(bad) },
      fixer: fixOwn,
      verify: 'node check.mjs',
      config: 'fix: { max_rounds: 1, concurrency: 4 }\nchallenge: { enabled: false }',
    })
    await p.import(findings(10))
    const { result } = await p.fix()
    expect(result).toMatchObject({ status: 'partial', issues_fixed: 8, issues_failed: 2 })
    const refused = result.results.filter(({ outcome }) => outcome !== 'fixed')
    expect(refused.map(({ file }) => file)).toEqual(bad.map((name) => `src/${name}.mjs`))
    for (const issue of refused) {
      expect(issue).toMatchObject({ outcome: 'refused', reason: expect.stringContaining('red together') })
      expect(issue.rounds[0]?.verification?.commands[0]?.output).toContain('TOGETHER-MARK')
    }
    const branch = result.branch_name ?? ''
    expect(p.git('rev-list', '--count', `main..${branch}`)).toBe('8')
    for (const name of bad) expect(p.git('show', `${branch}:src/${name}.mjs`)).toContain('= 0')
    expect(result.verifications_run).toBeLessThanOrEqual(10 + 2 * 4 + 3)
    const note = JSON.parse(p.git('notes', '--ref=fixpoint', 'show', branch)) as Record<string, unknown>
    expect(note).toMatchObject({
      base: { commit: p.git('rev-parse', 'main') },
      verified: { commit: p.git('rev-parse', branch), tree: p.git('rev-parse', `${branch}^{tree}`) },
      commands: [{ name: 'test', status: 'passed', exit_code: 0 }],
      gates: expect.arrayContaining([expect.objectContaining({ name: 'scope', status: 'passed' })]),
    })
  })

  it('sends a culprit back with the output, and lands it once it is right', async () => {
    const p = await open({
      files: { ...modules(4), 'check.mjs': checkTogether(['m02']) },
      fixer: `if (task.round === 1) edit(issue.file, '= 0', '= 1'); else edit(issue.file, '= 1', '= 2'); return {}`,
      verify: 'node check.mjs',
      config: 'fix: { concurrency: 4 }\nchallenge: { enabled: false }',
    })
    await p.import(findings(4))
    const { result } = await p.fix()
    expect(result).toMatchObject({ status: 'completed', issues_fixed: 4 })
    expect(p.git('show', `${result.branch_name}:src/m02.mjs`)).toContain('= 2')
    const second = p.seen().find(({ round, file }) => round === 2 && file === 'src/m02.mjs')
    expect(second?.prompt).toContain('TOGETHER-MARK')
    expect(p.seen().filter(({ round }) => round === 2)).toHaveLength(1)
  })

  it('sends a conflict back to a fresh round on the new tip, and both fixes land', async () => {
    const p = await open({
      files: { ...modules(2), ...test1, 'src/shared.mjs': 'export const names = []\n' },
      fixer: `edit(issue.file, '= 0', '= 1')
        const found = fs.readFileSync('src/shared.mjs', 'utf8')
        fs.writeFileSync('src/shared.mjs', found.replace(']', (found.includes("'") ? ', ' : '') + "'" + issue.file + "']"))
        return {}`,
      config: 'fix: { scope: repository }',
    })
    await p.import(findings(2))
    const { result } = await p.fix()
    expect(result).toMatchObject({ status: 'completed', issues_fixed: 2 })
    expect(p.git('show', `${result.branch_name}:src/shared.mjs`)).toBe(
      "export const names = ['src/m00.mjs', 'src/m01.mjs']",
    )
    const rounds = result.results.find(({ file }) => file === 'src/m01.mjs')?.rounds ?? []
    expect(rounds).toHaveLength(2)
    expect(rounds[0]?.refusal).toMatch(/conflict .* src\/shared\.mjs/)
    const again = p.seen().find(({ role, round }) => role === 'fixer' && round === 2)
    expect(again?.prompt).toContain('without your fix')
  })
})

/** An agent that runs git in the user's repository, as the person would meanwhile. */
const asPerson = (...commands: string[][]) =>
  `const { execFileSync } = await import('node:child_process')
   const root = process.env.HOME.replace(/user$/, 'repository')
   for (const args of ${JSON.stringify(commands)}) execFileSync('git', ['-C', root, ...args])`

describe('a base branch that moves meanwhile', () => {
  const session = async (commands: string[][], check = 'process.exit(0)') => {
    const p = await open({
      files: { ...modules(1), 'check.mjs': check, 'other.txt': 'one\n' },
      fixer: `${asPerson(...commands)}; ${fixOwn}`,
      verify: 'node check.mjs',
      config: 'challenge: { enabled: false }',
    })
    p.git('branch', 'ahead')
    p.git('worktree', 'add', '--quiet', join(p.folder, 'ahead'), 'ahead')
    return p
  }
  const commitTo = (p: Project, file: string, text: string) => {
    writeFileSync(join(p.folder, 'ahead', file), text)
    p.git('-C', join(p.folder, 'ahead'), 'add', '-A')
    p.git('-C', join(p.folder, 'ahead'), 'commit', '-qm', 'by a person')
  }
  const merge = ['merge', '-q', '--ff-only', 'ahead']

  it('is said, and what landed is verified together with what is there now', async () => {
    const p = await session([merge])
    commitTo(p, 'other.txt', 'two\n')
    await p.import(findings(1))
    const from = p.git('rev-parse', 'main')
    const { result } = await p.fix()
    expect(result).toMatchObject({
      status: 'completed',
      base_commit: from,
      base_moved: { branch: 'main', from, to: p.git('rev-parse', 'ahead'), together: 'green' },
    })
    expect(p.git('rev-parse', `${result.branch_name}~1`)).toBe(from)
    expect(p.events.some(({ message }) => /main moved from \w+ to \w+ meanwhile/.test(message))).toBe(true)
  })

  it('is red together when the two do not go together', async () => {
    const check = `import { readFileSync } from 'node:fs'
const read = (file) => readFileSync(file, 'utf8')
process.exit(read('other.txt') === 'two\\n' && read('src/m00.mjs').includes('= 1') ? 1 : 0)`
    const p = await session([merge], check)
    commitTo(p, 'other.txt', 'two\n')
    await p.import(findings(1))
    const { result } = await p.fix()
    expect(result).toMatchObject({ issues_fixed: 1, base_moved: { together: 'red' } })
  })

  it('names what conflicts', async () => {
    const p = await session([merge])
    commitTo(p, 'src/m00.mjs', 'export const value = 7\n')
    await p.import(findings(1))
    const { result } = await p.fix()
    expect(result).toMatchObject({
      issues_fixed: 1,
      base_moved: { together: 'conflicts', reason: expect.stringContaining('src/m00.mjs') },
    })
  })
})

describe('the session’s branch', () => {
  it.each([
    ['made', ['branch', 'mine/fixes', 'main'], 'was moved to'],
    ['moved', ['update-ref', 'refs/heads/mine/fixes', 'main'], 'was moved to'],
    ['deleted', ['update-ref', '-d', 'refs/heads/mine/fixes'], 'was deleted'],
  ])(
    'that a person %s stops the session; the work is kept, and resuming goes on',
    async (what, command, said) => {
      const wait = `const { existsSync } = fs
      const ref = process.env.HOME.replace(/user$/, 'repository/.git/refs/heads/mine/fixes')
      for (let i = 0; i < 4_000 && !existsSync(ref); i += 1) await new Promise((r) => setTimeout(r, 25))`
      const p = await open({
        files: { ...modules(2), ...test1 },
        // The person acts before the other fix can land, or after it has.
        fixer: `if (issue.file === 'src/m01.mjs') { ${what === 'made' ? '' : wait}; ${asPerson(command)} }
        else { ${what === 'made' ? wait : ''} }
        ${fixOwn}`,
        config: 'challenge: { enabled: false }',
      })
      await p.import(findings(2))
      const { result } = await p.fix({ branch: 'mine/fixes' })
      expect(result.reason).toContain(said)
      expect(result.reason).toContain(`refs/fixpoint/${result.session_id}`)
      expect(result.resumable).toBe(true)
      const kept = p.git('rev-parse', `refs/fixpoint/${result.session_id}`)
      expect(p.git('log', '-1', '--format=%s', kept)).toContain('[BE-00')
      if (what !== 'deleted') expect(p.git('rev-parse', 'mine/fixes')).toBe(p.git('rev-parse', 'main'))

      // These are the commands that the message gives, word for word.
      const commands = /To go on: (.*)$/.exec(result.reason ?? '')?.[1]?.split(' && ') ?? []
      expect(commands.at(-1)).toBe(`fixpoint resume ${result.session_id}`)
      for (const line of commands.slice(0, -1)) p.git(...line.split(' ').slice(1))
      const resumed = await resumeSession(p.app, result.session_id, signals)
      expect(resumed.result).toMatchObject({ status: 'completed', issues_fixed: 2 })
      expect(p.git('rev-list', '--count', 'main..mine/fixes')).toBe('2')
      expect(keptRefs(p)).toEqual([])
      expect(p.git('fsck', '--strict', '--no-dangling')).toBe('')
    },
  )

  it('that a person checked out is not moved under their feet', async () => {
    const p = await open({
      files: { ...modules(2), ...test1 },
      fixer: `if (issue.file === 'src/m01.mjs') {
          const ref = process.env.HOME.replace(/user$/, 'repository/.git/refs/heads/mine/fixes')
          for (let i = 0; i < 4_000 && !fs.existsSync(ref); i += 1) await new Promise((r) => setTimeout(r, 25))
          ${asPerson(['worktree', 'add', '--quiet', '../theirs', 'mine/fixes'])}
        }
        ${fixOwn}`,
      config: 'challenge: { enabled: false }',
    })
    await p.import(findings(2))
    const { result } = await p.fix({ branch: 'mine/fixes' })
    expect(result).toMatchObject({ resumable: true, reason: expect.stringContaining('is checked out') })
    expect(p.git('-C', '../theirs', 'status', '--porcelain')).toBe('')
    p.git('worktree', 'remove', '../theirs')
    const resumed = await resumeSession(p.app, result.session_id, signals)
    expect(resumed.result).toMatchObject({ status: 'completed', issues_fixed: 2 })
  })
})

describe('an agent that writes into the user’s own checkout', () => {
  const root = "process.env.HOME.replace(/user$/, 'repository')"
  const run = async (write: string) => {
    const p = await open({
      files: { ...modules(1), ...test1, 'notes.txt': 'mine\n' },
      fixer: `const root = ${root}; ${write}; ${fixOwn}`,
      config: 'challenge: { enabled: false }',
    })
    await p.import(findings(1))
    return { p, result: (await p.fix()).result }
  }

  it.each([
    ['the file of its issue', "fs.writeFileSync(root + '/src/m00.mjs', 'hacked')", 'src/m00.mjs'],
    [
      'git’s configuration',
      "fs.appendFileSync(root + '/.git/config', '[core]\\n\\thooksPath = /tmp/x\\n')",
      '.git/config',
    ],
    [
      'a hook',
      "fs.writeFileSync(root + '/.git/hooks/pre-commit', '#!/bin/sh\\n', { mode: 0o755 })",
      'hooks/pre-commit',
    ],
  ])('%s: the session stops and says so', async (_name, write, path) => {
    const { p, result } = await run(write)
    expect(result).toMatchObject({
      status: 'failed',
      branch_name: null,
      resumable: false,
      reason: expect.stringContaining(path),
    })
    expect(p.events.at(-1)).toMatchObject({ type: 'fix_session_error' })
  })

  it('what may be the person’s own edit is only said', async () => {
    const { p, result } = await run(
      "fs.writeFileSync(root + '/notes.txt', 'mine, and more'); fs.writeFileSync(root + '/new.txt', 'x')",
    )
    expect(result).toMatchObject({ status: 'completed', issues_fixed: 1 })
    expect(result.warnings).toEqual([expect.stringMatching(/notes\.txt/)])
    expect(result.warnings[0]).toContain('new.txt')
    expect(readFileSync(join(p.root, 'notes.txt'), 'utf8')).toBe('mine, and more')
  })

  it('what a person commits, and the branches they track, are their own business', async () => {
    const p = await open({
      files: { ...modules(1), ...test1 },
      fixer: `fs.writeFileSync(${root} + '/mine.txt', 'x'); ${asPerson(['add', 'mine.txt'], ['commit', '-qm', 'mine'], ['config', 'branch.main.remote', 'origin'])}; ${fixOwn}`,
      config: 'challenge: { enabled: false }',
    })
    await p.import(findings(1))
    const { result } = await p.fix()
    expect(result).toMatchObject({ status: 'completed', warnings: [], base_moved: { together: 'green' } })
  })
})

/** The refs that Fixpoint keeps in the user's repository, without the id of the clone. */
const keptRefs = (p: Project): readonly string[] =>
  p
    .git('for-each-ref', '--format=%(refname)', 'refs/fixpoint')
    .split('\n')
    .filter((name) => name !== '' && name !== 'refs/fixpoint/repository')

it('changes nothing of the user’s but the branch and the notes', async () => {
  const p = await open({
    files: { ...modules(3), ...test1 },
    fixer: fixOwn,
    config: 'challenge: { enabled: false }',
  })
  await p.import(findings(3))
  p.write({ 'dirty.txt': 'mine' })
  const before = snapshotOf(p.root)
  const { result } = await p.fix()
  expect(result.issues_fixed).toBe(3)
  expect(keptRefs(p)).toEqual([])
  expect(snapshotOf(p.root, ['refs/heads/fix', 'refs/notes'])).toEqual(before)
})
