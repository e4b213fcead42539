import { rmSync, utimesSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { chooseIssues } from '../../src/app/fix/choose-issues.ts'
import { importFindings } from '../../src/app/review/import-findings.ts'
import type { Issue } from '../../src/model/issue/issue.ts'
import { makeProject, type Project } from '../fixtures/project.ts'

let p: Project
let branch: string
const findings = ['a', 'b'].map((name) => ({ file: `src/${name}.mjs`, line: 1, title: name, rule: name }))

beforeEach(async () => {
  p = await makeProject({
    files: { 'src/a.mjs': 'export const a = 1\n', 'src/b.mjs': 'export const b = 1\n' },
    fixer: "edit(issue.file, '= 1', '= 2'); return {}",
    verify: 'true',
  })
  await p.import(findings)
  const { result } = await p.fix()
  if (result.issues_fixed !== 2) throw new Error('both are fixed here')
  branch = result.branch_name ?? 'none'
})
afterEach(() => p.close())

const issues = async (): Promise<readonly Issue[]> =>
  (await p.app.store.issues.list({ repositoryId: p.app.repository.id, limit: 50 })).issues
const statuses = async () => (await issues()).map(({ status }) => status)
const inCheckout = (...args: string[]) => p.git('-c', 'user.name=a', '-c', 'user.email=a@b', ...args)

describe('an issue that a session has fixed', () => {
  it('stays resolved while its branch is there, however often the finding is seen', async () => {
    await p.import(findings)
    expect(await statuses()).toEqual(['resolved', 'resolved'])
  })

  it('is open again when its branch is gone and the finding is seen again', async () => {
    p.git('branch', '-D', branch)
    await p.import(findings.slice(0, 1))
    const [a, b] = await issues()
    expect(a).toMatchObject({
      status: 'open',
      resolution_note: expect.stringContaining('the fix was discarded'),
    })
    expect(b).toMatchObject({ status: 'resolved' })
    expect((await p.fix()).result).toMatchObject({ issues_fixed: 1 })
  })

  it('stays resolved when its branch has another name now', async () => {
    p.git('branch', '-m', branch, 'mine')
    await p.import(findings)
    expect(await statuses()).toEqual(['resolved', 'resolved'])
  })

  it('is not merged because its own branch is checked out', async () => {
    p.git('checkout', '-q', branch)
    await p.import([])
    expect(await statuses()).toEqual(['resolved', 'resolved'])
  })

  it.each([
    ['merged', () => inCheckout('merge', '-q', '--no-edit', branch)],
    [
      'merged by a merge commit',
      () => {
        inCheckout('commit', '-q', '--allow-empty', '-m', 'other work')
        inCheckout('merge', '-q', '--no-ff', '--no-edit', branch)
      },
    ],
    [
      'rebased',
      () => {
        inCheckout('commit', '-q', '--allow-empty', '-m', 'other work')
        inCheckout('cherry-pick', `main..${branch}`)
      },
    ],
    [
      'squashed into one commit that kept the messages',
      () => {
        const messages = p.git('log', '--format=%B', `main..${branch}`)
        inCheckout('merge', '-q', '--squash', branch)
        inCheckout('commit', '-q', '-m', `All of it (#7)\n\n${messages}`)
      },
    ],
  ])('is merged once the base branch holds it: %s', async (_how, deliver) => {
    deliver()
    p.git('branch', '-D', branch)
    await p.import([])
    expect(await statuses()).toEqual(['merged', 'merged'])
    expect(await chooseIssues(p.app, { all: true })).toEqual([])
  })

  it.each([
    ['made before the fix', 'nothing', -3_600_000, 0],
    ['made since', 'a new issue', 3_600_000, 1],
  ])('and merged without a merge commit: a report %s opens %s', async (_when, _what, sinceMs, opened) => {
    inCheckout('merge', '-q', '--ff-only', branch)
    const file = join(p.folder, '..', `${basename(p.folder)}-report.json`)
    writeFileSync(
      file,
      JSON.stringify({ schema: 'fixpoint.findings.v1', source: 'scan', findings: findings.slice(0, 1) }),
    )
    const madeAt = new Date(Date.now() + sinceMs)
    utimesSync(file, madeAt, madeAt)
    await importFindings(p.app, { file, format: null, stdin: process.stdin })
    rmSync(file)
    expect(await statuses()).toEqual(['merged', 'merged', ...Array.from({ length: opened }, () => 'open')])
  })
})
