import { readFileSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import type { FixOutcome } from '../../src/app/fix/stored-session.ts'
import { envOf, fixpointIn } from '../fixtures/command-line.ts'
import { makeProject, type Project, type ProjectOptions } from '../fixtures/project.ts'

let project: Project | null = null
afterEach(async () => {
  await project?.close()
  project = null
})

const files = {
  'src/a.mjs': 'export const value = () => 1\n',
  'src/other.mjs': 'export const other = 1\n',
  'lib/more.mjs': 'export const more = 1\n',
  'test/a.test.mjs':
    "import test from 'node:test'\nimport assert from 'node:assert/strict'\nimport { value } from '../src/a.mjs'\ntest('is 2', () => assert.equal(value(), 2))\n",
}
const fix = "edit('src/a.mjs', '=> 1', '=> 2');"
/** The person's own repository; an agent can guess its place. */
const own = "const root = process.env.HOME.replace(/user$/, 'repository');"
const git = "const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();"
const inOwn = `const { execFileSync } = await import('node:child_process'); ${own} ${git}`

async function open(fixer: string, options: Partial<ProjectOptions> = {}): Promise<Project> {
  project = await makeProject({ files, fixer, config: 'fix: { max_rounds: 1 }', ...options })
  await project.import([{ file: 'src/a.mjs', line: 1, title: 'a is wrong', severity: 'major', rule: 'a' }])
  return project
}
const endOf = ({ result }: FixOutcome) => result.results[0]
const warningsOf = (p: Project): string =>
  p.events
    .flatMap(({ type, message }) =>
      type === 'fix_session_warning' && message.includes('meanwhile') ? [message] : [],
    )
    .join('\n')

describe('refs that an agent makes in the person’s repository', () => {
  it('are reported by name and never believed', async () => {
    const p = await open(`${fix} ${inOwn}
      const empty = execFileSync('git', ['mktree'], { cwd: root, input: '', encoding: 'utf8' }).trim()
      const forged = git('commit-tree', '-m', 'forged', empty)
      git('replace', git('rev-parse', 'HEAD'), forged)
      git('branch', 'fix/a-is-wrong', forged)
      git('tag', 'v9')
      git('update-ref', 'refs/stash', forged)
      git('notes', '--ref=review', 'add', '-m', 'fine', forged)
      return {}`)
    const outcome = await p.fix()
    expect(endOf(outcome)).toMatchObject({ outcome: 'fixed', evidence: 'E3' })
    const said = warningsOf(p)
    for (const ref of [
      'refs/replace/',
      'refs/heads/fix/a-is-wrong',
      'refs/tags/v9',
      'refs/stash',
      'refs/notes/review',
    ])
      expect(said).toContain(ref)
    expect(said).not.toContain('refs/notes/fixpoint')
    const branch = outcome.result.branch_name ?? ''
    expect(branch).not.toBe('fix/a-is-wrong')
    expect(said).not.toContain(branch)
    const real = (...args: string[]) => p.git('--no-replace-objects', ...args)
    expect(real('show', `${branch}:src/a.mjs`)).toBe('export const value = () => 2')
    expect(real('diff', '--name-only', `main..${branch}`)).toBe('src/a.mjs')
  })

  it('are not told of in a session that makes none but its own', async () => {
    const p = await open(`${fix} return {}`)
    expect(endOf(await p.fix())).toMatchObject({ outcome: 'fixed' })
    expect(warningsOf(p)).toBe('')
  })
})

describe('the person’s own checkout', () => {
  it('has not changed when a file was only touched', async () => {
    const p = await open(
      `${fix} ${own} const at = new Date(); fs.utimesSync(root + '/src/a.mjs', at, at); return {}`,
    )
    p.write({ 'src/a.mjs': 'export const value = () => 1 // mine\n' })
    utimesSync(join(p.root, 'src/a.mjs'), 1, 1)
    const outcome = await p.fix()
    expect(endOf(outcome)).toMatchObject({ outcome: 'fixed' })
    expect(warningsOf(p)).toBe('')
  })

  it('is told apart from the settings of its repository', async () => {
    const p = await open(`${fix} ${inOwn} git('config', 'core.pager', 'evil'); return {}`)
    const { result } = await p.fix()
    expect(result.status).toBe('failed')
    expect(result.reason).toMatch(/the settings of your own repository were changed .*config/)
    expect(result.reason).not.toContain('checkout was changed')
  })
})

it('a patch that is too large is called that, with its size and the limit', async () => {
  const p = await open(
    `${fix} fs.writeFileSync('src/huge.txt', ''); fs.truncateSync('src/huge.txt', 72 * 2 ** 20); return {}`,
  )
  const end = endOf(await p.fix())
  expect(end).toMatchObject({ outcome: 'refused', commit_sha: null })
  expect(end?.reason).toMatch(
    /the patch is too large: 73 MB, and the limit is 64 MB; left out: src\/huge\.txt/,
  )
  expect(end?.reason).not.toContain('scope')
})

it('code that is judged sees nothing that says so, and the same with the patch as without it', async () => {
  const seen = `import { appendFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
appendFileSync(process.env.HOME + '/seen-by-code.jsonl', JSON.stringify({ cwd: process.cwd(), argv: process.argv.slice(1), tmp: tmpdir(), env: process.env, isPatched: value() === 2 }) + '\\n')
`
  const p = await open(`${fix} return {}`, {
    files: { ...files, 'test/a.test.mjs': files['test/a.test.mjs'] + seen },
    config: 'fix: { max_rounds: 1 }\nsandbox: off',
  })
  expect(endOf(await p.fix())).toMatchObject({ outcome: 'fixed' })
  const lines = readFileSync(join(p.folder, 'user/seen-by-code.jsonl'), 'utf8').trim().split('\n')
  // The path of this checkout depends on the machine, and may contain any word.
  const checkout = join(import.meta.dirname, '../..')
  const all = lines.map(
    (line) => JSON.parse(line.replaceAll(p.folder, '').replaceAll(checkout, '')) as Record<string, unknown>,
  )
  expect(new Set(all.map(({ isPatched }) => isPatched))).toEqual(new Set([true, false]))
  for (const one of all)
    expect(JSON.stringify(one)).not.toMatch(/fixpoint|verif|attempt|att_|patch(?!ed)|judge/i)
  const names = all.map(({ env }) =>
    Object.keys(env as object)
      .toSorted()
      .join(' '),
  )
  expect(new Set(names).size).toBe(1)
  const shape = ({ cwd }: Record<string, unknown>) => String(cwd).replace(/[0-9a-f]{8,}/g, '*')
  expect(new Set(all.map(shape)).size).toBe(1)
})

describe('a scope question on the command line', () => {
  const fixpoint = (p: Project, ...args: string[]) => fixpointIn(p.root, envOf(p), args)
  const alsoOthers = `${fix} edit('src/other.mjs', '1', '2');`

  it('is approved for exactly the files that it names', async () => {
    const p = await open(`${alsoOthers} return {}`)
    fixpoint(p, 'trust', '--yes')
    const ran = fixpoint(p, 'fix', '--all', '--yes', '--json')
    expect(ran.exitCode).toBe(5)
    const { session_id: id, results } = ran.json<FixOutcome['result']>()
    expect(results[0]).toMatchObject({ outcome: 'held' })
    expect(results[0]?.reason).toContain('src/other.mjs')
    expect(fixpoint(p, 'approve', id).exitCode).toBe(0)
    const resumed = fixpoint(p, 'resume', id, '--json')
    expect(resumed.exitCode).toBe(0)
    const sha = resumed.json<FixOutcome['result']>().results[0]?.commit_sha ?? ''
    expect(p.git('show', '--name-only', '--format=', sha).split('\n')).toEqual(['src/a.mjs', 'src/other.mjs'])
  })

  it('does not cover what a later round changes beside those files, nor their later content', async () => {
    // The challenger refuses the approved patch once, so that there is another round after the approval.
    const p = await open(
      `if (task.round < 3) { ${alsoOthers} } else { edit('lib/more.mjs', '1', '2'); edit('src/other.mjs', '2', '3') } return {}`,
      {
        config: 'fix: { max_rounds: 3 }',
        challenger: `const score = task.round < 3 ? 10 : 99; return { feedback: 'again', quality_scores: { correctness: score, safety: score, minimality: score, style_consistency: score }, improvements_needed: ['more'] }`,
      },
    )
    fixpoint(p, 'trust', '--yes')
    const asked = fixpoint(p, 'fix', '--all', '--yes', '--json').json<FixOutcome['result']>()
    expect(asked.results[0]).toMatchObject({ outcome: 'held' })
    expect(fixpoint(p, 'approve', asked.session_id).exitCode).toBe(0)
    const resumed = fixpoint(p, 'resume', asked.session_id, '--json')
    expect(resumed.exitCode).toBe(5)
    const again = resumed.json<FixOutcome['result']>().results[0]
    expect(again).toMatchObject({ outcome: 'held', commit_sha: null })
    expect(again?.reason).toContain('lib/more.mjs')
    expect(again?.reason).toContain('src/other.mjs')
  })
})
