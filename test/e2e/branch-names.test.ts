import { afterEach, describe, expect, it } from 'vitest'
import { commandLineOf } from '../fixtures/command-line.ts'
import { makeProject, type Project } from '../fixtures/project.ts'

let project: Project | null = null
afterEach(async () => {
  await project?.close()
  project = null
})

const titles = { a: 'First of all', b: 'Second to none', c: 'Third time lucky' }

/** Opens a project that refuses the issues of the given files. */
async function open(refused: readonly string[], config = ''): Promise<Project> {
  const p = (project = await makeProject({
    files: Object.fromEntries(
      Object.keys(titles).map((name) => [`${name}.mjs`, `export const ${name} = 1\n`]),
    ),
    verify: 'true',
    fixer: `if (${JSON.stringify(refused)}.includes(issue.file)) return { outcome: 'blocked', explanation: 'no way' }
edit(issue.file, '= 1', '= 2'); return {}`,
    config: `challenge: { enabled: false }\nfix: { concurrency: 1${config} }`,
  }))
  const entries = Object.entries(titles)
  await p.import(entries.map(([name, title]) => ({ file: `${name}.mjs`, line: 1, title, rule: name })))
  return p
}

describe('the branch of a session', () => {
  it('is named after the first issue that lands, never after one that was refused', async () => {
    const p = await open(['a.mjs'])
    const { result } = await p.fix()
    expect(result.issues_fixed).toBe(2)
    expect(result.branch_name).toBe('fix/second-to-none-and-1-more')
    expect(p.git('branch', '--list', 'fix/*', '--format=%(refname:short)')).toBe(result.branch_name)
    const started = p.events.find(({ type }) => type === 'fix_session_started')
    expect(started?.message).toMatch(/^3 issues(;|$)/)
  })

  it('does not exist and has no name when nothing lands', async () => {
    const p = await open(['a.mjs', 'b.mjs', 'c.mjs'])
    const { result } = await p.fix()
    expect([result.branch_name, result.issues_failed]).toEqual([null, 3])
    expect((await p.app.store.sessions.load(result.session_id))?.session.branch).toBeNull()
    expect(p.git('branch', '--list', 'fix/*')).toBe('')
  })

  it('has a number when its name is taken meanwhile', async () => {
    const p = await open(['b.mjs', 'c.mjs'], ', strategy: sequential')
    // The name counts the other fixes that may still land, and that depends on which attempt ends first.
    const names = ['', '-and-1-more', '-and-2-more'].map((rest) => `fix/first-of-all${rest}`)
    let isTaken = false
    p.app.subscribe(({ type }) => {
      if (type !== 'fix_agent_invoked' || isTaken) return
      isTaken = true
      for (const name of names) p.git('branch', name)
    })
    const { result } = await p.fix()
    expect(result.branch_name).toMatch(/^fix\/first-of-all(-and-[12]-more)?-2$/)
  })

  it('with --use-existing-branch alone is that of the last session of these issues', async () => {
    const p = await open(['a.mjs'])
    const fixpoint = commandLineOf(p)
    const first = fixpoint('fix', 'BE-001', 'BE-002', '--yes', '--json').json<Record<string, string>>()
    expect(first['branch_name']).toBe('fix/second-to-none')
    fixpoint('issues', 'reopen', 'BE-001')
    const again = fixpoint('fix', 'BE-001', 'BE-003', '--use-existing-branch', '--yes', '--json')
    expect(again.json()).toMatchObject({ branch_name: 'fix/second-to-none', issues_fixed: 1 })
    expect(p.git('rev-list', '--count', 'main..fix/second-to-none')).toBe('2')
  })

  it('with --use-existing-branch alone is refused, with the list, when there is none or more than one', async () => {
    const p = await open([])
    const fixpoint = commandLineOf(p)
    const none = fixpoint('fix', 'BE-001', '--use-existing-branch', '--yes', '--json')
    expect([none.exitCode, none.json()]).toMatchObject([
      2,
      { code: 'branch_refused', details: { branches: [] } },
    ])
    fixpoint('fix', 'BE-001', '--yes')
    fixpoint('fix', 'BE-002', '--yes')
    fixpoint('issues', 'reopen', 'BE-001', 'BE-002')
    const several = fixpoint('fix', 'BE-001', 'BE-002', '--use-existing-branch', '--yes', '--json')
    expect([several.exitCode, several.json()]).toMatchObject([
      2,
      { code: 'branch_refused', details: { branches: ['fix/first-of-all', 'fix/second-to-none'] } },
    ])
  })
})
